import { createEngine, type Engine, type FactorMatrix } from '@hushrec/numerics';
import type { CoinKeys } from '@hushrec/privacy';
import { type Person, ratingsOf } from '@hushrec/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { revealToMechanism } from '../../../packages/privacy/src/recorder/sensitive.js';
import { choices } from '../../../packages/statistics/src/hush/choices.js';
import { itemPreference } from '../../../packages/statistics/src/hush/person-weights.js';
import { taste, tasteQuestion } from '../../../packages/statistics/src/hush/taste.js';
import { LocalPeople } from '../../../packages/statistics/src/people/local-people.js';
import type { PersonStatistic } from '../../../packages/statistics/src/people/people.js';
import { curvatureSums, logisticBounds } from '../../am-ssp/statistics/curvatures.js';
import { itemGradients, movedGramian } from '../../am-ssp/statistics/item-gradients.js';
import { itemSums, userGramian } from './item-sums.js';

const itemCount = 12;
const width = 3;

/**
 * Published vectors of which the last is so long that nothing is left of a ridge, or of any other item,
 * beside it: whoever chose it has a system that is not positive definite in float64.
 */
const hostile = (columns = width): FactorMatrix => ({
  rowCount: itemCount,
  width: columns,
  data: Float32Array.from({ length: itemCount * columns }, (_, at) =>
    at < (itemCount - 1) * columns ? Math.sin(1.7 * at) : 1e18,
  ),
});

const others: readonly Person[] = [
  { name: 'few', items: [1, 5], ratings: [5, 1] },
  { name: 'many', items: [0, 2, 4, 6, 8, 9, 10], ratings: [5, 3, 1, 4, 4, 2, 5] },
];
const failing: readonly Person[] = [
  { name: 'one who chose nothing else', items: [11], ratings: [4] },
  { name: 'one who chose few', items: [3, 11], ratings: [2, 5] },
  { name: 'one who chose many', items: [0, 1, 2, 3, 5, 7, 11], ratings: [1, 2, 3, 4, 5, 4, 3] },
];

const coins: CoinKeys = { people: new Uint8Array(32).fill(1), line: new Uint8Array(32).fill(2) };
const weighting = { kind: 'adaptive', limit: 0, exponent: 0.25, budget: 1 } as const;
const own = {
  items: hostile(),
  feedback: 'explicit',
  offset: 3,
  ridge: 1e-3,
  ridgeExponent: 0.5,
  interceptRidge: 2,
  unobservedWeight: 0,
} as const;
const gramian = Float64Array.of(2, 0.3, -0.2, 0.3, 1.5, 0.1, -0.2, 0.1, 1.1);
const { interceptRidge: _, ...withoutIntercept } = own;
const chosen = { ...withoutIntercept, feedback: 'implicit', unobservedWeight: 0.1, gramian } as const;
const clip = { clipNorm: 1, targetBound: 1, gridBits: 12, begin: 0, end: itemCount };
const encoding = {
  kind: 'linear',
  width,
  tokenCount: itemCount,
  offsets: Uint32Array.from({ length: itemCount + 1 }, (_, item) => item),
  tokens: Uint32Array.from({ length: itemCount }, (_, item) => item),
  values: new Float32Array(itemCount).fill(1),
} as const;
const gradient = {
  weighting,
  items: { ...hostile(), data: hostile().data.map(Math.sin) },
  encoding,
  bound: 1,
  vectorsPerPerson: 1,
  rate: 1,
  coins,
};
const choice = {
  items: hostile(),
  gramian,
  ridge: 0.5,
  unobservedWeight: 0.1,
  itemWeights: new Float64Array(itemCount).fill(1),
  gauge: 1,
  vectorBound: 1,
  momentBound: 1,
};
const released = {
  width,
  vectors: Float64Array.from({ length: itemCount * width }, (_, at) => Math.sin(at)),
  effects: new Float64Array(itemCount),
  weights: new Float64Array(itemCount).fill(1),
  offset: 3,
  constant: Float64Array.of(1, 0, -0.5),
};
const tastes = {
  ...tasteQuestion(
    released,
    itemPreference(released.weights, 0.5),
    { residualVariance: 0.8, interceptRidge: 10 },
    { vectorBound: 0.8, momentBound: 4 },
  ),
  rotated: hostile(width + 1),
};

type Sums = (people: LocalPeople) => Promise<readonly Float64Array[]>;
const sums =
  <Question, Names extends string>(statistic: PersonStatistic<Question, Names>, question: Question): Sums =>
  async (people) =>
    Object.values<{ statistic: never }>((await people.sum(statistic, question)) as never).map(
      ({ statistic: hidden }) => revealToMechanism(hidden) as Float64Array,
    );

const asked: Readonly<Record<string, Sums>> = {
  'item sums': sums(itemSums, { weighting, own, ...clip }),
  'item sums without intercepts': sums(itemSums, { weighting, own: withoutIntercept, ...clip }),
  'item sums of choices': sums(itemSums, { weighting, own: chosen, ...clip }),
  'the Gramian of people': sums(userGramian, { own: chosen, clipNorm: 1, gridBits: 12 }),
  curvatures: sums(curvatureSums, {
    weighting,
    own: {
      loss: { kind: 'logistic', threshold: 3.5 },
      items: hostile(),
      ridge: 1e-3,
      ridgeExponent: 0,
      clipNorm: 1,
    },
    around: { ...hostile(), data: hostile().data.map(Math.sin) },
    bounds: logisticBounds,
    gridBits: 12,
    begin: 0,
    end: itemCount,
  } as never),
  gradients: sums(itemGradients, { ...gradient, own: { kind: 'solved', ...own } }),
  'the Gramian between gradients': sums(movedGramian, {
    own: { kind: 'solved', ...own },
    width,
    clipNorm: 1,
    gridBits: 12,
  }),
  tastes: sums(taste, tastes),
  choices: sums(choices, { ...choice, leftOut: false }),
  'choices, echoes left out': sums(choices, { ...choice, leftOut: true }),
};

let engine: Engine;
afterEach(() => engine.close());
const peopleOf = (some: readonly Person[]) =>
  new LocalPeople(
    { itemCount, scale: { min: 1, max: 5, step: 1 }, byUser: ratingsOf(some, itemCount).byUser },
    engine,
  );

describe.each([
  { kernel: 'scalar', threads: 1 },
  { kernel: 'simd', threads: 1 },
  { kernel: 'simd', threads: 3 },
] as const)('people whose own arithmetic fails, $kernel kernels, $threads threads', (options) => {
  it.each(Object.keys(asked))('say nothing, and end nobody’s run: %s', async (name) => {
    engine = await createEngine(options);
    const without = await asked[name](peopleOf(others));
    expect(without.some((part) => part.some((value) => value !== 0))).toBe(true);
    for (const her of failing) {
      const alone = await asked[name](peopleOf([her]));
      const found = await asked[name](peopleOf([others[0], her, others[1]]));
      expect(found, her.name).toEqual(
        without.map((part, k) => part.map((value, at) => value + alone[k][at])),
      );
      // What she would say of an item without it does not need her failing taste; it is clipped all the same.
      for (const part of alone) {
        const norm = Math.hypot(...part) / 2 ** 20;
        expect(norm, her.name).toBeLessThanOrEqual(name.includes('left out') ? 1 : 0);
      }
    }
  });

  it('is no excuse for a system that everybody shares, which is public', async () => {
    engine = await createEngine(options);
    const broken = gramian.slice().fill(Number.NaN, 0, 1);
    await expect(
      sums(itemSums, { weighting, own: { ...chosen, gramian: broken }, ...clip })(peopleOf(others)),
    ).rejects.toMatchObject({ name: 'NotPositiveDefiniteError' });
    await expect(
      sums(choices, { ...choice, gramian: broken, leftOut: false })(peopleOf(others)),
    ).rejects.toMatchObject({ name: 'NotPositiveDefiniteError' });
  });
});
