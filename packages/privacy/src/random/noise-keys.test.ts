import { describe, expect, it } from 'vitest';
import { noiseKey, randomKey, simulationKey } from './noise-keys.js';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('keys of noise', () => {
  it('are secret unless a seed is given, and then depend on the seed and its type', () => {
    expect(hex(randomKey())).not.toBe(hex(randomKey()));
    expect(hex(simulationKey(0))).toBe(hex(simulationKey(0)));
    expect(new Set([0, 1, '0', ''].map((seed) => hex(simulationKey(seed)))).size).toBe(4);
  });

  it('differ in every component of the identity, and cannot be confused by joining', () => {
    const root = new Uint8Array(32);
    const identities = [
      ['job', 'data', 'plan', 'round', 0, 0],
      ['job2', 'data', 'plan', 'round', 0, 0],
      ['job', 'data2', 'plan', 'round', 0, 0],
      ['job', 'data', 'plan', 'round', 1, 0],
      ['job', 'data', 'plan', 'round', 0, 1],
      ['jobdata', '', 'plan', 'round', 0, 0],
    ] as const;
    expect(new Set(identities.map((identity) => hex(noiseKey(root, identity)))).size).toBe(identities.length);
    expect(hex(noiseKey(root, identities[0]))).toBe(hex(noiseKey(root, identities[0])));
  });
});
