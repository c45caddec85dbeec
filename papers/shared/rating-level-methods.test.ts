import '@hushrec/papers/register';
import type { Method } from '@hushrec/factorize';
import type { FactorModel, ItemModel, NeighbourModel } from '@hushrec/model';
import { calibrate, createRecorder, peopleCoins, RunSecret } from '@hushrec/privacy';
import { ratingsOf } from '@hushrec/testing';
import { describe, expect, it } from 'vitest';
import { dpimf } from '../dpimf/methods/dpimf.js';
import { dplcf } from '../dpimf/methods/dplcf.js';
import { dpmf } from '../dpimf/methods/dpmf.js';
import { ldpicf } from '../dpimf/methods/ldpicf.js';
import { inputPerturbation } from '../friedman/methods/input-perturbation.js';
import { itemCovariance, triangleRow } from '../friedman/methods/item-covariance.js';
import { privateAls } from '../friedman/methods/private-als.js';
import { privateGlobalEffects } from '../friedman/methods/private-global-effects.js';
import { privateKnn } from '../friedman/methods/private-knn.js';
import { privateSgd } from '../friedman/methods/private-sgd.js';
import { ratingLevelMethods } from '../methods.js';

const users = 120;
const items = 60;

function randomFrom(seed: number) {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

/**
 * Checkerboard: people of one camp love the even items and dislike the odd ones, the other camp the reverse;
 * item and user averages are all 3, so only a method that sees the pairing predicts better than 3. Half the
 * cells are rated.
 */
const taste = (user: number, item: number) => ((user + item) % 2 === 0 ? 4 : 2);
const random = randomFrom(17);
const explicit = ratingsOf(
  Array.from({ length: users }, (_, user) => {
    const rated = Array.from({ length: items }, (_, item) => item).filter(() => random() < 0.5);
    return { name: `${user}`, items: rated, ratings: rated.map((item) => taste(user, item)) };
  }),
  items,
);
/** The same camps as interactions: everyone has half of what they love. */
const implicit = ratingsOf(
  Array.from({ length: users }, (_, user) => {
    const had = Array.from({ length: items }, (_, item) => item).filter(
      (item) => taste(user, item) === 4 && random() < 0.5,
    );
    return { name: `${user}`, items: had, ratings: had.map(() => 1) };
  }),
  items,
);

async function train(
  method: Method,
  settings: Readonly<Record<string, number | string | boolean>>,
  epsilon: number,
  ratings = explicit,
) {
  const shape = { itemCount: items, scale: ratings.scale, epsilon, delta: 0, features: [] };
  const recorder = createRecorder(calibrate(method.plan(settings, shape), { epsilon, delta: 0 }), {
    seed: 3,
  });
  const { model } = await method.train({
    ratings,
    settings,
    recorder,
    random: randomFrom(5),
    coins: peopleCoins(new RunSecret({ seed: 5 })),
    features: [],
    engine: undefined as never,
  });
  recorder.finish();
  return model;
}

function rmseOf(model: ItemModel): number {
  const { rank, itemFactors, users: people } = model as FactorModel;
  let squared = 0;
  for (let user = 0; user < users; user++) {
    for (let item = 0; item < items; item++) {
      let predicted = model.offset + (model.itemBias?.[item] ?? 0) + (people?.bias?.[user] ?? 0);
      for (let c = 0; c < (rank ?? 0); c++)
        predicted += people!.factors[user * rank + c] * itemFactors[item * rank + c];
      squared += (taste(user, item) - predicted) ** 2;
    }
  }
  return Math.sqrt(squared / (users * items));
}

describe('rating-level methods on a checkerboard', () => {
  // Averages alone miss by 1 everywhere; noise at ε = 200 leaves the pairing visible.
  it.each([
    {
      method: inputPerturbation,
      settings: { unit: 'rating-value', rank: 2, rounds: 100, learningRate: 0.03 },
    },
    { method: inputPerturbation, settings: { rank: 2, rounds: 100, learningRate: 0.03 } },
    { method: inputPerturbation, settings: { unit: 'rating-value', rank: 2, solver: 'als' } },
    { method: inputPerturbation, settings: { rank: 2, solver: 'als' } },
    {
      method: privateSgd,
      settings: {
        unit: 'rating-value',
        rank: 2,
        rounds: 20,
        learningRate: 0.1,
        userNorm: 1,
        itemNorm: 1,
      },
    },
    {
      method: privateSgd,
      settings: { rank: 2, rounds: 20, learningRate: 0.03, userNorm: 1, itemNorm: 1 },
    },
    { method: privateAls, settings: { unit: 'rating-value', rank: 2, userNorm: 1, itemNorm: 1 } },
    { method: privateAls, settings: { rank: 2, userNorm: 1, itemNorm: 1 } },
    {
      method: privateAls,
      settings: { unit: 'rating-value', repaired: false, rank: 2, userNorm: 1, itemNorm: 1 },
    },
    { method: dpmf, settings: { rank: 2 } },
  ])(
    '$method.id, $settings, sees the pairing at a large ε and not at a tiny one',
    async ({ method, settings }) => {
      expect(rmseOf(await train(privateGlobalEffects, {}, 200))).toBeGreaterThan(0.9);
      expect(rmseOf(await train(method, settings, 200))).toBeLessThan(0.7);
      expect(rmseOf(await train(method, settings, 0.01))).toBeGreaterThan(0.9);
    },
  );

  it('dpimf as printed samples records where it is asked to', async () => {
    const settings = { variant: 'optimal', repaired: false, rank: 2, rounds: 1 };
    const all = (await train(dpimf, settings, 5, implicit)) as FactorModel;
    const sampled = (await train(
      dpimf,
      { ...settings, importanceSampling: true },
      5,
      implicit,
    )) as FactorModel;
    expect([...sampled.itemFactors]).not.toEqual([...all.itemFactors]);
  });

  it('private-knn finds neighbours of the same parity', async () => {
    const { neighbours, k } = (await train(
      privateKnn,
      { neighbours: 5, covarianceShrinkage: 0.1 },
      500,
    )) as NeighbourModel;
    let same = 0;
    for (let item = 0; item < items; item++)
      for (let rank = 0; rank < k; rank++) if ((neighbours[item * k + rank] - item) % 2 === 0) same++;
    expect(same / (items * k)).toBeGreaterThan(0.95);
  });

  it.each([dplcf, ldpicf])('$id recovers neighbours through flipped bits', async (method) => {
    const { neighbours, k } = (await train(method, { neighbours: 5 }, 4, implicit)) as NeighbourModel;
    let same = 0;
    for (let at = 0; at < items * k; at++) if ((neighbours[at] - Math.floor(at / k)) % 2 === 0) same++;
    expect(same / (items * k)).toBeGreaterThan(0.9);
  });

  it.each(['strawman', 'complementary', 'symmetric', 'optimal'])(
    'dpimf, %s: profiles of one camp score its items higher',
    async (variant) => {
      const settings = { variant, rank: 2, ridge: 0.01, side: 'user', rounds: 3 };
      const model = (await train(dpimf, settings, 3000, implicit)) as FactorModel;
      let right = 0;
      for (let user = 0; user < users; user++) {
        const mean = [0, 0];
        for (let item = 0; item < items; item++)
          for (let c = 0; c < 2; c++)
            mean[(user + item) % 2] += model.users!.factors[user * 2 + c] * model.itemFactors[item * 2 + c];
        if (mean[0] > mean[1]) right++;
      }
      expect(right / users).toBeGreaterThan(0.95);
    },
  );
});

describe('rating-level plans', () => {
  const shape = { itemCount: items, scale: explicit.scale, epsilon: 1, delta: 0, features: [] };

  it.each(ratingLevelMethods.map((method) => ({ method })))(
    '$method.id: the default is proved, and its shares are all of ε',
    ({ method }) => {
      const plan = method.plan({}, shape);
      expect(plan.releases.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 12);
      expect(calibrate(plan, { epsilon: 1, delta: 0 }).epsilon).toBe(1);
      expect(plan.claimedByPaper).toBeUndefined();
    },
  );
});

describe('itemCovariance', () => {
  it('equals the weighted sums taken one pair at a time', () => {
    const residuals = Float64Array.from(explicit.byUser.values, (rating) => (rating - 3) / 2);
    const { covariance, mass } = itemCovariance(explicit.byUser, residuals, items);
    const { offsets, indices } = explicit.byUser;
    for (const [a, c] of [
      [0, 0],
      [3, 10],
      [20, 59],
    ] as const) {
      let expected = 0;
      let weight = 0;
      for (let user = 0; user < users; user++) {
        const own = Array.from(indices.subarray(offsets[user], offsets[user + 1]));
        if (!own.includes(a) || !own.includes(c)) continue;
        weight += 1 / own.length;
        expected +=
          (residuals[offsets[user] + own.indexOf(a)] * residuals[offsets[user] + own.indexOf(c)]) /
          own.length;
      }
      expect(covariance[triangleRow(a, items) + c] * 2 ** -34).toBeCloseTo(expected, 7);
      expect(mass[triangleRow(a, items) + c] * 2 ** -34).toBeCloseTo(weight, 7);
    }
  });
});
