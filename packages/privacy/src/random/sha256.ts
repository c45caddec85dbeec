/**
 * Fractional parts of the cube roots of the first 64 primes (FIPS 180-4 §4.2.2), computed rather than listed.
 */
const ROUND_CONSTANTS = primeRootWords(64, 3n);
/** Fractional parts of the square roots of the first 8 primes (FIPS 180-4 §5.3.3). */
const INITIAL_STATE = primeRootWords(8, 2n);

/** First 32 fractional bits of the `degree`-th roots of the first primes, exactly, in integers. */
function primeRootWords(count: number, degree: bigint): Int32Array {
  const words = new Int32Array(count);
  const primes: bigint[] = [];
  for (let candidate = 2n; primes.length < count; candidate++) {
    if (primes.some((prime) => candidate % prime === 0n)) continue;
    const scaled = candidate << (32n * degree);
    let low = 0n;
    let high = 1n << 48n;
    while (high - low > 1n) {
      const middle = (low + high) >> 1n;
      if (middle ** degree <= scaled) low = middle;
      else high = middle;
    }
    words[primes.length] = Number(BigInt.asIntN(32, low));
    primes.push(candidate);
  }
  return words;
}

/**
 * SHA-256 (FIPS 180-4), synchronous, so that keys can be derived inside a release without awaiting the
 * platform's asynchronous digest. Checked against the NIST vectors.
 */
export class Sha256 {
  readonly #state = Int32Array.from(INITIAL_STATE);
  readonly #block = new Uint8Array(64);
  readonly #schedule = new Int32Array(64);
  #filled = 0;
  #bytes = 0;

  update(data: Uint8Array): this {
    this.#bytes += data.length;
    let position = 0;
    while (position < data.length) {
      const take = Math.min(64 - this.#filled, data.length - position);
      this.#block.set(data.subarray(position, position + take), this.#filled);
      this.#filled += take;
      position += take;
      if (this.#filled === 64) {
        this.#compress();
        this.#filled = 0;
      }
    }
    return this;
  }

  /** The digest of everything given so far. The object cannot be used afterwards. */
  digest(): Uint8Array {
    const bits = BigInt(this.#bytes) * 8n;
    const padding = new Uint8Array(((this.#filled < 56 ? 56 : 120) - this.#filled) | 0);
    padding[0] = 0x80;
    const length = new Uint8Array(8);
    new DataView(length.buffer).setBigUint64(0, bits);
    this.update(padding).update(length);
    const out = new Uint8Array(32);
    const view = new DataView(out.buffer);
    for (let i = 0; i < 8; i++) view.setInt32(4 * i, this.#state[i]);
    return out;
  }

  #compress(): void {
    const w = this.#schedule;
    const block = this.#block;
    for (let t = 0; t < 16; t++) {
      const at = 4 * t;
      w[t] = (block[at] << 24) | (block[at + 1] << 16) | (block[at + 2] << 8) | block[at + 3];
    }
    for (let t = 16; t < 64; t++) {
      const x = w[t - 15];
      const y = w[t - 2];
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      w[t] = (w[t - 16] + s0 + w[t - 7] + s1) | 0;
    }
    const state = this.#state;
    let a = state[0];
    let b = state[1];
    let c = state[2];
    let d = state[3];
    let e = state[4];
    let f = state[5];
    let g = state[6];
    let h = state[7];
    for (let t = 0; t < 64; t++) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const choice = (e & f) ^ (~e & g);
      const t1 = (h + s1 + choice + ROUND_CONSTANTS[t] + w[t]) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const majority = (a & b) ^ (a & c) ^ (b & c);
      h = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + s0 + majority) | 0;
    }
    state[0] = (state[0] + a) | 0;
    state[1] = (state[1] + b) | 0;
    state[2] = (state[2] + c) | 0;
    state[3] = (state[3] + d) | 0;
    state[4] = (state[4] + e) | 0;
    state[5] = (state[5] + f) | 0;
    state[6] = (state[6] + g) | 0;
    state[7] = (state[7] + h) | 0;
  }
}

/** SHA-256 of bytes, or of the UTF-8 form of a string. */
export function sha256(data: Uint8Array | string): Uint8Array {
  return new Sha256().update(typeof data === 'string' ? new TextEncoder().encode(data) : data).digest();
}

/** SHA-256 as 64 lower-case hexadecimal digits. */
export function sha256Hex(data: Uint8Array | string): string {
  return Array.from(sha256(data), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** HMAC-SHA-256 (RFC 2104) for keys of at most 64 bytes: a pseudo-random function of the message. */
export function hmacSha256(key: Uint8Array, message: Uint8Array | string): Uint8Array {
  if (key.length > 64) throw new RangeError(`HMAC key has ${key.length} bytes; expected at most 64.`);
  const inner = new Uint8Array(64).fill(0x36);
  const outer = new Uint8Array(64).fill(0x5c);
  for (let i = 0; i < key.length; i++) {
    inner[i] ^= key[i];
    outer[i] ^= key[i];
  }
  const bytes = typeof message === 'string' ? new TextEncoder().encode(message) : message;
  const innerDigest = new Sha256().update(inner).update(bytes).digest();
  return new Sha256().update(outer).update(innerDigest).digest();
}
