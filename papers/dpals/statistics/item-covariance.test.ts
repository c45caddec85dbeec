import { adversarialPeople, frobeniusDistance, type Person, ratingsOf, without } from '@hushrec/testing';
import { describe, expect, it } from 'vitest';
import { addItemCovariance, CovarianceSizeError, covarianceShape } from './item-covariance.js';

const itemCount = 12;
const rowBound = 3;
const real = (people: readonly Person[], bound = rowBound) => {
  const { byUser } = ratingsOf(people, itemCount);
  const { length, gridStep, sensitivity } = covarianceShape(itemCount, bound);
  expect(sensitivity).toBe(bound ** 2);
  const into = new Float64Array(length);
  addItemCovariance(byUser, byUser.values, bound, into);
  return into.map((value) => value * gridStep);
};

describe('the covariance of items', () => {
  const people = adversarialPeople(itemCount, 4);

  it('moves by at most the squared row bound when anyone leaves, and by nearly that for someone', () => {
    const changes = people.map((_, user) =>
      frobeniusDistance(real(people), real(without(people, user)), itemCount),
    );
    expect(Math.max(...changes)).toBeLessThanOrEqual(rowBound ** 2);
    expect(Math.max(...changes)).toBeGreaterThan(0.95 * rowBound ** 2);
  });

  it('would be noticed without the scaling: the rows of some are far longer than the bound', () => {
    const loose = people.map((_, user) =>
      frobeniusDistance(real(people, 1e9), real(without(people, user), 1e9), itemCount),
    );
    expect(Math.max(...loose)).toBeGreaterThan(10 * rowBound ** 2);
  });

  it('counts a row of length 1 like any other, and one of zeros as nothing', () => {
    expect(real([{ name: 'a', items: [0], ratings: [1] }])[0]).toBeCloseTo(1, 3);
    expect(real([{ name: 'a', items: [0, 1], ratings: [0, 0] }]).every((value) => value === 0)).toBe(true);
  });

  it('is the sum of outer products', () => {
    const packed = real([
      { name: 'a', items: [0, 2], ratings: [1, 2] },
      { name: 'b', items: [2], ratings: [-1] },
    ]);
    const entry = (a: number, b: number) => packed[a * itemCount - (a * (a - 1)) / 2 + b - a];
    expect(entry(0, 0)).toBeCloseTo(1, 3);
    expect(entry(0, 2)).toBeCloseTo(2, 3);
    expect(entry(2, 2)).toBeCloseTo(5, 3);
    expect(entry(0, 1)).toBe(0);
  });

  it('refuses a catalogue whose matrix does not fit', () => {
    expect(() => covarianceShape(20_000, 1)).toThrow(CovarianceSizeError);
    expect(() => covarianceShape(20_000, 1)).toThrow(
      '20000 items takes 1.49 GiB; expected at most 11000 items (0.45 GiB)',
    );
  });
});
