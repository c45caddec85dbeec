import {
  adversarialPeople,
  arbitraryPeople,
  frobeniusDistance,
  l2Distance,
  type Person,
  ratingsOf,
  without,
} from '@hushrec/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { revealToMechanism } from '../../privacy/src/recorder/sensitive.js';
import type { GridSums } from './grid-sums.js';
import { clippedTotal, JointlyClippedItemSums, JointlyClippedMoment } from './jointly-clipped-sums.js';

const itemCount = 12;
const width = 2;
const bound = 0.8;
const valuesOf = ({ statistic, gridStep }: GridSums) =>
  revealToMechanism(statistic).map((value) => value * gridStep);
const vectorOf = (person: Person) => Float64Array.of(person.items.length - 3, person.name.length % 5);

function itemSums(people: readonly Person[], vector = vectorOf): GridSums {
  const { byUser } = ratingsOf(people, itemCount);
  const sums = new JointlyClippedItemSums(itemCount, width, bound);
  const amounts = Float64Array.from(byUser.values, (value) => value - 3);
  people.forEach((person, user) => {
    sums.add(byUser, user, amounts, vector(person));
  });
  return sums.finish();
}

function moment(people: readonly Person[]): GridSums {
  const sums = new JointlyClippedMoment(width, bound);
  for (const person of people) {
    const [a, b] = vectorOf(person);
    const scale = person.ratings.reduce((sum, rating) => sum + rating, 0);
    sums.add(Float64Array.of(scale * a! * a!, scale * a! * b!, scale * b! * b!));
  }
  return sums.finish();
}

describe('sums clipped per person', () => {
  const people = [...adversarialPeople(itemCount, 4)];

  it.each(people.map((person, index) => [person.name, index] as const))(
    'move by at most the declared sensitivity without the person with %s',
    (_, index) => {
      const before = itemSums(people);
      expect(l2Distance(valuesOf(before), valuesOf(itemSums(without(people, index))))).toBeLessThanOrEqual(
        before.statistic.sensitivity,
      );
      const momentBefore = moment(people);
      expect(
        frobeniusDistance(valuesOf(momentBefore), valuesOf(moment(without(people, index))), width),
      ).toBeLessThanOrEqual(momentBefore.statistic.sensitivity);
    },
  );

  it('move by at most the declared sensitivity for any people', () => {
    fc.assert(
      fc.property(arbitraryPeople(itemCount), (some) => {
        fc.pre(some.length > 0);
        const before = itemSums(some);
        expect(l2Distance(valuesOf(before), valuesOf(itemSums(without(some, 0))))).toBeLessThanOrEqual(bound);
      }),
      { numRuns: 100 },
    );
  });

  it('are tight: someone reaches 99 % of the bound, and lies on the grid', () => {
    const everything = people.findIndex(({ name }) => name === 'every item');
    const before = itemSums(people);
    expect(l2Distance(valuesOf(before), valuesOf(itemSums(without(people, everything))))).toBeGreaterThan(
      0.99 * bound,
    );
    expect(revealToMechanism(before.statistic).every(Number.isInteger)).toBe(true);
  });

  it('would be caught without the scaling', () => {
    // The planted fault: a bound so large that nobody is scaled, declared as the small one.
    const { byUser } = ratingsOf(people, itemCount);
    const unscaled = (some: readonly Person[]) => {
      const matrix = some === people ? byUser : ratingsOf(some, itemCount).byUser;
      const sums = new JointlyClippedItemSums(itemCount, width, 1e12);
      const amounts = Float64Array.from(matrix.values, (value) => value - 3);
      some.forEach((person, user) => {
        sums.add(matrix, user, amounts, vectorOf(person));
      });
      return valuesOf(sums.finish());
    };
    const worst = Math.max(
      ...people.map((_, index) => l2Distance(unscaled(people), unscaled(without(people, index)))),
    );
    expect(worst).toBeGreaterThan(bound);
  });

  it('leave small contributions alone and keep directions', () => {
    const { byUser } = ratingsOf([{ name: 'a', items: [1, 4], ratings: [5, 4] }], itemCount);
    const sums = new JointlyClippedItemSums(itemCount, 1, 10);
    expect(sums.add(byUser, 0, Float64Array.of(2, 1), Float64Array.of(1))).toBe(1);
    const small = valuesOf(sums.finish());
    expect(small[1]).toBeCloseTo(2, 4);
    expect(small[4]).toBeCloseTo(1, 4);
    const scaled = new JointlyClippedItemSums(itemCount, 1, 0.5);
    scaled.add(byUser, 0, Float64Array.of(2, 1), Float64Array.of(1));
    const values = valuesOf(scaled.finish());
    expect(values[1]! / values[4]!).toBeCloseTo(2, 4);
  });

  it('clip numbers per person to their bound, broken ones to nothing', () => {
    const total = (values: number[]) => valuesOf(clippedTotal(Float64Array.from(values), 2))[0]!;
    expect(total([1, 5, Number.NaN, -3, Infinity])).toBeCloseTo(1 + 2 + 0 + 0 + 2, 4);
    expect(total([1, 5]) - total([1])).toBeLessThanOrEqual(2);
  });
});
