import '@hushrec/papers/register';
import { trainModel } from '@hushrec/factorize';
import { type Csr, createEngine, csrFromTriples } from '@hushrec/numerics';
import { type FeatureSource, generateCatalogue } from '@hushrec/ratings';
import { describe, expect, it } from 'vitest';
import { dpals } from '../../dpals/methods/dpals.js';
import { cmf } from '../yardstick/cmf.js';
import { dpCmf } from './dp-cmf.js';

const engine = await createEngine({ threads: 1 });
const items = 30;
const { ratings } = generateCatalogue({ users: 120, items, ratings: 1500, seed: 4 });
const mean = ratings.byUser.values.reduce((sum, value) => sum + value, 0) / ratings.byUser.values.length;

function someMatrix(rows: number, columns: number, value: (row: number, column: number) => number): Csr {
  const entries = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++)
      if ((row * 7 + column * 3) % 5 === 0) entries.push([row, column]);
  }
  return csrFromTriples(
    rows,
    columns,
    entries.map(([row]) => row),
    entries.map(([, column]) => column),
    entries.map(([row, column]) => value(row, column)),
  );
}

const sources: readonly FeatureSource[] = [
  {
    kind: 'categorical',
    name: 'genres',
    fields: [{ name: 'genre', tokens: ['a', 'b', 'c', 'd'], byItem: someMatrix(items, 4, () => 1) }],
  },
  {
    kind: 'similarity',
    name: 'near',
    byItem: someMatrix(items, items, (row, column) => Math.cos(row + column)),
  },
  {
    kind: 'public-ratings',
    name: 'critics',
    byUser: someMatrix(12, items, (row, column) => 1 + ((row + column) % 5)),
    scale: ratings.scale,
  },
];

const fine = {
  contribution: 'uniform',
  contributionLimit: items,
  gridBits: 22,
  intercept: false,
  itemRidgeExponent: 0,
  clipNorm: 8,
  targetBound: 5.1,
};
const base = { ratings, engine, epsilon: Infinity, delta: 0, seed: 3 };
const same = { rank: 3, initialStdDev: 0.5 };

function largestDifference(a: Float32Array, b: Float32Array): number {
  const largest = Math.max(...a.map(Math.abs));
  return Math.max(...a.map((value, at) => Math.abs(value - b[at]))) / largest;
}
const vectorsOf = (model: object) => (model as { itemFactors: Float32Array }).itemFactors;

describe('dp-cmf without noise', () => {
  it('is collective matrix factorization with three sources, explicit', async () => {
    const exact = await trainModel({
      ...base,
      features: sources,
      method: cmf,
      settings: {
        ...same,
        rounds: 4,
        userRidge: 2,
        itemRidge: 3,
        ridgeExponent: 0,
        intercept: false,
        tokenWeight: 0.5,
        similarityWeight: 0.25,
        publicRatingsWeight: 2,
        featureRidge: 4,
        featureUnobservedWeight: 0,
      },
    });
    const limit = await trainModel({
      ...base,
      features: sources,
      method: dpCmf,
      settings: {
        ...same,
        ...fine,
        offset: mean,
        rounds: 4,
        userRidge: 2,
        itemRidge: 3,
        tokenWeight: 0.5,
        tokenRidge: 8,
        similarityWeight: 0.25,
        similarityRidge: 16,
        publicRatingsWeight: 2,
        publicRatingsRidge: 2,
        featureUnobservedWeight: 0,
      },
    });
    expect(largestDifference(vectorsOf(exact.model), vectorsOf(limit.model))).toBeLessThan(1e-5);
  });

  it('is collective matrix factorization, implicit', async () => {
    const features = [sources[0], sources[2]];
    const exact = await trainModel({
      ...base,
      features,
      method: cmf,
      settings: {
        ...same,
        feedback: 'implicit',
        rounds: 4,
        userRidge: 2,
        itemRidge: 3,
        ridgeExponent: 0,
        unobservedWeight: 0.2,
        tokenWeight: 0.5,
        publicRatingsWeight: 0.5,
        featureRidge: 4,
        featureUnobservedWeight: 0.3,
      },
    });
    const limit = await trainModel({
      ...base,
      features,
      method: dpCmf,
      settings: {
        ...same,
        ...fine,
        feedback: 'implicit',
        rounds: 4,
        userRidge: 2,
        itemRidge: 3,
        unobservedWeight: 0.2,
        targetBound: 1.1,
        tokenWeight: 0.5,
        tokenRidge: 8,
        publicRatingsWeight: 0.5,
        publicRatingsRidge: 8,
        featureUnobservedWeight: 0.3,
      },
    });
    expect(largestDifference(vectorsOf(exact.model), vectorsOf(limit.model))).toBeLessThan(1e-5);
  });
});

describe('dp-cmf', () => {
  it('costs what dpals costs and is dpals where there are no sources', async () => {
    const run = { ...base, epsilon: 3, delta: 1e-5, settings: { rank: 3, rounds: 2 } };
    const [plain, collective] = [
      await trainModel({ ...run, method: dpals }),
      await trainModel({ ...run, method: dpCmf }),
    ];
    expect(collective.plan.releases).toEqual(plain.plan.releases);
    expect(vectorsOf(collective.model)).toEqual(vectorsOf(plain.model));
  });

  it('weighs sources one by one: by field, by file, 0 for none', async () => {
    const run = { ...base, method: dpCmf, epsilon: 3, delta: 1e-5 };
    const settings = { rank: 3, rounds: 2, tokenWeight: 2, similarityWeight: 2, publicRatingsWeight: 2 };
    const vectors = async (features: readonly FeatureSource[], more: object) =>
      vectorsOf((await trainModel({ ...run, features, settings: { ...settings, ...more } })).model);
    const [tokens, , people] = [sources[0], sources[1], sources[2]];
    const alone = await vectors([people], {});
    expect(await vectors(sources, { sourceWeights: 'genre:0,near:0' })).toEqual(alone);
    expect(await vectors(sources, { sourceWeights: 'genres:0, near:0' })).toEqual(alone);
    expect(await vectors(sources, { sourceWeights: 'near:0,critics:0,genre:1' })).toEqual(
      await vectors([tokens], {}),
    );
    expect(await vectors([people], { sourceWeights: 'critics:0.5', sourceRidges: 'critics:3' })).toEqual(
      await vectors([people], { publicRatingsWeight: 1, publicRatingsRidge: 30 }),
    );
  });

  it('refuses the name of a source that is not there before anything is charged', async () => {
    let charged = false;
    const run = (features: readonly FeatureSource[]) =>
      trainModel({
        ...base,
        method: dpCmf,
        epsilon: 3,
        delta: 1e-5,
        features,
        settings: { sourceRidges: 'gnre:2' },
        hooks: {
          beforeData: () => {
            charged = true;
          },
        },
      });
    await expect(run(sources)).rejects.toThrow(
      'sourceRidges names "gnre", which is no public source here. Known: genres, genre, near, critics.',
    );
    await expect(run([])).rejects.toThrow('give them by --features');
    expect(charged).toBe(false);
  });

  it('gives an item outside the released choice a vector from its features alone', async () => {
    const settings = { rank: 3, rounds: 2, itemFraction: 0.1, tokenWeight: 5, featureUnobservedWeight: 0 };
    const run = { ...base, epsilon: 3, delta: 1e-5 };
    const zeros = (model: object) =>
      Array.from({ length: items }, (_, item) => vectorsOf(model).subarray(3 * item, 3 * item + 3)).filter(
        (v) => v.every((x) => x === 0),
      ).length;
    const without = await trainModel({ ...run, method: dpCmf, settings });
    const withTokens = await trainModel({ ...run, method: dpCmf, settings, features: [sources[0]] });
    expect(zeros(without.model)).toBe(27);
    expect(zeros(withTokens.model)).toBeLessThan(8);
  });
});
