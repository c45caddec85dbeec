import { SeededRandom } from '@hushrec/ratings';
import { describe, expect, it } from 'vitest';
import type { FlippedBits } from './flipped-bits.js';
import { neighboursFromFlips } from './flipped-neighbours.js';
import { onesInBoth } from './ones-in-both.js';

const random = new SeededRandom(4);
const flipProbability = 0.2;

/** Random reports, kept also as plain 0/1 rows for a slow count. */
function reports(items: number, people: number): { bits: FlippedBits; rows: number[][] } {
  const wordsPerItem = Math.ceil(people / 32);
  const words = new Int32Array(items * wordsPerItem);
  const rows = Array.from({ length: items }, (_, item) =>
    Array.from({ length: people }, (_, person) => {
      const bit = Number(random.uniform() < 0.1 + 0.6 * ((item % 7) / 7));
      if (bit === 1) words[item * wordsPerItem + (person >>> 5)] |= 1 << (person & 31);
      return bit;
    }),
  );
  return { bits: { people, items, wordsPerItem, words, flipProbability }, rows };
}

const together = (one: readonly number[], other: readonly number[]) =>
  one.reduce((sum, bit, at) => sum + bit * other[at], 0);

describe('counting reported bits', () => {
  it.each([1, 31, 32, 33, 255, 256, 257, 1000])('%i people: equals the slow count', (people) => {
    const { bits, rows } = reports(5, people);
    for (let j = 0; j < 5; j++)
      for (let l = 0; l < 5; l++)
        expect(onesInBoth(bits.words, j * bits.wordsPerItem, l * bits.wordsPerItem, bits.wordsPerItem)).toBe(
          together(rows[j], rows[l]),
        );
  });

  it('counts words of all ones', () => {
    expect(onesInBoth(new Int32Array(67).fill(-1), 0, 0, 67)).toBe(67 * 32);
  });
});

describe('neighbours from flipped bits', () => {
  const items = 80;
  const people = 300;
  const { bits, rows } = reports(items, people);
  const counts = rows.map((row) => together(row, row));
  const keep = 1 - 2 * flipProbability;
  const estimate = (ones: number) => (ones - people * flipProbability) / keep;
  // Coarse, so that there are ties.
  const similarity = (one: number, other: number, both: number) =>
    Math.round((10 * both) / Math.sqrt(Math.max(one, 1) * Math.max(other, 1)));

  it.each([items, 45, 10])('%i listed items: equals sorting all pairs', async (listed) => {
    const k = 6;
    const { neighbours, similarities, popularity } = await neighboursFromFlips(
      bits,
      { k, listed },
      similarity,
    );
    const chosen = new Set(
      counts
        .map((count, item) => ({ count, item }))
        .sort((a, b) => b.count - a.count || a.item - b.item)
        .slice(0, listed)
        .map(({ item }) => item),
    );
    for (let j = 0; j < items; j++) {
      expect(popularity[j]).toBeCloseTo(Math.max(0, estimate(counts[j])), 3);
      const best = rows
        .map((row, l) => {
          const both =
            (together(rows[j], row) -
              flipProbability * (counts[j] + counts[l]) +
              people * flipProbability ** 2) /
            keep ** 2;
          return { l, value: similarity(estimate(counts[j]), estimate(counts[l]), both) };
        })
        .filter(({ l, value }) => l !== j && value > 0 && chosen.has(l) && chosen.has(j))
        .sort((a, b) => b.value - a.value || a.l - b.l)
        .slice(0, k);
      const padded = [...best.map(({ l }) => l), ...new Array<number>(k - best.length).fill(-1)];
      expect([...neighbours.subarray(j * k, (j + 1) * k)]).toEqual(padded);
      best.forEach(({ value }, rank) => {
        expect(similarities[j * k + rank]).toBe(value);
      });
    }
  });
});
