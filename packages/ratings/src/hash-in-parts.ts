import type { Hash } from 'node:crypto';

/** Bytes given to a hash at once. Node takes fewer than 2³¹. */
const part = 2 ** 28;

/** `hash.update` for arrays of any length. */
export function updateInParts(hash: Hash, array: ArrayBufferView, partBytes = part): void {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  for (let at = 0; at < bytes.length; at += partBytes) hash.update(bytes.subarray(at, at + partBytes));
}
