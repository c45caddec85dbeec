import {
  defineMethod,
  eachRound,
  idleBy,
  itemCounts,
  meanRating,
  planWithoutPrivacy,
} from '@hushrec/factorize';
import {
  type Csr,
  type Engine,
  type FactorMatrix,
  randomFactors,
  rowRidges,
  sharedFloat32,
  solveSide,
  zeroFactors,
} from '@hushrec/numerics';
import type { FeatureSource } from '@hushrec/ratings';
import { type CmfSettings, cmfSettings } from './cmf-settings.js';
import { collectiveRows } from './collective-rows.js';
import { type FeatureRows, featureRows } from './feature-rows.js';

/**
 * Collective matrix factorization by alternating least squares (Singh & Gordon 2008; Curmei et al. 2023,
 * §3.1), the non-private counterpart of DP-CMF. Ratings and any number of public matrices S share the item
 * vectors:
 *
 *   Σ_Ω (y_ij − u_i·v_j)² + α Σ_Ω′ (S_kj − f_k·v_j)² + λ(‖U‖² + ‖V‖²) + λ′‖F‖²
 *     [+ α₀ ‖UVᵀ‖² + α α₀′ ‖FVᵀ‖²]
 *
 * with α by kind of source and y centred. Items nobody rated get their vector from their features alone.
 */
export const cmf = defineMethod({
  id: 'cmf',
  title: 'Collective matrix factorization',
  paper: 'Singh & Gordon 2008; Curmei et al. 2023, §3.1',
  feedback: ['explicit', 'implicit'],
  protects: [],
  settings: cmfSettings,
  needs: 'ratings',
  learnsFrom: ['categorical', 'similarity', 'public-ratings'],
  idle: ({ feedback, intercept }) =>
    idleBy(
      [feedback === 'explicit', 'feedback=implicit', 'unobservedWeight'],
      [feedback === 'implicit', 'feedback=explicit', 'intercept', 'interceptRidge'],
      [!intercept, 'intercept=true', 'interceptRidge'],
    ),
  plan: () => planWithoutPrivacy('exact item vectors'),
  async train({ ratings, features, settings, engine, random, progress, signal }) {
    const { rank, rounds, feedback, ridgeExponent, userRidge, interceptRidge } = settings;
    const implicit = feedback === 'implicit';
    const unobservedWeight = implicit ? settings.unobservedWeight : 0;
    const byUser = implicit ? withOnes(ratings.byUser) : ratings.byUser;
    const offset = implicit ? 0 : meanRating(byUser);
    const sources = weightedSources(features, settings, offset);
    const collective = collectiveRows(byUser, sources);
    const counts = itemCounts(byUser);
    const itemRidge = ridgesOf(counts, settings);
    // People's vectors, then those of the features of each source: what items are solved against.
    const fixed = zeroFactors(collective.byItem.columnCount, rank);
    const users = rowsOf(fixed, 0, byUser.rowCount);
    const intercepts = settings.intercept && !implicit ? sharedFloat32(byUser.rowCount) : undefined;
    const items = randomFactors(ratings.itemCount, rank, settings.initialStdDev, random); // V ← init
    const solveUsers = implicit
      ? implicitUsers(engine, byUser, users, settings)
      : explicitUsers(engine, byUser, { factors: users, intercepts }, offset, settings);

    for (const _round of eachRound(rounds, { progress, signal })) {
      const itemGramian = await engine.gramian(items);
      await solveUsers(items, itemGramian); // u_i ← argmin given V
      const common = new Float64Array(rank * rank);
      if (unobservedWeight > 0) addScaled(common, await engine.gramian(users), unobservedWeight); // α₀ UᵀU
      let row = byUser.rowCount;
      for (const source of sources) {
        const out = rowsOf(fixed, row, source.rows.rowCount);
        row += source.rows.rowCount;
        await solveFeatures(engine, source, items, itemGramian, out, settings); // f_k ← argmin given V
        const unobserved = source.weight * settings.featureUnobservedWeight;
        addScaled(common, await engine.gramian(out), unobserved); // α α₀′ FᵀF
      }
      await engine.solveRows({
        rows: collective.byItem,
        fixed,
        out: items,
        ridge: itemRidge,
        weights: collective.weights,
        targets: collective.targets(offset, intercepts),
        unobservedWeight: 1,
        gramian: common,
      }); // v_j ← argmin given U and F
    }
    return {
      model: {
        kind: 'factors',
        feedback: implicit ? 'implicit' : 'explicit',
        rank,
        itemFactors: items.data,
        offset,
        foldIn: {
          ridge: userRidge,
          ridgeExponent,
          ...(intercepts && { interceptRidge }),
          unobservedWeight,
        },
        popularity: counts,
      },
    };
  },
});

type SolveUsers = (items: FactorMatrix, gramian: Float64Array) => Promise<unknown>;

/** People's vectors from what they chose and, lightly, from all that they did not. */
function implicitUsers(engine: Engine, rows: Csr, out: FactorMatrix, settings: CmfSettings): SolveUsers {
  const { userRidge, ridgeExponent, unobservedWeight } = settings;
  const ridge = rowRidges(rows, userRidge, ridgeExponent);
  return (fixed, gramian) => engine.solveRows({ rows, fixed, out, ridge, unobservedWeight, gramian });
}

/** People's vectors, and their intercepts where these are wanted, from ratings without their mean. */
function explicitUsers(
  engine: Engine,
  rows: Csr,
  { factors, intercepts }: { factors: FactorMatrix; intercepts: Float32Array | undefined },
  offset: number,
  { userRidge, ridgeExponent, interceptRidge }: CmfSettings,
): SolveUsers {
  return (items) =>
    solveSide(engine, {
      rows,
      fixed: { factors: items },
      offset,
      ridge: userRidge,
      ridgeExponent,
      ...(intercepts && { interceptRidge }),
      out: { factors, ...(intercepts && { intercept: intercepts }) },
    });
}

function solveFeatures(
  engine: Engine,
  { rows, weight }: { readonly rows: Csr; readonly weight: number },
  items: FactorMatrix,
  gramian: Float64Array,
  out: FactorMatrix,
  { featureRidge, featureUnobservedWeight: unobservedWeight }: CmfSettings,
): Promise<unknown> {
  const ridge = featureRidge / weight;
  return engine.solveRows({ rows, fixed: items, out, ridge, unobservedWeight, gramian });
}

/** Public matrices with the weight α of their kind; those of weight 0 are not used. */
function weightedSources(features: readonly FeatureSource[], settings: CmfSettings, offset: number) {
  return features
    .map((source) => ({
      ...featureRows(source, settings.feedback, offset),
      weight: weightOf(source.kind, settings),
    }))
    .filter(({ weight }) => weight > 0);
}

/** λ n_j^p, and λ for items known by their features alone. */
function ridgesOf(counts: ArrayLike<number>, { itemRidge, ridgeExponent }: CmfSettings): Float32Array {
  const ridges = sharedFloat32(counts.length);
  for (let j = 0; j < ridges.length; j++) ridges[j] = itemRidge * Math.max(1, counts[j]) ** ridgeExponent;
  return ridges;
}

function weightOf(kind: FeatureRows['kind'], settings: CmfSettings): number {
  switch (kind) {
    case 'categorical':
      return settings.tokenWeight;
    case 'similarity':
      return settings.similarityWeight;
    case 'public-ratings':
      return settings.publicRatingsWeight;
    default:
      return kind satisfies never;
  }
}

function withOnes(rows: Csr): Csr {
  return { ...rows, values: sharedFloat32(rows.values.length).fill(1) };
}

function rowsOf(matrix: FactorMatrix, begin: number, rowCount: number): FactorMatrix {
  const { width, data } = matrix;
  return { rowCount, width, data: data.subarray(begin * width, (begin + rowCount) * width) };
}

function addScaled(sum: Float64Array, matrix: Float64Array, factor: number): void {
  for (let k = 0; k < sum.length; k++) sum[k] += factor * matrix[k];
}
