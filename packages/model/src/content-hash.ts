/**
 * SHA-256 in lower-case hexadecimal, the form in which every hash of a model folder is written. By the host
 * where it has one; pages that were not served securely have none, and load a script that computes it.
 */
export async function sha256Hex(bytes: Uint8Array | string): Promise<string> {
  const input = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes;
  if (globalThis.crypto?.subtle === undefined)
    return (await import('@hushrec/privacy/sha256')).sha256Hex(input);
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', input as Uint8Array<ArrayBuffer>)));
}

export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return text;
}

/** Strict inverse of `toHex`: lower case, whole bytes, nothing else. */
export function fromHex(text: string): Uint8Array<ArrayBuffer> {
  if (!/^(?:[0-9a-f]{2})*$/.test(text)) throw new TypeError('expected bytes in lower-case hexadecimal.');
  return Uint8Array.from({ length: text.length / 2 }, (_, at) =>
    Number.parseInt(text.slice(2 * at, 2 * at + 2), 16),
  );
}
