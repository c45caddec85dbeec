import type { FactorModel, ItemModel } from '@hushrec/model';
import { createEngine, csrFromTriples } from '@hushrec/numerics';
import {
  type FeatureSource,
  generateCatalogue,
  type RatingMatrix,
  SeededRandom,
  splitHoldout,
} from '@hushrec/ratings';
import { describe, expect, it } from 'vitest';
import { foldInUsers } from '../shared/fold-in-users.js';
import { trainModel } from '../train.js';
import { als } from './als.js';

const engine = await createEngine({ threads: 1 });
const catalogue = generateCatalogue({ users: 400, items: 80, ratings: 12_000, seed: 2 });
const splitBy = (seed: number) => splitHoldout(catalogue, { seed, validation: 0 });
const { train, test } = splitBy(3);

async function trained(
  method: string,
  settings: Record<string, unknown> = {},
  ratings: RatingMatrix = train,
  features: readonly FeatureSource[] = [],
): Promise<ItemModel> {
  return (
    await trainModel({ method, settings, ratings, features, engine, epsilon: Infinity, delta: 0, seed: 7 })
  ).model;
}
const factors = async (...args: Parameters<typeof trained>) => (await trained(...args)) as FactorModel;

/** RMSE on the held-out tenth, people folded in from train. */
async function testRmse(model: FactorModel, split = { train, test }): Promise<number> {
  const people = await foldInUsers(engine, model, split.train.byUser);
  let sum = 0;
  const { byUser } = split.test;
  for (let i = 0; i < byUser.rowCount; i++) {
    for (let k = byUser.offsets[i]; k < byUser.offsets[i + 1]; k++) {
      const j = byUser.indices[k];
      let score = model.offset + (model.itemBias?.[j] ?? 0) + (people.intercept?.[i] ?? 0);
      for (let a = 0; a < model.rank; a++) {
        score += people.factors.data[i * model.rank + a] * model.itemFactors[j * model.rank + a];
      }
      sum += (byUser.values[k] - score) ** 2;
    }
  }
  return Math.sqrt(sum / byUser.values.length);
}

// Three people, three items, ratings 1 … 5: small enough to do by hand.
const tiny: RatingMatrix = {
  userCount: 3,
  itemCount: 3,
  scale: { min: 1, max: 5, step: 1 },
  byUser: csrFromTriples(3, 3, [0, 0, 1, 2], [0, 1, 0, 0], [5, 3, 4, 3]),
};

describe('averages, worked out by hand', () => {
  it('global average', async () => {
    expect(await trained('global-average', {}, tiny)).toMatchObject({ offset: 15 / 4 });
  });
  it('item average, with and without shrinkage; an item nobody rated gets the global average', async () => {
    const plain = await trained('item-average', {}, tiny);
    expect(plain.kind === 'baseline' && Array.from(plain.itemBias)).toEqual([0.25, -0.75, 0]);
    const shrunk = await trained('item-average', { itemShrinkage: 1 }, tiny);
    expect(shrunk.kind === 'baseline' && Array.from(shrunk.itemBias)).toEqual([0.1875, -0.375, 0]);
  });
  it('popularity counts', async () => {
    const model = await trained('popularity', {}, tiny);
    expect(model.kind === 'baseline' && Array.from(model.itemBias)).toEqual([3, 1, 0]);
  });
});

describe('als', () => {
  it('reaches a stationary point of its stated objective', async () => {
    const settings = {
      rank: 2,
      rounds: 60,
      ridge: 0.2,
      ridgeExponent: 0.5,
      interceptRidge: 2,
      biasRidge: 3,
    };
    const model = await factors('als', settings);
    const people = await foldInUsers(engine, model, train.byUser);
    const objective = (itemFactors: Float32Array, itemBias: Float32Array) => {
      let loss = 0;
      const counts = new Float64Array(train.itemCount);
      const { byUser } = train;
      for (let i = 0; i < byUser.rowCount; i++) {
        for (let k = byUser.offsets[i]; k < byUser.offsets[i + 1]; k++) {
          const j = byUser.indices[k];
          counts[j]++;
          let error = byUser.values[k] - model.offset - itemBias[j] - people.intercept![i];
          for (let a = 0; a < 2; a++) error -= people.factors.data[i * 2 + a] * itemFactors[j * 2 + a];
          loss += error ** 2;
        }
      }
      for (let j = 0; j < train.itemCount; j++) {
        loss += 3 * itemBias[j] ** 2;
        for (let a = 0; a < 2; a++) loss += 0.2 * counts[j] ** 0.5 * itemFactors[j * 2 + a] ** 2;
      }
      return loss;
    };
    const best = objective(model.itemFactors, model.itemBias!);
    for (const at of [0, 7, 30, 100]) {
      for (const step of [-0.02, 0.02]) {
        const moved = model.itemFactors.slice();
        moved[at] += step;
        expect(objective(moved, model.itemBias!)).toBeGreaterThan(best);
        const bias = model.itemBias!.slice();
        bias[at % 80] += step;
        expect(objective(model.itemFactors, bias)).toBeGreaterThan(best);
      }
    }
  });
  it('predicts held-out ratings better than biases alone, which beat the global mean', async () => {
    // One split of 1,200 tested ratings says little: the gain over biases is 0.011, with a standard deviation
    // of 0.009 between splits. The mean of eight is 3.2 standard errors above 0.
    const [full, biasesOnly, constant] = [[], [], []] as number[][];
    for (let seed = 1; seed <= 8; seed++) {
      const split = splitBy(seed);
      const rmseOf = async (settings: Record<string, unknown>) =>
        testRmse(await factors('als', settings, split.train), split);
      full.push(await rmseOf({ rank: 8, rounds: 12, ridge: 0.08, ridgeExponent: 1 }));
      biasesOnly.push(await rmseOf({ rank: 1, rounds: 3, ridge: 1e5 }));
      const { offset } = (await trained('global-average', {}, split.train)) as { offset: number };
      const { values } = split.test.byUser;
      constant.push(Math.sqrt(values.reduce((sum, value) => sum + (value - offset) ** 2, 0) / values.length));
    }
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    expect(sum(full)).toBeLessThan(sum(biasesOnly));
    expect(sum(biasesOnly)).toBeLessThan(sum(constant));
  });
});

describe('bayes-als', () => {
  const spreadOf = (model: FactorModel) =>
    Array.from({ length: model.rank }, (_, k) => {
      let sum = 0;
      for (let at = k; at < model.itemFactors.length; at += model.rank) sum += model.itemFactors[at] ** 2;
      return Math.sqrt((sum * model.rank) / model.itemFactors.length);
    }).sort((a, b) => b - a);
  /** Two directions that both sides differ along by about 1, and noise of a standard deviation of 0.5. */
  const twoDirections = (strength: number): RatingMatrix => {
    const random = new SeededRandom(5);
    const normals = (count: number) => Array.from({ length: count }, () => random.normal());
    const [people, items] = [normals(2 * 300), normals(2 * 80)];
    const users = Array.from({ length: 9000 }, (_, k) => k % 300);
    const chosen = users.map((user, k) => (7 * user + Math.floor(k / 300) * 3) % 80);
    const values = users.map((user, k) => {
      const [j, noise] = [chosen[k], 0.5 * random.normal()];
      const taste = people[2 * user] * items[2 * j] + people[2 * user + 1] * items[2 * j + 1];
      return 3 + strength * taste + noise;
    });
    return {
      ...train,
      userCount: 300,
      itemCount: 80,
      byUser: csrFromTriples(300, 80, users, chosen, values),
    };
  };

  it('is better than als on its defaults and than als with a ridge that was searched for this catalogue', async () => {
    const [learnt, searched, usual] = [[], [], []] as number[][];
    for (let seed = 1; seed <= 8; seed++) {
      const split = splitBy(seed);
      const of = async (method: string, settings = {}) =>
        testRmse(await factors(method, settings, split.train), split);
      learnt.push(await of('bayes-als'));
      searched.push(await of('als', { rank: 8, rounds: 12, ridge: 0.08, ridgeExponent: 1 }));
      usual.push(await of('als'));
    }
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    expect(sum(learnt)).toBeLessThan(sum(searched));
    expect(sum(learnt)).toBeLessThan(sum(usual));
  });
  it('keeps the two directions that ratings have, and shrinks all others to next to nothing', async () => {
    const sizes = spreadOf(await factors('bayes-als', { rank: 8, rounds: 30 }, twoDirections(1)));
    expect(sizes[1]).toBeGreaterThan(0.5 * sizes[0]);
    expect(sizes[2]).toBeLessThan(0.1 * sizes[1]);
  });
  it('finds no direction in noise', async () => {
    const [largest] = spreadOf(await factors('bayes-als', { rank: 8, rounds: 30 }, twoDirections(0)));
    expect(largest).toBeLessThan(0.02);
  });
  it('follows any unit of the ratings', async () => {
    const times = (factor: number, { byUser, ...rest }: RatingMatrix): RatingMatrix => ({
      ...rest,
      byUser: { ...byUser, values: byUser.values.map((value) => factor * value) },
    });
    const own = await factors('bayes-als', { rank: 8 });
    const wide = await factors('bayes-als', { rank: 8 }, times(16, train));
    const unit = { ...wide, offset: wide.offset / 16, itemBias: wide.itemBias!.map((x) => x / 16) };
    const scaled = {
      ...unit,
      itemFactors: wide.itemFactors.map((x) => x / 16),
      foldIn: { ...wide.foldIn, ridge: wide.foldIn.ridge / 256 },
    };
    expect(await testRmse(scaled)).toBeCloseTo(await testRmse(own), 3);
  });
});

describe('the default ridge of als', () => {
  /** The same ratings on a scale `times` as wide with 0 in its middle. */
  const stretched = (times: number, { byUser, scale, ...rest }: RatingMatrix): RatingMatrix => {
    const middle = (scale.min + scale.max) / 2;
    const move = (value: number) => times * (value - middle);
    return {
      ...rest,
      scale: { min: move(scale.min), max: move(scale.max), step: times * scale.step },
      byUser: { ...byUser, values: byUser.values.map(move) },
    };
  };
  const rmse = async (times: number, settings: Record<string, unknown> = {}) => {
    const wide = await factors('als', { rank: 8, ...settings }, stretched(times, train));
    // Back on the scale that `testRmse` has its ratings on.
    const middle = (train.scale.min + train.scale.max) / 2;
    return testRmse({
      ...wide,
      itemFactors: wide.itemFactors.map((x) => x / Math.sqrt(times)),
      itemBias: wide.itemBias!.map((x) => x / times),
      offset: middle + wide.offset / times,
      foldIn: { ...wide.foldIn, ridge: wide.foldIn.ridge / times },
    });
  };

  it('follows the width of the scale: 20 wide is predicted as well as 4.5 wide', async () => {
    expect(train.scale).toMatchObject({ min: 0.5, max: 5 });
    const own = await rmse(1);
    expect(await rmse(20 / 4.5)).toBeLessThan(1.001 * own);
    expect(await rmse(20 / 4.5, { ridge: 0.45 })).toBeGreaterThan(1.02 * own); // as it was when it did not
  });
  it('is the same on the scales 1 to 5 and 0.5 to 5', () => {
    const suggested = (min: number, max: number) =>
      als.suggest?.({ itemCount: 9, scale: { min, max, step: 0.5 }, epsilon: 1, delta: 0, features: [] }, {});
    expect(suggested(1, 5)).toEqual({ ridge: 0.45 });
    expect(suggested(0.5, 5)).toEqual({ ridge: 0.45 });
    expect(suggested(1, 1)).toEqual({ ridge: 0.45 });
    expect(suggested(-10, 10)).toEqual({ ridge: 2 });
  });
});

describe('sgd', () => {
  it('comes near ALS on held-out ratings', async () => {
    const byAls = await testRmse(
      await factors('als', { rank: 8, rounds: 12, ridge: 0.08, ridgeExponent: 1 }),
    );
    const bySgd = await testRmse(
      await factors('sgd', { rank: 8, rounds: 40, learningRate: 0.02, ridge: 0.08 }),
    );
    expect(Math.abs(bySgd - byAls)).toBeLessThan(0.03);
  });
});

describe('solvers of ials', () => {
  /** The loss of ials' doc comment, at the best people for the model's items. */
  const loss = async (settings: Record<string, unknown>) => {
    const model = await factors('ials', { rank: 8, ...settings });
    const { byUser } = train;
    const { ridge, ridgeExponent, unobservedWeight } = model.foldIn;
    const people = (await foldInUsers(engine, model, byUser)).factors.data;
    const { rank, itemFactors } = model;
    const counts = new Float64Array(train.itemCount);
    for (const item of byUser.indices) counts[item]++;
    const squared = (data: Float32Array, row: number) =>
      data.subarray(row * rank, (row + 1) * rank).reduce((sum, x) => sum + x * x, 0);
    let total = 0;
    for (let i = 0; i < byUser.rowCount; i++) {
      const own = new Set(byUser.indices.subarray(byUser.offsets[i], byUser.offsets[i + 1]));
      for (let j = 0; j < train.itemCount; j++) {
        let score = 0;
        for (let a = 0; a < rank; a++) score += people[i * rank + a] * itemFactors[j * rank + a];
        total += (own.has(j) ? (1 - score) ** 2 : 0) + unobservedWeight * score ** 2;
      }
      total += ridge * (own.size + unobservedWeight * train.itemCount) ** ridgeExponent * squared(people, i);
    }
    for (let j = 0; j < train.itemCount; j++) {
      const weight = (counts[j] + unobservedWeight * train.userCount) ** ridgeExponent;
      total += ridge * weight * squared(itemFactors, j);
    }
    return total;
  };

  it('end at the same loss after the default number of rounds', async () => {
    const exact = await loss({ solver: 'cholesky' });
    expect(await loss({})).toBeLessThan(1.002 * exact);
    expect(await loss({ rounds: 2 })).toBeGreaterThan(1.002 * exact); // so that 1.002 says something
  });
});

describe('ials and knn on a checkerboard', () => {
  // Person i and item j belong together when i ≡ j (mod 2); everybody has all but one of their own kind.
  const rows: number[] = [];
  const columns: number[] = [];
  const size = 20;
  for (let i = 0; i < size; i++) {
    for (let j = i % 2; j < size; j += 2) {
      if (j === i) continue;
      rows.push(i);
      columns.push(j);
    }
  }
  const board: RatingMatrix = {
    userCount: size,
    itemCount: size,
    scale: { min: 1, max: 1, step: 1 },
    byUser: csrFromTriples(size, size, rows, columns),
  };
  it('ials scores the missing square of the own colour above every square of the other', async () => {
    const model = await factors('ials', { rank: 2, rounds: 10 }, board);
    const { factors: users } = await foldInUsers(engine, model, board.byUser);
    const score = (i: number, j: number) =>
      [0, 1].reduce((sum, a) => sum + users.data[i * 2 + a] * model.itemFactors[j * 2 + a], 0);
    for (let i = 0; i < size; i++) {
      for (let j = 1 - (i % 2); j < size; j += 2) expect(score(i, i)).toBeGreaterThan(score(i, j) + 0.3);
    }
  });
  it('knn finds neighbours of the own colour only, with the cosine worked out by hand', async () => {
    const model = await trained(
      'knn',
      { feedback: 'implicit', neighbours: 12, similarityShrinkage: 0 },
      board,
    );
    if (model.kind !== 'neighbours') throw new Error('expected a neighbour model');
    for (let j = 0; j < size; j++) {
      const own = model.neighbours.subarray(j * 12, j * 12 + 12);
      expect(Array.from(own.subarray(0, 9)).every((other) => other % 2 === j % 2)).toBe(true);
      expect(Array.from(own.subarray(9))).toEqual([-1, -1, -1]);
      expect(model.similarities[j * 12]).toBeCloseTo(8 / 9, 6); // 8 people have both, 9 have each
    }
  });
});
