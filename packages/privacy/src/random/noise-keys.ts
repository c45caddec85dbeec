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
  return hmacSha256(root, JSON.stringify(['hushrec-noise-2', ...identity]));
}
