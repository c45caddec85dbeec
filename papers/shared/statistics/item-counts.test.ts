import {
  adversarialPeople,
  arbitraryPeople,
  coinsOf,
  l2Distance,
  type Person,
  ratingsOf,
  without,
} from '@hushrec/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { revealToMechanism } from '../../../packages/privacy/src/recorder/sensitive.js';
import type { GridSums } from '../../../packages/statistics/src/grid-sums.js';
import { peopleCount, weightedCounts } from '../../../packages/statistics/src/hush/population.js';
import { sumsOf } from '../../../packages/statistics/src/people/sums-of.test.data.js';
import { sampledCounts } from './offset-and-counts.js';

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

describe('weighted counts', () => {
  const count = (people: readonly Person[]) =>
    sumsOf(weightedCounts, null, ratingsOf(people, itemCount).byUser).counts;

  it('moves by at most 1 when anyone leaves, and by nearly 1 for someone', () => {
    fc.assert(fc.property(arbitraryPeople(itemCount), (people) => worstChange(people, count) <= 1));
    const worst = worstChange(adversarialPeople(itemCount, 5), count);
    expect(worst).toBeLessThanOrEqual(1);
    expect(worst).toBeGreaterThan(0.95);
  });

  it('would be noticed without the division by √n: the same test sees √40', () => {
    const plain = (people: readonly Person[]) =>
      sumsOf(
        sampledCounts,
        { limit: itemCount, coins: coinsOf(people, 1).line('item-counts', 0) },
        ratingsOf(people, itemCount).byUser,
        people.map(({ name }) => name),
      ).counts;
    const all = plain(adversarialPeople(itemCount, 5));
    const fewer = plain(without(adversarialPeople(itemCount, 5), 3));
    expect(l2Distance(real(all), real(fewer))).toBeCloseTo(Math.sqrt(itemCount), 6);
  });

  it('is whole numbers of its grid step', () => {
    const { statistic } = count(adversarialPeople(itemCount, 5));
    expect(revealToMechanism(statistic).every(Number.isInteger)).toBe(true);
  });
});

describe('sampled counts', () => {
  const sampled = (people: readonly Person[], k: number) =>
    sumsOf(
      sampledCounts,
      { limit: k, coins: coinsOf(people, 7).line('item-counts', 0) },
      ratingsOf(people, itemCount).byUser,
      people.map(({ name }) => name),
    ).counts;

  it('moves by at most √k whoever leaves: nobody’s sample depends on others being there', () => {
    const people = adversarialPeople(itemCount, 5);
    expect(worstChange(people, (some) => sampled(some, 5))).toBeLessThanOrEqual(1);
  });

  it('moves by √k when someone with k ratings or more leaves', () => {
    const k = 5;
    for (const extra of adversarialPeople(itemCount, k)) {
      const people = [...adversarialPeople(itemCount, k), extra];
      const all = sampled(people, k);
      const fewer = sampled(people.slice(0, -1), k);
      const change = l2Distance(real(all), real(fewer));
      expect(change).toBeLessThanOrEqual(all.statistic.sensitivity);
      if (extra.items.length >= k) expect(change).toBeCloseTo(Math.sqrt(k), 6);
    }
  });
});

describe('the number of people', () => {
  it('counts people and moves by 1', () => {
    const people = adversarialPeople(itemCount, 5);
    const count = (some: readonly Person[]) =>
      sumsOf(peopleCount, null, ratingsOf(some, itemCount).byUser).count;
    expect(real(count(people))[0]).toBe(people.length);
    expect(worstChange(people, count)).toBe(1);
  });
});
