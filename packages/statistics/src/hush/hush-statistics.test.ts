import { createEngine, type Engine } from '@hushrec/numerics';
import {
  adversarialPeople,
  frobeniusDistance,
  l2Distance,
  type Person,
  ratingsOf,
  without,
} from '@hushrec/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { revealToMechanism } from '../../../privacy/src/recorder/sensitive.js';
import type { GridSums } from '../grid-sums.js';
import { LocalPeople } from '../people/local-people.js';
import { choices } from './choices.js';
import { itemEffects, residualVariance } from './item-effects.js';
import { itemWeights } from './item-weights.js';
import { levelVariance } from './level-variance.js';
import { itemPreference } from './person-weights.js';
import { meanRating, peopleCount, weightedCounts } from './population.js';
import { taste, tasteQuestion } from './taste.js';

const itemCount = 20;
const width = 3;
const integersOf = ({ statistic }: GridSums) => revealToMechanism(statistic);
const valuesOf = (sums: GridSums) => integersOf(sums).map((value) => value * sums.gridStep);
const items = {
  width,
  vectors: Float64Array.from({ length: itemCount * width }, (_, at) => Math.sin(at * 1.7)),
  effects: Float64Array.from({ length: itemCount }, (_, item) => Math.cos(item) / 2),
  weights: Float64Array.from({ length: itemCount }, (_, item) => 1 + item),
  offset: 3,
  constant: Float64Array.of(1, 0, -0.5),
};
const preference = itemPreference(items.weights, 0.5);
const prior = { residualVariance: 0.8, interceptRidge: 10 };
const bounds = { vectorBound: 0.8, momentBound: 4 };
const level = { offset: 3, effects: items.effects, shrinkage: 5 };

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.close());

const localPeople = (people: readonly Person[]) =>
  new LocalPeople(
    { itemCount, scale: { min: 1, max: 5, step: 1 }, byUser: ratingsOf(people, itemCount).byUser },
    engine,
  );

async function statistics(some: readonly Person[]) {
  const people = localPeople(some);
  return {
    ...(await people.sum(taste, tasteQuestion(items, preference, prior, bounds))),
    ...(await people.sum(itemEffects, { ...preference, ...level, bound: 0.9 })),
    ...(await people.sum(itemWeights, preference)),
    ...(await people.sum(residualVariance, { ...level, bound: 4 })),
    ...(await people.sum(levelVariance, { ...level, bound: 1 })),
    ...(await people.sum(peopleCount, null)),
    ...(await people.sum(meanRating, { middle: 3, bound: 2 })),
    ...(await people.sum(weightedCounts, null)),
  };
}

const people = [
  ...adversarialPeople(itemCount, 5),
  { name: 'ordinary', items: [1, 5, 9], ratings: [5, 3, 1] },
];

describe('what hush releases', () => {
  it.each(people.map(({ name }, index) => [name, index] as const))(
    'moves by at most its sensitivity without the person with %s, and nobody else moves',
    async (_, index) => {
      const before = await statistics(people);
      const after = await statistics(without(people, index));
      const alone = await statistics([people[index]]);
      for (const name of Object.keys(before) as (keyof typeof before)[]) {
        const [all, others, own] = [before, after, alone].map((sums) => integersOf(sums[name]));
        // Everyone else's part is the same integers: what is left over is that of the one person alone.
        expect(all, name).toEqual(others!.map((value, at) => value + own![at]));
        const [one, other] = [valuesOf(before[name]), valuesOf(after[name])];
        const move = name === 'moment' ? frobeniusDistance(one, other, width) : l2Distance(one, other);
        expect(move, name).toBeLessThanOrEqual(before[name].statistic.sensitivity);
      }
      expect(before.vectors.statistic.sensitivity).toBe(bounds.vectorBound);
      expect(before.moment.statistic.sensitivity).toBe(bounds.momentBound);
      expect(before.effects.statistic.sensitivity).toBe(0.9);
      expect(before.total.statistic.sensitivity).toBe(4);
      expect(before.sum.statistic.sensitivity).toBe(2);
      expect(before.squares.statistic.sensitivity).toBe(1);
      expect(before.scaling.statistic.sensitivity).toBe(1);
    },
  );

  it('comes close to its sensitivities', async () => {
    const before = await statistics(people);
    const moves = await Promise.all(
      people.map(async (_, index) => {
        const after = await statistics(without(people, index));
        const names = [
          'vectors',
          'effects',
          'scaling',
          'weights',
          'total',
          'counts',
          'sum',
          'squares',
        ] as const;
        return names.map(
          (name) =>
            l2Distance(valuesOf(before[name]), valuesOf(after[name])) / before[name].statistic.sensitivity,
        );
      }),
    );
    for (const at of moves[0].keys())
      expect(Math.max(...moves.map((move) => move[at]))).toBeGreaterThan(0.95);
  });
});

it('weighs a person’s moment as her vectors are scaled, so that items are solved for what was said', async () => {
  const momentAt = async (vectorBound: number) => {
    const question = tasteQuestion(items, preference, prior, { ...bounds, vectorBound });
    return valuesOf((await localPeople([people.at(-1)!]).sum(taste, question)).moment);
  };
  // Both bounds are far below what she says, so that a tenth of the bound is a tenth of her.
  const [whole, tenth] = [await momentAt(1e-2), await momentAt(1e-3)];
  expect(whole.some((value) => value > 0)).toBe(true);
  for (const [at, value] of whole.entries())
    expect(Math.abs(tenth[at] - value / 10)).toBeLessThan(0.01 * Math.max(...whole));
});

/** Ratings that no data set on 1 to 5 may have, but for her first, and someone who liked nothing. */
const hostile: readonly Person[] = [
  { name: 'ratings outside of the scale', items: [0, 3, 4, 7, 11], ratings: [5, 1e30, -1e30, 99, 0] },
  {
    name: 'ratings that are no numbers',
    items: [2, 6, 8],
    ratings: [4, Number.NaN, Number.POSITIVE_INFINITY],
  },
  { name: 'nothing liked', items: [1, 2, 3], ratings: [1, 1, 1] },
];
const grades = { min: 1, max: 5 };

describe('what hush counts of grades', () => {
  const everybody = [...people, ...hostile];
  const sums = async (some: readonly Person[]) => ({
    ...(await localPeople(some).sum(weightedCounts, { grades })),
    ...(await localPeople(some).sum(itemWeights, { ...preference, grades })),
  });

  it.each(everybody.map(({ name }, index) => [name, index] as const))(
    'moves by at most 1 without the person with %s, and nobody else moves',
    async (_, index) => {
      const before = await sums(everybody);
      const after = await sums(without(everybody, index));
      const alone = await sums([everybody[index]]);
      for (const name of ['counts', 'weights'] as const) {
        const [all, others, own] = [before, after, alone].map((each) => integersOf(each[name]));
        expect(all, name).toEqual(others!.map((value, at) => value + own![at]));
        expect(l2Distance(valuesOf(before[name]), valuesOf(after[name])), name).toBeLessThanOrEqual(1);
      }
    },
  );

  it('is in proportion to grades, of norm 1 but for rounding, and nothing of someone who liked nothing', async () => {
    const { counts, weights } = await sums([{ name: 'p', items: [1, 4], ratings: [5, 3] }]);
    expect(valuesOf(counts)[1]).toBeCloseTo(2 / Math.sqrt(5), 5);
    expect(valuesOf(counts)[4]).toBeCloseTo(1 / Math.sqrt(5), 5);
    expect(Math.hypot(...valuesOf(weights))).toBeGreaterThan(0.999);
    const nothing = await sums([hostile[2]]);
    expect(integersOf(nothing.counts).every((value) => value === 0)).toBe(true);
    expect(integersOf(nothing.weights).every((value) => value === 0)).toBe(true);
  });

  it('is what choices are where all grades are the best', async () => {
    const best = people.map((person) => ({ ...person, ratings: person.items.map(() => 5) }));
    const { weights } = await localPeople(best).sum(itemWeights, preference);
    expect(integersOf((await sums(best)).weights)).toEqual(integersOf(weights));
  });
});

describe.each([
  [false, false],
  [true, false],
  [false, true],
  [true, true],
])('what hush releases of choices, each said without itself: %s, with grades: %s', (leftOut, hasGrades) => {
  const question = {
    items: { rowCount: itemCount, width, data: Float32Array.from(items.vectors) },
    gramian: new Float64Array(width * width).map((_, at) => (at % (width + 1) === 0 ? 4 : 0.5)),
    ridge: 0.01,
    unobservedWeight: 0.1,
    itemWeights: Float64Array.from({ length: itemCount }, (_, item) => (item % 3 === 0 ? 0.2 : 1.1)),
    gauge: 1.3,
    vectorBound: 0.5,
    momentBound: 0.1,
    leftOut,
    ...(hasGrades && { grades }),
  };
  const everybody = hasGrades ? [...people, ...hostile] : people;
  const sums = (some: readonly Person[]) => localPeople(some).sum(choices, question);

  it.each(everybody.map(({ name }, index) => [name, index] as const))(
    'moves by at most its sensitivity without the person with %s, and nobody else moves',
    async (_, index) => {
      const before = await sums(everybody);
      const after = await sums(without(everybody, index));
      const alone = await sums([everybody[index]]);
      expect(l2Distance(valuesOf(before.vectors), valuesOf(after.vectors))).toBeLessThanOrEqual(0.5);
      expect(frobeniusDistance(valuesOf(before.moment), valuesOf(after.moment), width)).toBeLessThanOrEqual(
        0.1,
      );
      const [all, others, own] = [before, after, alone].map(({ vectors }) => integersOf(vectors));
      expect(all).toEqual(others!.map((value, at) => value + own![at]));
    },
  );

  it('comes close to both sensitivities', async () => {
    const before = await sums(everybody);
    const moves = await Promise.all(
      everybody.map(async (_, index) => {
        const after = await sums(without(everybody, index));
        return [
          l2Distance(valuesOf(before.vectors), valuesOf(after.vectors)),
          frobeniusDistance(valuesOf(before.moment), valuesOf(after.moment), width),
        ] as const;
      }),
    );
    expect(Math.max(...moves.map(([vector]) => vector))).toBeGreaterThan(0.95 * 0.5);
    expect(Math.max(...moves.map(([, moment]) => moment))).toBeGreaterThan(0.95 * 0.1);
  });
});

describe('a taste without one of its choices', () => {
  it.each([
    ['fewer choices than directions', [5, 13]],
    ['more', [2, 5, 6, 13]],
  ])('is what is fitted without it, with %s', async (_, chosen) => {
    const data = Float32Array.from(items.vectors);
    const question = {
      items: { rowCount: itemCount, width, data },
      gramian: new Float64Array(width * width).map((_, at) => (at % (width + 1) === 0 ? 4 : 0.5)),
      ridge: 0.3,
      unobservedWeight: 0.1,
      itemWeights: new Float64Array(itemCount).fill(1),
      gauge: 1,
      vectorBound: 1e3,
      momentBound: 1e3,
    };
    const person = { name: 'p', items: chosen, ratings: chosen.map(() => 1) };
    const { vectors } = await localPeople([person]).sum(choices, { ...question, leftOut: true });
    for (const out of chosen) {
      const rest = {
        name: 'p',
        items: chosen.filter((item) => item !== out),
        ratings: chosen.slice(1).map(() => 1),
      };
      const alone = await localPeople([rest]).sum(choices, { ...question, leftOut: false });
      for (let a = 0; a < width; a++) {
        const expected = valuesOf(alone.vectors)[rest.items[0] * width + a] * Math.sqrt(rest.items.length);
        expect(valuesOf(vectors)[out * width + a] * Math.sqrt(chosen.length)).toBeCloseTo(expected, 2);
      }
    }
  });
});

describe('a grade', () => {
  const question = {
    items: { rowCount: itemCount, width, data: Float32Array.from(items.vectors) },
    gramian: new Float64Array(width * width).map((_, at) => (at % (width + 1) === 0 ? 4 : 0.5)),
    ridge: 0.3,
    unobservedWeight: 0.1,
    itemWeights: new Float64Array(itemCount).fill(1),
    gauge: 1,
    vectorBound: 1e3,
    momentBound: 1e3,
  };
  it.each([false, true])('of 0 is as if it had not been chosen, without itself: %s', async (leftOut) => {
    const asked = { ...question, leftOut, grades };
    const whole = { name: 'p', items: [2, 5, 6, 9, 13], ratings: [5, 1, 4, 1, 3] };
    const liked = { name: 'p', items: [2, 6, 13], ratings: [5, 4, 3] };
    const [one, other] = await Promise.all(
      [whole, liked].map(async (person) =>
        valuesOf((await localPeople([person]).sum(choices, asked)).vectors),
      ),
    );
    for (const [at, value] of one.entries()) expect(value).toBeCloseTo(other[at], 2);
    expect(Math.max(...one.map(Math.abs))).toBeGreaterThan(0.1);
  });
  it('of 1 is a choice', async () => {
    for (const leftOut of [false, true]) {
      const person = { name: 'p', items: [2, 5, 6, 13], ratings: [5, 5, 5, 5] };
      const graded = await localPeople([person]).sum(choices, { ...question, leftOut, grades });
      const chosen = await localPeople([person]).sum(choices, { ...question, leftOut });
      for (const [at, value] of valuesOf(graded.vectors).entries())
        expect(value).toBeCloseTo(valuesOf(chosen.vectors)[at], 2);
    }
  });
});

describe('what a round tells people', () => {
  it('is the released items turned so that their weighted covariance is diagonal, its variances beside them', () => {
    const { rotated, variances, constant, ofConstant, levelUnit } = tasteQuestion(
      items,
      preference,
      prior,
      bounds,
    );
    const total = items.weights.reduce((sum, weight) => sum + weight, 0);
    const of = (item: number, k: number) => rotated.data[item * (width + 1) + 1 + k];
    const mean = (value: (item: number) => number) =>
      items.weights.reduce((sum, weight, item) => sum + weight * value(item), 0) / total;
    expect(levelUnit).toBeCloseTo(Math.sqrt(0.08), 12);
    for (let k = 0; k < width; k++)
      for (let l = 0; l < width; l++) {
        const product = mean((item) => of(item, k) * of(item, l));
        const covariance = product - mean((item) => of(item, k)) * mean((item) => of(item, l));
        expect(covariance).toBeCloseTo(k === l ? variances[k] : 0, 5);
      }
    for (let item = 0; item < itemCount; item++) {
      const own = items.vectors.subarray(item * width, (item + 1) * width);
      const [direct, turned] = [own, constant.map((_, k) => of(item, k))].map((vector) =>
        vector.reduce((sum, value) => sum + value * value, 0),
      );
      expect(turned).toBeCloseTo(direct!, 5);
      const expected = own.reduce((sum, value, a) => sum + value * items.constant[a], 0);
      expect(ofConstant[item]).toBeCloseTo(expected, 12);
      expect(constant.reduce((sum, value, k) => sum + value * of(item, k), 0)).toBeCloseTo(expected, 5);
    }
  });
});
