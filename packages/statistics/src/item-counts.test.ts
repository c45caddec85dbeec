import {
  adversarialPeople,
  arbitraryPeople,
  l2Distance,
  type Person,
  ratingsOf,
  without,
} from '@hushrec/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { revealToMechanism } from '../../privacy/src/released.js';
import { DuplicateRatingError } from './contributions.js';
import type { GridSums } from './grid-sums.js';
import { populationCount, sampledItemCounts, weightedItemCounts } from './item-counts.js';

const itemCount = 40;
const real = ({ statistic, gridStep }: GridSums) =>
  revealToMechanism(statistic).map((value) => value * gridStep);

/** The largest change that leaving out one person makes, over the declared sensitivity. */
function worstChange(people: readonly Person[], count: (people: readonly Person[]) => GridSums): number {
  const all = count(people);
  return Math.max(
    ...people.map(
      (_, user) => l2Distance(real(all), real(count(without(people, user)))) / all.statistic.sensitivity,
    ),
  );
}

describe('weightedItemCounts', () => {
  const count = (people: readonly Person[]) => weightedItemCounts(ratingsOf(people, itemCount).byUser);

  it('moves by at most 1 when anyone leaves, and by nearly 1 for someone', () => {
    fc.assert(fc.property(arbitraryPeople(itemCount), (people) => worstChange(people, count) <= 1));
    const worst = worstChange(adversarialPeople(itemCount, 5), count);
    expect(worst).toBeLessThanOrEqual(1);
    expect(worst).toBeGreaterThan(0.95);
  });

  it('would be noticed without the division by √n: the same test sees √40', () => {
    const plain = (people: readonly Person[]): GridSums => ({
      ...sampledItemCounts(ratingsOf(people, itemCount).byUser, itemCount, () => 0),
    });
    const all = plain(adversarialPeople(itemCount, 5));
    const fewer = plain(without(adversarialPeople(itemCount, 5), 3));
    expect(l2Distance(real(all), real(fewer))).toBeCloseTo(Math.sqrt(itemCount), 6);
  });

  it('is whole numbers of its grid step', () => {
    const { statistic } = count(adversarialPeople(itemCount, 5));
    expect(revealToMechanism(statistic).every(Number.isInteger)).toBe(true);
  });

  it('refuses a person who rated an item twice', () => {
    expect(() => count([{ name: 'twice', items: [1, 1], ratings: [5, 5] }])).toThrow(DuplicateRatingError);
  });
});

describe('sampledItemCounts', () => {
  it('moves by at most √k when the last person leaves, others’ draws being the same', () => {
    const k = 5;
    for (const extra of adversarialPeople(itemCount, k)) {
      const people = [...adversarialPeople(itemCount, k), extra];
      const draws = (seed: number) => {
        let state = seed;
        return () => {
          state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
          return state / 2 ** 32;
        };
      };
      const all = sampledItemCounts(ratingsOf(people, itemCount).byUser, k, draws(7));
      const fewer = sampledItemCounts(ratingsOf(people.slice(0, -1), itemCount).byUser, k, draws(7));
      const change = l2Distance(real(all), real(fewer));
      expect(change).toBeLessThanOrEqual(all.statistic.sensitivity);
      if (extra.items.length >= k) expect(change).toBeCloseTo(Math.sqrt(k), 6);
    }
  });
});

describe('populationCount', () => {
  it('counts people and moves by 1', () => {
    const people = adversarialPeople(itemCount, 5);
    const count = (some: readonly Person[]) => populationCount(ratingsOf(some, itemCount).byUser);
    expect(real(count(people))[0]).toBe(people.length);
    expect(worstChange(people, count)).toBe(1);
  });
});
