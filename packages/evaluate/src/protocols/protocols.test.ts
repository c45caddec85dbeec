import { trainModel } from '@hushrec/factorize';
import { createEngine, csrFromTriples } from '@hushrec/numerics';
import {
  generateCatalogue,
  numbered,
  type RatingMatrix,
  SeededRandom,
  splitHoldout,
  splitKFold,
  splitLeaveOneOut,
  splitStrongGeneralization,
} from '@hushrec/ratings';
import { describe, expect, it } from 'vitest';
import { evaluateModel } from '../evaluate-model.js';
import { crossValidate } from './k-fold.js';

const engine = await createEngine({ threads: 1 });
const catalogue = generateCatalogue({ users: 600, items: 100, ratings: 20_000, seed: 12 });
const quick = { resamples: 20, cutoffs: [20] };
const train = async (method: string, settings: object, data: RatingMatrix) =>
  (
    await trainModel({
      method,
      settings: { ...settings },
      ratings: data,
      engine,
      epsilon: Infinity,
      delta: 0,
      seed: 1,
    })
  ).model;

/**
 * People of three tastes among 60 items: each has 12 of the 20 items of their own taste, all equally popular.
 */
function threeTastes(): RatingMatrix {
  const random = new SeededRandom(8);
  const rows: number[] = [];
  const columns: number[] = [];
  for (let user = 0; user < 300; user++) {
    const own = Uint32Array.from({ length: 20 }, (_, k) => 3 * k + (user % 3));
    random.shuffle(own);
    for (const item of own.subarray(0, 12)) {
      rows.push(user);
      columns.push(item);
    }
  }
  const byUser = csrFromTriples(300, 60, rows, columns);
  return { userCount: 300, itemCount: 60, scale: { min: 1, max: 1, step: 1 }, byUser };
}

describe('protocols', () => {
  it('strong generalization: unseen people are folded in to their taste; popularity finds a third of it', async () => {
    const split = splitStrongGeneralization(numbered(threeTastes()), { seed: 3 });
    const recall = async (method: string, settings: object) => {
      const model = await train(method, settings, split.train);
      return (await evaluateModel(model, split, 'strong-generalization', engine, quick)).metrics['recall@20'];
    };
    expect((await recall('ials', { rank: 3, rounds: 8 })).value).toBeGreaterThan(0.99);
    expect((await recall('popularity', {})).value).toBeLessThan(0.6);
  });
  it('leave-one-out: a hit at k is never rarer at a longer k', async () => {
    const split = splitLeaveOneOut(catalogue, { seed: 3 });
    const model = await train('ials', { rank: 8, rounds: 6 }, split.train);
    const { metrics } = await evaluateModel(model, split, 'leave-one-out', engine, {
      resamples: 20,
      cutoffs: [10, 20],
    });
    expect(metrics['hr@20'].value).toBeGreaterThanOrEqual(metrics['hr@10'].value);
    expect(metrics['hr@10'].value).toBe(metrics['recall@10'].value); // one relevant item each
  });
  it('holdout and k-fold agree on a method without randomness', async () => {
    const holdout = splitHoldout(catalogue, { seed: 3, validation: 0 });
    const model = await train('global-effects', {}, holdout.train);
    const once = await evaluateModel(model, holdout, 'holdout', engine, quick);
    const folds = splitKFold(catalogue, { seed: 3 });
    const tenTimes = await crossValidate(folds, (data) => train('global-effects', {}, data), engine, quick);
    // 2,000 test ratings with squared errors of relative spread about 1.5: RMSE scatters by about 1.7%.
    expect(once.metrics['rmse'].value).toBeCloseTo(tenTimes.metrics['rmse'].value, 1);
    expect(tenTimes.folds).toHaveLength(10);
  });
});
