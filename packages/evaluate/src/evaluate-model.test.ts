import { trainModel } from '@hushrec/factorize';
import type { FactorModel, ItemModel } from '@hushrec/model';
import { createEngine, csrFromTriples } from '@hushrec/numerics';
import { generateCatalogue, popularityBuckets, type RatingMatrix, splitHoldout } from '@hushrec/ratings';
import { scorerFor } from '@hushrec/recommend';
import { describe, expect, it } from 'vitest';
import { evaluateModel } from './evaluate-model.js';
import { crossValidate } from './protocols/k-fold.js';
import { mergeRows } from './protocols/merge-rows.js';
import { historyOf } from './scoring/people.js';

const engine = await createEngine({ threads: 1 });
const catalogue = generateCatalogue({ users: 120, items: 50, ratings: 2500, seed: 4 });
const split = splitHoldout(catalogue, { seed: 9 });
const train = async (method: string, settings = {}) =>
  (await trainModel({ method, settings, ratings: split.train, engine, epsilon: Infinity, delta: 0, seed: 1 }))
    .model;
const als = await train('als', { rank: 4, rounds: 5 });
const averages = await train('item-average');

/** Slow: one device at a time, everything sorted. */
function slowRmse(model: ItemModel, history: RatingMatrix['byUser'], target: RatingMatrix['byUser']): number {
  let sum = 0;
  for (let user = 0; user < target.rowCount; user++) {
    const scorer = scorerFor(model, historyOf(history, user));
    const own = historyOf(target, user);
    own.items.forEach((item, k) => {
      sum += (Math.min(5, Math.max(0.5, scorer.score(item))) - own.ratings[k]) ** 2;
    });
  }
  return Math.sqrt(sum / target.values.length);
}

describe('holdout', () => {
  it.each([
    ['factors', als],
    ['averages', averages],
  ])('re-solves people from train + validation for test: %s', async (_, model) => {
    const { metrics, slices } = await evaluateModel(model, split, 'holdout', engine, { resamples: 100 });
    const both = mergeRows(split.train.byUser, split.validation.byUser);
    // The engine folds in with float32, the device with float64.
    expect(metrics['rmse'].value).toBeCloseTo(slowRmse(model, both, split.test.byUser), 4);
    expect(metrics['rmse'].low).toBeLessThan(metrics['rmse'].value);
    expect(metrics['rmse'].high).toBeGreaterThan(metrics['rmse'].value);
    expect(slices.map((each) => each.items)).toEqual([10, 10, 10, 10, 10]);
  });
  it('uses train alone for validation', async () => {
    const { metrics } = await evaluateModel(als, split, 'holdout', engine, {
      stage: 'validation',
      resamples: 10,
    });
    expect(metrics['rmse'].value).toBeCloseTo(slowRmse(als, split.train.byUser, split.validation.byUser), 4);
  });
  it('sums up the slices to the whole', async () => {
    const { metrics, slices } = await evaluateModel(als, split, 'holdout', engine, {
      resamples: 10,
      slices: 2,
    });
    const counts = popularityBuckets(split.train, 2);
    const inSlice = [0, 0];
    for (const item of split.test.byUser.indices) inSlice[counts.bucketOf[item]]++;
    const pooled = slices.reduce((sum, { metrics: m }, s) => sum + m['rmse'].value ** 2 * inSlice[s], 0);
    expect(Math.sqrt(pooled / split.test.byUser.values.length)).toBeCloseTo(metrics['rmse'].value, 10);
  });
});

describe('k-fold', () => {
  it('pools the folds', async () => {
    const folds = [
      { train: split.train, test: split.test },
      { train: split.train, test: split.validation },
    ];
    const result = await crossValidate(folds, async () => averages, engine, { resamples: 10 });
    const sizes = folds.map((fold) => fold.test.byUser.values.length);
    const pooled = result.folds.reduce((sum, fold, f) => sum + fold['rmse'] ** 2 * sizes[f], 0);
    expect(result.metrics['rmse'].value).toBeCloseTo(Math.sqrt(pooled / (sizes[0] + sizes[1])), 10);
  });
});

// Two people, six items on a line: item vectors 1 … 6, so a bigger index is a better item for everybody who
// liked one.
const ladder: FactorModel = {
  kind: 'factors',
  feedback: 'implicit',
  rank: 1,
  itemFactors: Float32Array.of(1, 2, 3, 4, 5, 6),
  offset: 0,
  foldIn: { ridge: 1, ridgeExponent: 0, unobservedWeight: 0.1 },
};
const matrix = (pairs: [number, number][]): RatingMatrix => ({
  userCount: 2,
  itemCount: 6,
  scale: { min: 1, max: 1, step: 1 },
  byUser: csrFromTriples(
    2,
    6,
    pairs.map(([user]) => user),
    pairs.map(([, item]) => item),
  ),
});

describe('ranking protocols, worked out by hand', () => {
  const history = matrix([
    [0, 5],
    [1, 0],
  ]);
  // Person 0 is shown 4 3 2 1 0, person 1 is shown 5 4 3 2 1.
  const target = matrix([
    [0, 3],
    [0, 0],
    [1, 1],
  ]);
  const heldOut = { users: Uint32Array.of(0, 1), history, target };
  const people = {
    record: { protocol: 'strong-generalization' },
    train: history,
    trainUsers: new Uint32Array(0),
    validation: heldOut,
    test: heldOut,
  };
  it('strong generalization leaves out the history and caps recall', async () => {
    const { metrics } = await evaluateModel(ladder, people, 'strong-generalization', engine, {
      cutoffs: [2, 5],
      resamples: 10,
    });
    expect(metrics['recall@2'].value).toBeCloseTo((1 / 2 + 0) / 2, 12);
    expect(metrics['recall@5'].value).toBeCloseTo(1, 12);
    expect(metrics['mrr@5'].value).toBeCloseTo((1 / 2 + 1 / 5) / 2, 12);
    expect(metrics['coverage@2'].value).toBeCloseTo(3 / 6, 12);
  });
  it('leave-one-out ranks given candidates only, also when a negative is the target itself', async () => {
    const test = matrix([
      [0, 3],
      [1, 1],
    ]);
    const candidates = { offsets: Uint32Array.of(0, 3, 4), negatives: Uint32Array.of(4, 3, 4, 0) };
    const all = await evaluateModel(ladder, { train: history, test }, 'leave-one-out', engine, {
      cutoffs: [1],
      resamples: 10,
    });
    expect(all.metrics['hr@1'].value).toBe(0);
    const sampled = await evaluateModel(
      ladder,
      { train: history, test, candidates },
      'leave-one-out',
      engine,
      {
        cutoffs: [1, 2],
        resamples: 10,
      },
    );
    expect(sampled.metrics['hr@1'].value).toBe(1 / 2); // person 0: item 4 beats 3; person 1: 1 beats 0
    expect(sampled.metrics['hr@2'].value).toBe(1);
  });
});

describe('models that publish user vectors', () => {
  const released: FactorModel = {
    ...ladder,
    feedback: 'explicit',
    users: { ids: ['p', 'q'], factors: Float32Array.of(1, -1), bias: Float32Array.of(0.5, 0) },
  };
  const data: RatingMatrix = { ...matrix([[0, 0]]), scale: { min: -10, max: 10, step: 0 } };
  it('are judged by what they published, not by a fold-in', async () => {
    const test = { ...data, ...matrix([[1, 2]]), scale: data.scale };
    const { metrics } = await evaluateModel(released, { train: data, test }, 'k-fold', engine, {
      resamples: 10,
    });
    expect(metrics['mae'].value).toBeCloseTo(4, 6); // −1 · 3 + 0 against a rating of 1
  });
  it('cannot be judged on other people', async () => {
    const three = { ...released, users: { ids: ['p', 'q', 'r'], factors: Float32Array.of(1, 1, 1) } };
    await expect(evaluateModel(three, { train: data, test: data }, 'k-fold', engine)).rejects.toThrow(
      /data set it was trained on/,
    );
  });
});
