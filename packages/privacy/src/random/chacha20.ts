/** "expand 32-byte k", little-endian (RFC 8439 §2.3). */
const CONSTANTS = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574] as const;

/** Reads a 32-byte key as eight little-endian words. */
export function keyWords(key: Uint8Array): Int32Array {
  if (key.length !== 32) throw new RangeError(`A ChaCha20 key has 32 bytes; got ${key.length}.`);
  const view = new DataView(key.buffer, key.byteOffset, 32);
  return Int32Array.from({ length: 8 }, (_, i) => view.getInt32(4 * i, true));
}

/**
 * ChaCha20 key stream (RFC 8439 §2.3) as 32-bit words: fills `out` (a multiple of 16 words) with the blocks
 * `counter`, `counter` + 1, … of the stream (key, nonce). The words are those of the standard's byte stream
 * read little-endian. The whole state lives in local variables; nothing is allocated.
 */
export function chacha20Words(
  key: Int32Array,
  nonce: readonly [number, number, number],
  counter: number,
  out: Int32Array,
): void {
  if (out.length % 16 !== 0 || !(counter >= 0 && counter + out.length / 16 <= 2 ** 32))
    throw new RangeError('ChaCha20 fills whole blocks of 16 words with a 32-bit block counter.');
  const k0 = key[0];
  const k1 = key[1];
  const k2 = key[2];
  const k3 = key[3];
  const k4 = key[4];
  const k5 = key[5];
  const k6 = key[6];
  const k7 = key[7];
  const n0 = nonce[0] | 0;
  const n1 = nonce[1] | 0;
  const n2 = nonce[2] | 0;
  for (let at = 0, block = counter; at < out.length; at += 16, block++) {
    const c = block | 0;
    let x0: number = CONSTANTS[0];
    let x1: number = CONSTANTS[1];
    let x2: number = CONSTANTS[2];
    let x3: number = CONSTANTS[3];
    let x4 = k0;
    let x5 = k1;
    let x6 = k2;
    let x7 = k3;
    let x8 = k4;
    let x9 = k5;
    let x10 = k6;
    let x11 = k7;
    let x12 = c;
    let x13 = n0;
    let x14 = n1;
    let x15 = n2;
    for (let round = 0; round < 10; round++) {
      x0 = (x0 + x4) | 0;
      x12 ^= x0;
      x12 = (x12 << 16) | (x12 >>> 16);
      x8 = (x8 + x12) | 0;
      x4 ^= x8;
      x4 = (x4 << 12) | (x4 >>> 20);
      x0 = (x0 + x4) | 0;
      x12 ^= x0;
      x12 = (x12 << 8) | (x12 >>> 24);
      x8 = (x8 + x12) | 0;
      x4 ^= x8;
      x4 = (x4 << 7) | (x4 >>> 25);
      x1 = (x1 + x5) | 0;
      x13 ^= x1;
      x13 = (x13 << 16) | (x13 >>> 16);
      x9 = (x9 + x13) | 0;
      x5 ^= x9;
      x5 = (x5 << 12) | (x5 >>> 20);
      x1 = (x1 + x5) | 0;
      x13 ^= x1;
      x13 = (x13 << 8) | (x13 >>> 24);
      x9 = (x9 + x13) | 0;
      x5 ^= x9;
      x5 = (x5 << 7) | (x5 >>> 25);
      x2 = (x2 + x6) | 0;
      x14 ^= x2;
      x14 = (x14 << 16) | (x14 >>> 16);
      x10 = (x10 + x14) | 0;
      x6 ^= x10;
      x6 = (x6 << 12) | (x6 >>> 20);
      x2 = (x2 + x6) | 0;
      x14 ^= x2;
      x14 = (x14 << 8) | (x14 >>> 24);
      x10 = (x10 + x14) | 0;
      x6 ^= x10;
      x6 = (x6 << 7) | (x6 >>> 25);
      x3 = (x3 + x7) | 0;
      x15 ^= x3;
      x15 = (x15 << 16) | (x15 >>> 16);
      x11 = (x11 + x15) | 0;
      x7 ^= x11;
      x7 = (x7 << 12) | (x7 >>> 20);
      x3 = (x3 + x7) | 0;
      x15 ^= x3;
      x15 = (x15 << 8) | (x15 >>> 24);
      x11 = (x11 + x15) | 0;
      x7 ^= x11;
      x7 = (x7 << 7) | (x7 >>> 25);
      x0 = (x0 + x5) | 0;
      x15 ^= x0;
      x15 = (x15 << 16) | (x15 >>> 16);
      x10 = (x10 + x15) | 0;
      x5 ^= x10;
      x5 = (x5 << 12) | (x5 >>> 20);
      x0 = (x0 + x5) | 0;
      x15 ^= x0;
      x15 = (x15 << 8) | (x15 >>> 24);
      x10 = (x10 + x15) | 0;
      x5 ^= x10;
      x5 = (x5 << 7) | (x5 >>> 25);
      x1 = (x1 + x6) | 0;
      x12 ^= x1;
      x12 = (x12 << 16) | (x12 >>> 16);
      x11 = (x11 + x12) | 0;
      x6 ^= x11;
      x6 = (x6 << 12) | (x6 >>> 20);
      x1 = (x1 + x6) | 0;
      x12 ^= x1;
      x12 = (x12 << 8) | (x12 >>> 24);
      x11 = (x11 + x12) | 0;
      x6 ^= x11;
      x6 = (x6 << 7) | (x6 >>> 25);
      x2 = (x2 + x7) | 0;
      x13 ^= x2;
      x13 = (x13 << 16) | (x13 >>> 16);
      x8 = (x8 + x13) | 0;
      x7 ^= x8;
      x7 = (x7 << 12) | (x7 >>> 20);
      x2 = (x2 + x7) | 0;
      x13 ^= x2;
      x13 = (x13 << 8) | (x13 >>> 24);
      x8 = (x8 + x13) | 0;
      x7 ^= x8;
      x7 = (x7 << 7) | (x7 >>> 25);
      x3 = (x3 + x4) | 0;
      x14 ^= x3;
      x14 = (x14 << 16) | (x14 >>> 16);
      x9 = (x9 + x14) | 0;
      x4 ^= x9;
      x4 = (x4 << 12) | (x4 >>> 20);
      x3 = (x3 + x4) | 0;
      x14 ^= x3;
      x14 = (x14 << 8) | (x14 >>> 24);
      x9 = (x9 + x14) | 0;
      x4 ^= x9;
      x4 = (x4 << 7) | (x4 >>> 25);
    }
    out[at] = x0 + CONSTANTS[0];
    out[at + 1] = x1 + CONSTANTS[1];
    out[at + 2] = x2 + CONSTANTS[2];
    out[at + 3] = x3 + CONSTANTS[3];
    out[at + 4] = x4 + k0;
    out[at + 5] = x5 + k1;
    out[at + 6] = x6 + k2;
    out[at + 7] = x7 + k3;
    out[at + 8] = x8 + k4;
    out[at + 9] = x9 + k5;
    out[at + 10] = x10 + k6;
    out[at + 11] = x11 + k7;
    out[at + 12] = x12 + c;
    out[at + 13] = x13 + n0;
    out[at + 14] = x14 + n1;
    out[at + 15] = x15 + n2;
  }
}
