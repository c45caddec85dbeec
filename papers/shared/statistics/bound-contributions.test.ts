import { lineCoinsOf, ratingsOf } from '@hushrec/testing';
import { describe, expect, it } from 'vitest';
import { DuplicateRatingError } from '../../../packages/statistics/src/contributions.js';
import { boundContributions, keepItems } from './bound-contributions.js';

const people = [
  { name: 'heavy', items: [0, 1, 2, 3, 4, 5], ratings: [1, 2, 3, 4, 5, 1] },
  { name: 'light', items: [1, 5], ratings: [4, 3] },
  { name: 'none', items: [], ratings: [] },
];
const { byUser } = ratingsOf(people, 6);
const rowOf = (csr: typeof byUser, row: number) => [
  ...csr.indices.subarray(csr.offsets[row], csr.offsets[row + 1]),
];

describe('boundContributions', () => {
  it('keeps at most k of every person, ascending, with their ratings', () => {
    const coins = lineCoinsOf(people, 1, 'contributions', 0);
    const { byUser: kept, budget } = boundContributions(byUser, 3, { kind: 'uniform', coins });
    expect(budget).toBe(3);
    const heavy = rowOf(kept, 0);
    expect(heavy).toHaveLength(3);
    expect(heavy).toEqual([...heavy].sort((a, b) => a - b));
    heavy.forEach((item, at) => {
      expect(kept.values[at]).toBe(people[0].ratings[item]);
    });
    expect(rowOf(kept, 1)).toEqual([1, 5]);
    expect(rowOf(kept, 2)).toEqual([]);
  });

  it('draws every subset alike', () => {
    // 20 subsets of size 3, 20,000 draws: χ²₁₉ > 80 has probability below 2e-9 for a uniform draw; a draw
    // that always keeps item 0 gives χ² above 10,000.
    const seen = new Map<string, number>();
    for (let run = 0; run < 20_000; run++) {
      const coins = lineCoinsOf(people, 12345, 'contributions', run);
      const key = rowOf(boundContributions(byUser, 3, { kind: 'uniform', coins }).byUser, 0).join();
      seen.set(key, (seen.get(key) ?? 0) + 1);
    }
    expect(seen.size).toBe(20);
    const chiSquare = [...seen.values()].reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
    expect(chiSquare).toBeLessThan(80);
  });

  it('prefers the rarest items by released counts, ties by number', () => {
    const releasedCounts = [9, 5, 7, 5, 100, -3];
    const { byUser: kept } = boundContributions(byUser, 3, { kind: 'tail', releasedCounts });
    expect(rowOf(kept, 0)).toEqual([1, 3, 5]);
  });

  it('filters items before it bounds, so that the bound is about what is used', () => {
    const allowed = Uint8Array.of(1, 0, 1, 1, 1, 0);
    const { byUser: kept } = boundContributions(
      byUser,
      4,
      { kind: 'tail', releasedCounts: [1, 1, 1, 1, 1, 1] },
      allowed,
    );
    expect(rowOf(kept, 0)).toEqual([0, 2, 3, 4]);
    expect(rowOf(kept, 1)).toEqual([]);
    expect(rowOf(keepItems(byUser, allowed), 1)).toEqual([]);
  });

  it('refuses a pair that occurs twice, and a limit that is no count', () => {
    const twice = ratingsOf([{ name: 'twice', items: [2, 2], ratings: [5, 5] }], 6).byUser;
    const choice = { kind: 'uniform', coins: lineCoinsOf(people, 1, 'contributions', 0) } as const;
    expect(() => boundContributions(twice, 3, choice)).toThrow(DuplicateRatingError);
    expect(() => boundContributions(byUser, 0, choice)).toThrow(/whole number > 0/);
  });
});
