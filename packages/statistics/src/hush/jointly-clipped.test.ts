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
import { ItemVectorSums } from '../kernel/item-vector-sums.js';
import { addClippedMoment, addClippedOuter } from './clipped-moment.js';
import { ClippedItemSums, clippedShape, clippedSteps } from './jointly-clipped.js';

const itemCount = 12;
const width = 2;
const bound = 0.8;
const vectorOf = (person: Person) => Float64Array.of(person.items.length - 3, person.name.length % 5);

/** What people add, in real units. */
function itemSums(people: readonly Person[], limit = bound): Float64Array {
  const { byUser } = ratingsOf(people, itemCount);
  const sums = new ClippedItemSums(itemCount, width, limit);
  people.forEach((person, user) => {
    const [begin, end] = [byUser.offsets[user], byUser.offsets[user + 1]];
    for (let at = begin; at < end; at++) sums.amounts[at - begin] = byUser.values[at] - 3;
    sums.add(byUser.indices.subarray(begin, end), vectorOf(person));
  });
  return inRealUnits(sums, itemCount * width, limit);
}

function inRealUnits(sums: ClippedItemSums, length: number, limit: number): Float64Array {
  const into = new Float64Array(length);
  sums.addTo(into);
  expect(into.every(Number.isInteger)).toBe(true);
  const { gridStep, sensitivity } = clippedShape('bound', length, limit);
  expect(sensitivity).toBe(limit);
  return into.map((value) => value * gridStep);
}

function moment(people: readonly Person[]): Float64Array {
  const into = new Float64Array(3);
  for (const person of people) {
    const [a, b] = vectorOf(person);
    const scale = person.ratings.reduce((sum, rating) => sum + rating, 0);
    addClippedMoment(into, Float64Array.of(scale * a! * a!, scale * a! * b!, scale * b! * b!), width, bound);
  }
  return into.map((value) => value * clippedShape('bound', 3, bound).gridStep);
}

/** One person's items and what is added to each, apart from the rest. */
function alone(items: readonly number[], amounts: readonly number[], vector: Float64Array, limit: number) {
  const sums = new ClippedItemSums(itemCount, vector.length, limit);
  sums.amounts.set(amounts);
  const factor = sums.add(Uint32Array.from(items), vector);
  return { factor, values: inRealUnits(sums, itemCount * vector.length, limit) };
}

describe('sums clipped per person', () => {
  it.each([0.25, 1, 4])('hold what someone says whose norm is %d, scaled to the bound', (norm) => {
    const { factor, values } = alone([3], [norm], Float64Array.of(1), 2);
    expect(factor).toBe(Math.min(1, 2 / norm));
    expect(values[3]).toBeCloseTo(Math.min(2, norm), 5);
  });

  const people = [...adversarialPeople(itemCount, 4)];

  it.each(people.map((person, index) => [person.name, index] as const))(
    'move by at most the declared sensitivity without the person with %s',
    (_, index) => {
      expect(l2Distance(itemSums(people), itemSums(without(people, index)))).toBeLessThanOrEqual(bound);
      expect(frobeniusDistance(moment(people), moment(without(people, index)), width)).toBeLessThanOrEqual(
        bound,
      );
    },
  );

  it('move by at most the declared sensitivity for any people', () => {
    fc.assert(
      fc.property(arbitraryPeople(itemCount), (some) => {
        fc.pre(some.length > 0);
        expect(l2Distance(itemSums(some), itemSums(without(some, 0)))).toBeLessThanOrEqual(bound);
      }),
      { numRuns: 100 },
    );
  });

  it('are tight: someone reaches 99 % of the bound', () => {
    const everything = people.findIndex(({ name }) => name === 'every item');
    expect(l2Distance(itemSums(people), itemSums(without(people, everything)))).toBeGreaterThan(0.99 * bound);
  });

  it('would be caught without the scaling', () => {
    // The planted fault: a bound so large that nobody is scaled, declared as the small one.
    const unscaled = (some: readonly Person[]) => itemSums(some, 1e12);
    const worst = Math.max(
      ...people.map((_, index) => l2Distance(unscaled(people), unscaled(without(people, index)))),
    );
    expect(worst).toBeGreaterThan(bound);
  });

  it('leave small contributions alone and keep directions', () => {
    const small = alone([1, 4], [2, 1], Float64Array.of(1), 10);
    expect(small.factor).toBe(1);
    expect(small.values[1]).toBeCloseTo(2, 4);
    expect(small.values[4]).toBeCloseTo(1, 4);
    const scaled = alone([1, 4], [2, 1], Float64Array.of(1), 0.5);
    expect(scaled.values[1] / scaled.values[4]).toBeCloseTo(2, 4);
  });

  it('count what is not finite as nothing, and scale what is huge', () => {
    for (const broken of [Number.NaN, Infinity, -Infinity, 1e300]) {
      const { factor, values } = alone([0, 3], [1, broken], Float64Array.of(1e20, -1, 2), bound);
      expect(factor).toBe(0);
      expect(values.every((value) => value === 0)).toBe(true);
    }
    const huge = alone([0, 3], [1, 1], Float64Array.of(1e20, -1, 2), bound);
    expect(l2Distance(huge.values, new Float64Array(huge.values.length))).toBeLessThanOrEqual(bound);
    expect(huge.values[0]).toBeGreaterThan(0.7 * bound);
  });

  it('clip numbers per person to their bound, broken ones to nothing', () => {
    const step = clippedShape('bound', 1, 2).gridStep;
    const total = (values: number[]) => values.reduce((sum, value) => sum + clippedSteps(value, 2), 0) * step;
    expect(total([1, 5, Number.NaN, -3, Infinity])).toBeCloseTo(1 + 2 + 0 + 0 + 2, 4);
    expect(total([1, 5]) - total([1])).toBeLessThanOrEqual(2);
  });
});

describe('the part of one person in a second moment', () => {
  const size = 5;
  const packed = (size * (size + 1)) / 2;
  const vector = Float64Array.from({ length: size }, (_, a) => Math.sin(3 * a + 1));
  const length = Math.hypot(...vector);
  const spread = vector.map((_, a) => 0.1 * (1 + a));

  /** The matrix, entry by entry, clipped as any other. */
  function plainly(weight: number, own?: Float64Array) {
    const matrix = new Float64Array(packed);
    for (let a = 0, at = 0; a < size; a++)
      for (let b = a; b < size; b++, at++)
        matrix[at] =
          own !== undefined && a === b
            ? weight * (vector[a] * vector[a] + own[a])
            : weight * vector[a] * vector[b];
    const into = new Float64Array(packed).fill(3);
    addClippedMoment(into, matrix, size, bound);
    return into;
  }

  // In units of what the bound allows: far below, at it from both sides, above.
  it.each([0, 1e-9, 0.3, 1 - 1e-9, 1, 1 + 1e-9, 2, 1e6, Number.NaN, Infinity])(
    'has the integers of its matrix, %d of the bound',
    (part) => {
      const full = Math.sqrt(
        vector.reduce((sum, own, a) => sum + spread[a] * (2 * own ** 2 + spread[a]), length ** 4),
      );
      for (const [own, norm] of [[undefined, length ** 2] as const, [spread, full] as const]) {
        const weight = (part * bound) / norm;
        const into = new Float64Array(packed).fill(3);
        addClippedOuter(into, vector, weight, bound, new Float64Array(packed), own);
        expect(into).toEqual(plainly(weight, own));
      }
    },
  );
});

describe('the kernel of sums over items', () => {
  it.each([1, 2, 3, 8, 17])('adds the same integers as plain TypeScript, width %i', (size) => {
    const [kernel, plain] = [new ItemVectorSums(itemCount, size), new ItemVectorSums(itemCount, size, false)];
    for (let person = 0; person < 40; person++) {
      for (const sums of [kernel, plain]) {
        for (let k = 0; k < 5; k++) {
          sums.items[k] = (person + 2 * k) % itemCount;
          sums.amounts[k] = Math.sin(person * 7 + k) * 3 ** (k - 2);
        }
        for (let c = 0; c < size; c++) sums.vector[c] = Math.cos(person + c * 3);
        sums.add(5, 2 ** 20 * (1 - 2 ** -40));
      }
    }
    const [a, b] = [new Float64Array(itemCount * size).fill(5), new Float64Array(itemCount * size).fill(5)];
    kernel.addTo(a);
    plain.addTo(b);
    expect(a).toEqual(b);
    expect(a.some((value) => Math.abs(value) > 1000)).toBe(true);
  });
});
