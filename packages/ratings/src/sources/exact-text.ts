const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * How text in Parquet and Arrow files is read: every character as it was written. hyparquet by itself drops a
 * byte-order mark at the start of a value and puts the same sign for all bytes that are not UTF-8, so that
 * different ids would become one.
 */
export const exactText = {
  stringFromBytes(bytes: Uint8Array | undefined): string | undefined {
    return bytes && utf8.decode(bytes);
  },
};
