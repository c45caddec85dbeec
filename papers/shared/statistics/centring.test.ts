import { adversarialPeople, l2Distance, type Person, ratingsOf, without } from '@hushrec/testing';
import { describe, expect, it } from 'vitest';
import { revealToMechanism } from '../../../packages/privacy/src/recorder/sensitive.js';
import type { GridSums } from '../../../packages/statistics/src/grid-sums.js';
import { sumsOf } from '../../../packages/statistics/src/people/sums-of.test.data.js';
import { centredTargets, ownMeans } from './centring.js';
import { ownMeanSum } from './offset-and-counts.js';

const people = [
  { name: 'a', items: [0, 1], ratings: [5, 3] },
  { name: 'b', items: [1], ratings: [1] },
];
const { byUser } = ratingsOf(people, 2);

describe('centring', () => {
  it('subtracts the constant, the item’s number and the person’s own', () => {
    const targets = centredTargets(byUser, 'users', {
      offset: 3,
      itemOffsets: [0.5, -0.5],
      userOffsets: [1, 0],
    });
    expect([...targets]).toEqual([0.5, -0.5, -1.5]);
  });

  it('gives the same with items by rows', () => {
    const byItem = {
      rowCount: 2,
      columnCount: 2,
      offsets: Uint32Array.of(0, 1, 3),
      indices: Uint32Array.of(0, 0, 1),
      values: Float32Array.of(5, 3, 1),
    };
    const targets = centredTargets(byItem, 'items', {
      offset: 3,
      itemOffsets: [0.5, -0.5],
      userOffsets: [1, 0],
    });
    expect([...targets]).toEqual([0.5, -0.5, -1.5]);
  });

  it('shrinks own means and reads no one else', () => {
    const means = ownMeans(byUser, { offset: 3 }, 2);
    expect(means[0]).toBeCloseTo(2 / 4);
    expect(means[1]).toBeCloseTo(-2 / 3);
    expect(ownMeans(ratingsOf([people[1]], 2).byUser, { offset: 3 }, 2)[0]).toBe(means[1]);
  });
});

describe('the sum of own means', () => {
  const real = ({ statistic, gridStep }: GridSums) =>
    revealToMechanism(statistic).map((value) => value * gridStep);
  const sum = (some: readonly Person[]) =>
    sumsOf(ownMeanSum, { middle: 3, halfRange: 2 }, ratingsOf(some, 40).byUser).sum;

  it('moves by at most half the range when anyone leaves, and by nearly that for someone', () => {
    const all = adversarialPeople(40, 5);
    const changes = all.map((_, user) => l2Distance(real(sum(all)), real(sum(without(all, user)))));
    expect(Math.max(...changes)).toBeLessThanOrEqual(2);
    expect(Math.max(...changes)).toBeGreaterThan(1.9);
  });

  it('is the sum of means for sane people', () => {
    expect(real(sum(people))[0]).toBeCloseTo(1 - 2, 4);
  });
});
