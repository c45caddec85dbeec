import { hmacSha256, sha256 } from './sha256.js';

/** A secret of 32 bytes from the platform's cryptographic generator. */
export function randomKey(): Uint8Array {
  return globalThis.crypto.getRandomValues(new Uint8Array(32));
}

/** The root key of a simulation: anyone who knows the seed can recompute all noise, so it protects nobody. */
export function simulationKey(seed: number | string): Uint8Array {
  return sha256(JSON.stringify(['hushrec-simulation-1', typeof seed, String(seed)]));
}

/**
 * The key of one piece of noise: HMAC-SHA-256 of everything that identifies it. Equal identities re-create equal
 * noise (a resumed or retried step makes no second draw); any difference gives independent noise.
 */
export function noiseKey(root: Uint8Array, identity: readonly (string | number)[]): Uint8Array {
  return hmacSha256(root, JSON.stringify(['hushrec-noise-1', ...identity]));
}

/**
 * A 128-bit fingerprint of numbers, O(n) at about a nanosecond each. It enters the noise key, so that a step resumed
 * on other numbers (another machine's rounding, edited data) gets independent noise instead of the same noise
 * again, whose difference would reveal the change. It guards against accidents; it is not a cryptographic hash,
 * and never leaves the process.
 */
export function fingerprint(values: Float64Array): string {
  const words = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
  let a = 0x9e3779b9 | 0;
  let b = 0x7f4a7c15 | 0;
  let c = 0x85ebca6b | 0;
  let d = words.length | 0;
  for (let i = 0; i + 1 < words.length; i += 2) {
    const low = words[i]!;
    const high = words[i + 1]!;
    a = Math.imul(a ^ low, 0x01000193) + high;
    b = Math.imul(b + high, 0x5bd1e995) ^ (b >>> 15) ^ low;
    c = Math.imul((c << 13) | (c >>> 19), 5) + (a ^ high);
    d = Math.imul(d ^ (b >>> 11), 0x2c1b3c6d) + c;
  }
  return [a, b, c, d].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}
