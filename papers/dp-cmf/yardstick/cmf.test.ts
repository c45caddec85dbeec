import '@hushrec/papers/register';
import { trainModel } from '@hushrec/factorize';
import type { FactorModel } from '@hushrec/model';
import { createEngine, csrFromTriples } from '@hushrec/numerics';
import { type FeatureSource, generateCatalogue, type RatingMatrix, splitHoldout } from '@hushrec/ratings';
import { describe, expect, it } from 'vitest';

const engine = await createEngine({ threads: 1 });
const catalogue = generateCatalogue({ users: 400, items: 80, ratings: 12_000, seed: 2 });
const { train, test } = splitHoldout(catalogue, { seed: 3, validation: 0 });

async function factors(
  method: string,
  settings: Record<string, unknown>,
  ratings: RatingMatrix = train,
  features: readonly FeatureSource[] = [],
): Promise<FactorModel> {
  const trained = await trainModel({
    ...{ method, settings, ratings, features, engine, epsilon: Infinity, delta: 0, seed: 7 },
  });
  return trained.model as FactorModel;
}

describe('cmf', () => {
  const shared = { rank: 3, rounds: 8, ridgeExponent: 1, interceptRidge: 4 };
  it('without features and intercept is ALS on centred ratings', async () => {
    const alone = await factors('cmf', {
      ...shared,
      userRidge: 0.1,
      itemRidge: 0.1,
      intercept: false,
    });
    const centred: RatingMatrix = {
      ...train,
      byUser: { ...train.byUser, values: train.byUser.values.map((value) => value - alone.offset) },
    };
    const plain = await factors(
      'als',
      { rank: 3, rounds: 8, ridge: 0.1, ridgeExponent: 1, biases: false },
      centred,
    );
    for (let k = 0; k < plain.itemFactors.length; k++) {
      expect(Math.abs(plain.itemFactors[k] - alone.itemFactors[k])).toBeLessThan(1e-4);
    }
  });
  it.each(['explicit', 'implicit'])(
    'gives items nobody rated a vector from their features: %s',
    async (feedback) => {
      const cold = coldStart(train, 5);
      const withFeatures = await factors(
        'cmf',
        { ...shared, feedback, tokenWeight: 5 },
        cold,
        catalogue.features,
      );
      const without = await factors('cmf', { ...shared, feedback }, cold);
      const norm = (model: FactorModel) => Math.hypot(...model.itemFactors.subarray(15, 18));
      expect(norm(without)).toBeLessThan(1e-6);
      expect(norm(withFeatures)).toBeGreaterThan(1e-3);
    },
  );
  it('takes a source of weight 0 for absent, and several sources at once', async () => {
    const none = await factors('cmf', shared);
    const zero = await factors('cmf', { ...shared, tokenWeight: 0 }, train, catalogue.features);
    expect(Array.from(zero.itemFactors)).toEqual(Array.from(none.itemFactors));
    const publicPeople: FeatureSource = {
      kind: 'public-ratings',
      name: 'critics',
      byUser: test.byUser,
      scale: test.scale,
    };
    const both = await factors('cmf', shared, train, [...catalogue.features, publicPeople]);
    expect(both.itemFactors.every(Number.isFinite)).toBe(true);
    expect(Array.from(both.itemFactors)).not.toEqual(Array.from(none.itemFactors));
  });
});

/** The same ratings with one item emptied. */
function coldStart(matrix: RatingMatrix, item: number): RatingMatrix {
  const { byUser } = matrix;
  const triples: [number, number, number][] = [];
  for (let i = 0; i < byUser.rowCount; i++) {
    for (let k = byUser.offsets[i]; k < byUser.offsets[i + 1]; k++) {
      if (byUser.indices[k] !== item) triples.push([i, byUser.indices[k], byUser.values[k]]);
    }
  }
  const column = (at: 0 | 1 | 2) => triples.map((triple) => triple[at]);
  return {
    ...matrix,
    byUser: csrFromTriples(byUser.rowCount, byUser.columnCount, column(0), column(1), column(2)),
  };
}
