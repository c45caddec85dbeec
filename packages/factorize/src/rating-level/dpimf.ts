import { type Csr, transpose } from '@hushrec/numerics';
import type { ReleaseRecorder } from '@hushrec/privacy';
import type { Method } from '../method.js';
import { readSettings, type SettingsOf, type SettingsSchema } from '../settings.js';
import { cellCoin } from './cell-coin.js';
import { optimalWeight } from './importance-weights.js';
import { boundProfiles, type GridProfiles, realProfiles } from './profile-bounds.js';
import { gramianOf, solveProfiles } from './profile-solve.js';
import {
  type ProfileLoss,
  type ProfileSums,
  planProfiles,
  profileSensitivities,
  profileSums,
  releaseProfileSums,
} from './profile-statistics.js';
import { rowNames } from './published-averages.js';

export const dpimfSchema = {
  variant: {
    type: 'choice',
    default: 'optimal',
    choices: ['strawman', 'complementary', 'symmetric', 'optimal'],
    description: 'How the loss is built and noised; optimal needs noise on the linear coefficients only.',
  },
  side: {
    type: 'choice',
    default: 'item',
    choices: ['item', 'user'],
    description: 'Whose profiles are learnt last (repaired), or are the only ones noised (as printed).',
  },
  repaired: {
    type: 'boolean',
    default: true,
    description: 'true: both sides noised, public bounds, all passes paid for. false: the text as printed.',
  },
  dimensions: { type: 'integer', default: 8, min: 1, max: 256, description: 'd: length of a profile.' },
  rounds: { type: 'integer', default: 2, min: 1, max: 2000, description: 'Passes; each one costs.' },
  regularization: { type: 'number', default: 0.003, min: 1e-6, max: 1e3, description: 'λ.' },
  unobservedWeight: {
    type: 'number',
    default: 0.8,
    min: 0.01,
    max: 1,
    description: 'α₀: weight of pairs without interaction; the optimal variant has 1.',
  },
  l1Bound: {
    type: 'number',
    default: 1,
    min: 1e-6,
    max: 1e6,
    description: 'C₁: profiles are clipped to this ℓ₁ norm.',
  },
  l2Bound: {
    type: 'number',
    default: 1,
    min: 1e-6,
    max: 1e6,
    description: 'C₂: profiles are clipped to this ℓ₂ norm.',
  },
  firstShare: {
    type: 'number',
    default: 0.5,
    min: 0.01,
    max: 0.99,
    description: 'Share of ε for the side that is solved first in each round (repaired).',
  },
  importanceSampling: {
    type: 'boolean',
    default: false,
    description: 'Keeps a record with probability 1/w and counts it w times. Saves work, never noise.',
  },
} as const satisfies SettingsSchema;

export type DpimfSettings = SettingsOf<typeof dpimfSchema>;

export const dpimfUnproven =
  'sensitivities are maxima over the private profiles, which are recomputed from the protected data in every pass; ' +
  'the proof holds them fixed, covers one entry where a whole row is claimed, and counts one pass of many';

/**
 * Differentially private implicit matrix factorization: Ran, Ye, Huang, Hu 2024 (DPIMF), for one party.
 *
 * Unit: one cell of the complete 0/1 matrix flips, that is, one interaction is present or absent.
 *
 * Repaired: rounds of P̄ given Q̄, then Q̄ given P̄, both by noised least squares with profiles clipped to public bounds
 * after their release. Given everything released before, a flip of (u, j) moves only the sums of row u on one
 * side and of row j on the other, by `profileSensitivities`. The shared matrix G_all of the optimal variant is
 * a function of released profiles, hence free. Starts from public random profiles.
 *
 * As printed (`repaired=false`): one side is recomputed from raw data, bounds are read off it, and each of the passes gets the
 * whole ε. That has no proof of any finite ε.
 *
 * Importance sampling, repaired: weights w = C₁/‖p‖₁ thin out records with small profiles; w·2p still has ℓ₁ norm at most
 * 2C₁, so the guarantee does not lean on the coins being secret. As printed: the optimal weights of `optimalWeight`.
 */
export const dpimf: Method<typeof dpimfSchema> = {
  id: 'dpimf',
  title: 'Implicit matrix factorization with a noised loss',
  paper: 'Ran, Ye, Huang, Hu 2024, Algorithms 1 and 2',
  feedback: ['implicit'],
  protects: [{ unit: 'rating-presence', relation: 'add-remove' }],
  settings: dpimfSchema,
  plan(given, shape) {
    const settings = readSettings(dpimfSchema, given);
    const loss = lossOf(settings);
    const { side, rounds, repaired, firstShare } = settings;
    const first = side === 'item' ? 'user' : 'item';
    const epsilon = Number.isFinite(shape.epsilon) ? `${shape.epsilon}` : 'ε';
    return {
      unit: 'rating-presence',
      relation: 'add-remove',
      released: repaired ? 'item profiles and user profiles' : `${side} profiles`,
      releases: repaired
        ? [
            ...planProfiles(first, loss, rounds, firstShare),
            ...planProfiles(side, loss, rounds, 1 - firstShare),
          ]
        : planProfiles(side, loss, rounds, 1, dpimfUnproven),
      ...(repaired
        ? {}
        : { claimedByPaper: { claim: `${epsilon}-differential privacy per user`, why: dpimfUnproven } }),
    };
  },
  async train({ ratings, settings: given, recorder, random, progress, signal }) {
    const settings = readSettings(dpimfSchema, given);
    const { dimensions: width, side, rounds } = settings;
    const positives = { user: ratings.byUser, item: transpose(ratings.byUser) };
    const first = side === 'item' ? 'user' : 'item';
    let profiles = { [side]: uniformRows(positives[side].rowCount, width, random) } as Record<
      'user' | 'item',
      Float64Array
    >;
    const pass = settings.repaired ? privatePass : printedPass;
    for (let round = 0; round < rounds; round++) {
      signal?.throwIfAborted();
      const coins = Math.floor(random() * 2 ** 32);
      const other = settings.repaired
        ? await privatePass(recorder, first, positives[first], profiles[side], settings, coins)
        : exactProfiles(positives[first], profiles[side], settings);
      const own = await pass(recorder, side, positives[side], other, settings, coins);
      profiles = { [first]: other, [side]: own } as Record<'user' | 'item', Float64Array>;
      progress?.({ stage: 'rounds', done: round + 1, total: rounds });
    }
    // People fold their own history into item profiles; user profiles go out only where they are what was asked for.
    const published = side === 'user';
    const items =
      settings.repaired || side === 'item' ? profiles.item : new Float64Array(profiles.item.length);
    return {
      model: {
        kind: 'factors',
        feedback: 'implicit',
        dimensions: width,
        itemFactors: Float32Array.from(items),
        offset: 0,
        foldIn: {
          ridge: settings.regularization * ratings.itemCount,
          ridgeExponent: 0,
          unobservedWeight: lossOf(settings).unobservedWeight,
        },
        ...(published
          ? { users: { ids: rowNames(ratings.userCount), factors: Float32Array.from(profiles.user) } }
          : {}),
      },
    };
  },
};

export function lossOf(settings: DpimfSettings): ProfileLoss {
  return {
    variant: settings.variant,
    unobservedWeight: settings.variant === 'optimal' ? 1 : settings.unobservedWeight,
    regularization: settings.regularization,
    bounds: { l1: settings.l1Bound, l2: settings.l2Bound },
    dimensions: settings.dimensions,
  };
}

/** One side's profiles from public or released profiles of the other side. */
export async function privatePass(
  recorder: ReleaseRecorder,
  side: 'user' | 'item',
  positives: Csr,
  otherProfiles: Float64Array,
  settings: DpimfSettings,
  coins: number,
): Promise<Float64Array> {
  const { sums, gramian, columns } = await releasedSums(
    recorder,
    side,
    positives,
    otherProfiles,
    settings,
    coins,
  );
  return solveProfiles(sums, gramian, columns, lossOf(settings));
}

/** What one pass releases about one side: everything needed to solve it, and additive over parties with columns of their own. */
export interface ReleasedSums {
  /** Noised sums over positives, in real units. */
  readonly sums: ProfileSums;
  /** Σppᵀ over all columns: a function of released profiles. */
  readonly gramian: Float64Array;
  readonly columns: number;
}

export async function releasedSums(
  recorder: ReleaseRecorder,
  side: 'user' | 'item',
  positives: Csr,
  otherProfiles: Float64Array,
  settings: DpimfSettings,
  coins: number,
): Promise<ReleasedSums> {
  const loss = lossOf(settings);
  const fixed = boundProfiles(otherProfiles, loss.dimensions, loss.bounds);
  const weights = settings.importanceSampling
    ? thinned(positives, coins, wholeWeights(fixed, loss.bounds.l1))
    : undefined;
  const exact = profileSums(positives, fixed, loss.variant, weights);
  const moves = profileSensitivities(loss);
  const sums = await releaseProfileSums(recorder, side, exact, fixed, loss.variant, moves);
  return { sums, gramian: gramianOf(realProfiles(fixed), loss.dimensions), columns: positives.columnCount };
}

/** The printed pass: bounds are maxima over the profiles at hand, and this pass alone gets all of ε. */
export async function printedPass(
  recorder: ReleaseRecorder,
  side: 'user' | 'item',
  positives: Csr,
  otherProfiles: Float64Array,
  settings: DpimfSettings,
  coins: number,
): Promise<Float64Array> {
  const bounds = largestNorms(otherProfiles, settings.dimensions);
  const loss = { ...lossOf(settings), bounds };
  const moves = profileSensitivities(loss);
  const all = moves.linear + moves.quadratic + moves.counts;
  const share = 1 / settings.rounds;
  const declared =
    loss.variant === 'strawman'
      ? { linear: all * share, quadratic: all * share, counts: all * share }
      : { linear: moves.linear * share, quadratic: moves.quadratic * share, counts: moves.counts * share };
  const passes = passEpsilon(recorder, side);
  // Collapsing profiles would need a grid finer than the noise sampler's range: coarsen it with them.
  const noiseInProducts = declared.quadratic / share / passes / (bounds.l1 * bounds.l1);
  const bits = Math.max(4, Math.min(14, Math.floor((36 - Math.log2(Math.max(noiseInProducts, 1e-9))) / 2)));
  const fixed = boundProfiles(otherProfiles, loss.dimensions, bounds, bits);
  const weights = settings.importanceSampling
    ? thinned(positives, coins, optimalWeights(fixed, bounds.l1, passes))
    : undefined;
  const sums = profileSums(positives, fixed, loss.variant, weights);
  const noisy = await releaseProfileSums(recorder, side, sums, fixed, loss.variant, declared);
  return solveProfiles(noisy, gramianOf(otherProfiles, loss.dimensions), positives.columnCount, loss);
}

/** One side without noise: what a party computes for itself. */
export function exactProfiles(
  positives: Csr,
  otherProfiles: Float64Array,
  settings: DpimfSettings,
): Float64Array {
  const bounds = largestNorms(otherProfiles, settings.dimensions);
  const loss = { ...lossOf(settings), bounds };
  const fixed = boundProfiles(otherProfiles, loss.dimensions, bounds);
  const { linear, quadratic, counts } = profileSums(positives, fixed, loss.variant);
  const real = {
    linear: linear.map((units) => units * 2 * fixed.step),
    quadratic: quadratic.map((units) => units * fixed.step ** 2),
    counts,
  };
  return solveProfiles(real, gramianOf(otherProfiles, loss.dimensions), positives.columnCount, loss);
}

/** Independent U(0, 1) entries, as the paper initialises. */
export function uniformRows(count: number, width: number, random: () => number): Float64Array {
  return Float64Array.from({ length: count * width }, random);
}

function largestNorms(rows: Float64Array, width: number): { l1: number; l2: number } {
  let l1 = 1e-12;
  let squared = 1e-24;
  for (let begin = 0; begin < rows.length; begin += width) {
    let absolute = 0;
    let square = 0;
    for (let c = begin; c < begin + width; c++) {
      absolute += Math.abs(rows[c]);
      square += rows[c] * rows[c];
    }
    if (absolute > l1) l1 = absolute;
    if (square > squared) squared = square;
  }
  return { l1, l2: Math.sqrt(squared) };
}

/** What the paper takes one pass over the linear coefficients to cost: the plan's relative noise, one pass of `count`. */
function passEpsilon(recorder: ReleaseRecorder, side: 'user' | 'item'): number {
  const line = recorder.plan.releases.find(
    ({ name }) => name === `${side} linear` || name === `${side} coefficients`,
  );
  return line === undefined || line.noise === 0 ? Number.POSITIVE_INFINITY : line.count / line.noise;
}

/** The largest whole weight per profile with w‖p‖₁ ≤ C₁, at most 1024. */
function wholeWeights(fixed: GridProfiles, l1: number): Float64Array {
  return profileNorms(fixed).map((norm) =>
    Math.min(1024, Math.max(1, Math.floor(norm > 0 ? l1 / norm : 1024))),
  );
}

/** Optimal weights per profile for a target loss, at most 1024. */
function optimalWeights(fixed: GridProfiles, l1: number, target: number): Float64Array {
  if (!Number.isFinite(target)) return new Float64Array(fixed.units.length / fixed.width).fill(1);
  return profileNorms(fixed).map((norm) =>
    Math.min(1024, optimalWeight(Math.min(1, norm / l1) * target, target)),
  );
}

function profileNorms({ units, width, step }: GridProfiles): Float64Array {
  const norms = new Float64Array(units.length / width);
  for (let at = 0; at < units.length; at++) norms[Math.floor(at / width)] += Math.abs(units[at]) * step;
  return norms;
}

/** Per entry: its weight with probability 1/weight, else 0. */
function thinned(positives: Csr, coins: number, weightOf: Float64Array): Float64Array {
  const weights = new Float64Array(positives.indices.length);
  for (let row = 0; row < positives.rowCount; row++) {
    for (let at = positives.offsets[row]; at < positives.offsets[row + 1]; at++) {
      const weight = weightOf[positives.indices[at]];
      weights[at] = cellCoin(coins, row, positives.indices[at]) * weight < 1 ? weight : 0;
    }
  }
  return weights;
}
