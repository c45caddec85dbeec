import type { NeighbourModel } from '@hushrec/model';
import { createEngine, csrFromTriples, invertPositiveDefinite } from '@hushrec/numerics';
import { generateCatalogue, type RatingMatrix } from '@hushrec/ratings';
import { describe, expect, it } from 'vitest';
import { planRun, trainModel } from '../train.js';

const engine = await createEngine({ threads: 1 });

async function trained(ratings: RatingMatrix, settings: Record<string, unknown>): Promise<NeighbourModel> {
  const { model } = await trainModel({
    method: 'ease',
    settings,
    ratings,
    engine,
    epsilon: Infinity,
    delta: 0,
    seed: 1,
  });
  if (model.kind !== 'neighbours') throw new Error('expected a neighbour model');
  return model;
}

/** Row j holds the B_lj of a model, 0 where none is kept. */
function weightsOf(model: NeighbourModel, items: number): Float64Array[] {
  return Array.from({ length: items }, (_, item) => {
    const row = new Float64Array(items);
    for (let at = item * model.k; at < (item + 1) * model.k; at++)
      if (model.neighbours[at] >= 0) row[model.neighbours[at]] = model.similarities[at];
    return row;
  });
}

/** x_u of every person: 1 for what was chosen. */
function denseRows({ byUser, itemCount }: RatingMatrix): Float64Array[] {
  return Array.from({ length: byUser.rowCount }, (_, user) => {
    const row = new Float64Array(itemCount);
    for (let k = byUser.offsets[user]; k < byUser.offsets[user + 1]; k++) row[byUser.indices[k]] = 1;
    return row;
  });
}

/** Σ_u x_u x_uᵀ + λI, by rows. */
function naiveGramian(ratings: RatingMatrix, ridge: number): Float64Array {
  const items = ratings.itemCount;
  const gramian = new Float64Array(items * items);
  for (const row of denseRows(ratings))
    for (let l = 0; l < items; l++)
      if (row[l] > 0) for (let j = 0; j < items; j++) gramian[l * items + j] += row[j];
  for (let j = 0; j < items; j++) gramian[j * (items + 1)] += ridge;
  return gramian;
}

const greatestGap = (one: readonly Float64Array[], other: readonly Float64Array[]) =>
  Math.max(...one.map((row, j) => Math.max(...row.map((value, l) => Math.abs(value - other[j][l])))));

describe('ease', () => {
  // Fewer items than a tile has, as many, and several tiles with the last one not full.
  it.each([2, 40, 128, 300])('is B = I − P diag(1/diag P), its diagonal 0: %i items', async (items) => {
    const { ratings } = generateCatalogue({
      users: 200,
      items,
      ratings: Math.min(100 * items, 8_000),
      seed: 4,
    });
    const inverse = naiveGramian(ratings, 20);
    expect(invertPositiveDefinite(inverse, items)).toBe(true);
    const expected = Array.from({ length: items }, (_, j) =>
      Float64Array.from({ length: items }, (_, l) =>
        l === j ? 0 : -inverse[l * items + j] / inverse[j * (items + 1)],
      ),
    );
    const model = await trained(ratings, { ridge: 20 });
    expect(greatestGap(weightsOf(model, items), expected)).toBeLessThan(1e-6);
    for (let j = 0; j < items; j++)
      expect(model.neighbours.subarray(j * model.k, (j + 1) * model.k)).not.toContain(j);
  });

  it('solves the ridge regression of every item on all others', async () => {
    const items = 30;
    const { ratings } = generateCatalogue({ users: 90, items, ratings: 700, seed: 5 });
    const gramian = naiveGramian(ratings, 0);
    weightsOf(await trained(ratings, { ridge: 3 }), items).forEach((weights, j) => {
      // The gradient of ‖x_j − XB_j‖² + 3‖B_j‖² by B_lj, l ≠ j, is 0.
      for (let l = 0; l < items; l++) {
        if (l === j) continue;
        let gradient = 3 * weights[l] - gramian[l * items + j];
        for (let other = 0; other < items; other++) gradient += gramian[l * items + other] * weights[other];
        expect(Math.abs(gradient)).toBeLessThan(1e-4);
      }
    });
  });

  it('keeps the weights of the largest size, of either sign', async () => {
    const items = 50;
    const { ratings } = generateCatalogue({ users: 200, items, ratings: 3_000, seed: 6 });
    const all = weightsOf(await trained(ratings, { ridge: 10 }), items);
    const few = await trained(ratings, { ridge: 10, neighbours: 7 });
    expect(few.k).toBe(7);
    expect(few.similarities.some((weight) => weight < 0)).toBe(true);
    weightsOf(few, items).forEach((row, j) => {
      const kept = Array.from(row).filter((weight) => weight !== 0);
      const largest = Array.from(all[j]).sort((a, b) => Math.abs(b) - Math.abs(a));
      const bySize = (a: number, b: number) => a - b;
      expect(kept.sort(bySize)).toEqual(largest.slice(0, 7).sort(bySize));
    });
  });

  it('keeps no more than it may where weights are alike', async () => {
    // Everybody has everything: all weights of an item are the same.
    const pairs = Array.from({ length: 60 }, (_, k) => [Math.floor(k / 6), k % 6]);
    const ratings: RatingMatrix = {
      userCount: 10,
      itemCount: 6,
      scale: { min: 1, max: 1, step: 1 },
      byUser: csrFromTriples(
        10,
        6,
        pairs.map(([user]) => user),
        pairs.map(([, item]) => item),
      ),
    };
    const model = await trained(ratings, { ridge: 1, neighbours: 2 });
    // B = n/(n(m − 1) + λ) with n people and m items.
    for (const weight of model.similarities) expect(weight).toBeCloseTo(10 / 51, 6);
    expect(Array.from(model.neighbours)).not.toContain(-1);
  });

  it('is refused, before any rating is read, where its matrix would not fit', () => {
    const plan = (itemCount: number) =>
      planRun({
        method: 'ease',
        itemCount,
        scale: { min: 1, max: 1, step: 1 },
        epsilon: Infinity,
        delta: 0,
      });
    expect(() => plan(40_981)).toThrow(/40981 items takes 18\.8 GiB.*at most 16000 items \(2\.9 GiB\)/);
    expect(() => plan(16_001)).toThrow('at most 16000 items');
    expect(plan(16_000).settings).toMatchObject({ ridge: 300 });
  });

  it('can be stopped between two tiles', async () => {
    const stop = new AbortController();
    const { ratings } = generateCatalogue({ users: 100, items: 300, ratings: 3_000, seed: 7 });
    let steps = 0;
    const training = trainModel({
      method: 'ease',
      ratings,
      engine,
      epsilon: Infinity,
      delta: 0,
      hooks: {
        signal: stop.signal,
        progress: () => {
          steps++;
          setTimeout(() => stop.abort());
        },
      },
    });
    await expect(training).rejects.toThrow(/abort/i);
    expect(steps).toBeLessThan(3);
  });
});
