import '@hushrec/papers/register';
import { trainModel } from '@hushrec/factorize';
import { createEngine } from '@hushrec/numerics';
import { generateCatalogue, type RatingMatrix } from '@hushrec/ratings';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startAlike } from './common-start.js';

let engine: Awaited<ReturnType<typeof createEngine>>;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.close());

it('moves the first coordinate of every item and no other', () => {
  const data = Float32Array.of(1, 2, 3, 4, 5, 6);
  startAlike({ rowCount: 2, width: 3, data }, 0.5);
  expect([...data]).toEqual([1.5, 2, 3, 4.5, 5, 6]);
});

it('finds how items are rated with one dimension and much noise, more surely than random starts', async () => {
  const { ratings } = generateCatalogue({ users: 2000, items: 100, ratings: 60_000, seed: 2 });
  const means = itemMeans(ratings);
  /** |correlation| of the released direction with the items' mean ratings, over eight seeds. */
  const agreement = async (initialMean: number) => {
    let total = 0;
    for (let seed = 1; seed <= 8; seed++) {
      const { model } = await trainModel({
        method: 'dpals',
        settings: { rank: 1, rounds: 3, initialMean },
        ratings,
        epsilon: 3,
        delta: 1e-5,
        engine,
        seed,
      });
      if (model.kind !== 'factors') throw new Error('expected factors');
      total += Math.abs(correlation(Float64Array.from(model.itemFactors), means));
    }
    return total / 8;
  };
  expect(await agreement(2)).toBeGreaterThan(1.1 * (await agreement(0)));
});

function itemMeans({ byUser, itemCount }: RatingMatrix): Float64Array {
  const sums = new Float64Array(itemCount);
  const counts = new Float64Array(itemCount);
  byUser.values.forEach((value, at) => {
    sums[byUser.indices[at]] += value;
    counts[byUser.indices[at]]++;
  });
  return sums.map((sum, item) => sum / Math.max(1, counts[item]));
}

function correlation(a: Float64Array, b: Float64Array): number {
  const centred = (values: Float64Array) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return values.map((value) => value - mean);
  };
  const [x, y] = [centred(a), centred(b)];
  const dot = (p: Float64Array, q: Float64Array) => p.reduce((sum, value, at) => sum + value * q[at], 0);
  return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
}
