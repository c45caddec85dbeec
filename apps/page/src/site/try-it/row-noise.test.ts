import type { PublishedModel } from '@hushrec/model';
import type { Usefulness } from '@hushrec/model/usefulness';
import { describe, expect, it } from 'vitest';
import { noiseDecides } from './row-noise.js';

const useful: Usefulness = {
  items: 100,
  itemsAboveNoise: 90,
  counts: { head: 0.02, tail: 0.3 },
  vectors: { head: 0.2, tail: 2 },
  verdict: 'worth-it',
  needed: 1,
};
/** A hundred titles with counts of 10, 20, … and noise of 10 on each. */
const published = (usefulness: Usefulness | undefined) =>
  ({
    model: { kind: 'factors', popularity: Float32Array.from({ length: 100 }, (_, k) => 10 * (k + 1)) },
    certificate: {
      ...(usefulness && { usefulness }),
      releases: [{ name: 'item-counts', mechanism: 'gaussian', noise: 10 }],
    },
  }) as unknown as PublishedModel;
const marked = (usefulness: Usefulness | undefined) => {
  const decides = noiseDecides(published(usefulness));
  return Array.from({ length: 100 }, (_, item) => decides(item));
};

describe('rows that noise decides', () => {
  it('are titles of few people, and none of many', () => {
    const noisy = marked(useful);
    expect(noisy[0]).toBe(true);
    expect(noisy[99]).toBe(false);
    // Once a count is enough, a larger one is too.
    const from = noisy.indexOf(false);
    expect(from).toBeGreaterThan(20);
    expect(noisy.slice(from).every((isNoise) => !isNoise)).toBe(true);
  });

  it('are those whose count may be nothing, where vectors are clear', () => {
    expect(marked({ ...useful, vectors: { head: 0.1, tail: 0.2 } }).indexOf(false)).toBe(1);
  });

  it('are all rows of a model that is too noisy, and none where nothing is said', () => {
    expect(marked({ ...useful, verdict: 'too-noisy' }).every(Boolean)).toBe(true);
    expect(marked(undefined).some(Boolean)).toBe(false);
  });
});
