import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { topK } from './top-k.js';

describe('topK', () => {
  it('equals sorting everything, with ties by smaller index and exclusions left out', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 5 })),
        fc.integer({ min: 0, max: 12 }),
        fc.array(fc.nat(20)),
        (scores, k, excluded) => {
          const exclude = new Set(excluded);
          const expected = scores
            .map((score, item) => ({ score, item }))
            .filter(({ item }) => !exclude.has(item))
            .sort((a, b) => b.score - a.score || a.item - b.item)
            .slice(0, k);
          const got = topK(scores.length, (item) => scores[item], k, exclude);
          expect(Array.from(got.items)).toEqual(expected.map(({ item }) => item));
          expect(Array.from(got.scores)).toEqual(expected.map(({ score }) => score));
        },
      ),
    );
  });
  it('never recommends an item whose score is not a number', () => {
    expect(Array.from(topK(3, (item) => [1, Number.NaN, 2][item], 3).items)).toEqual([2, 0]);
  });
});
