import type { Csr } from '@hushrec/numerics';
import type { ReleaseRecorder } from '@hushrec/privacy';
import { type DpimfSettings, lossOf } from './dpimf-settings.js';
import { boundProfiles, realProfiles } from './profile-bounds.js';
import { gramianOf, solveProfiles } from './profile-solve.js';
import {
  type ProfileSums,
  profileSensitivities,
  profileSums,
  releaseProfileSums,
} from './profile-statistics.js';
import { optimalWeights, thinned, wholeWeights } from './profile-thinning.js';

/** One pass: a side is solved from its positives and the profiles of the other side. */
export interface ProfilePass {
  readonly recorder: ReleaseRecorder;
  readonly side: 'user' | 'item';
  /** Rows of the side. */
  readonly positives: Csr;
  readonly otherProfiles: Float64Array;
  readonly settings: DpimfSettings;
  /** Seeds the public coins of importance sampling. */
  readonly coins: number;
}

/** One side's profiles from public or released profiles of the other side. */
export async function privatePass(pass: ProfilePass): Promise<Float64Array> {
  const { sums, gramian, columns } = await releasedPass(pass);
  return solveProfiles(sums, gramian, columns, lossOf(pass.settings));
}

/**
 * What one pass releases about one side: everything needed to solve it, and additive over parties with
 * columns of their own.
 */
export interface ReleasedPass {
  /** Noised sums over positives, in real units. */
  readonly sums: ProfileSums;
  /** Σppᵀ over all columns: a function of released profiles. */
  readonly gramian: Float64Array;
  readonly columns: number;
}

export async function releasedPass(pass: ProfilePass): Promise<ReleasedPass> {
  const { recorder, side, positives, otherProfiles, settings, coins } = pass;
  const loss = lossOf(settings);
  const fixed = boundProfiles(otherProfiles, loss.rank, loss.bounds);
  const weights = settings.importanceSampling
    ? thinned(positives, coins, wholeWeights(fixed, loss.bounds.l1))
    : undefined;
  const exact = profileSums(positives, fixed, loss.variant, weights);
  const moves = profileSensitivities(loss);
  const sums = await releaseProfileSums(recorder, side, exact, fixed, loss.variant, moves);
  return { sums, gramian: gramianOf(realProfiles(fixed), loss.rank), columns: positives.columnCount };
}

/** The printed pass: bounds are maxima over the profiles at hand, and this pass alone gets all of ε. */
export async function printedPass(pass: ProfilePass): Promise<Float64Array> {
  const { recorder, side, positives, otherProfiles, settings, coins } = pass;
  const bounds = largestNorms(otherProfiles, settings.rank);
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
  const fixed = boundProfiles(otherProfiles, loss.rank, bounds, bits);
  const weights = settings.importanceSampling
    ? thinned(positives, coins, optimalWeights(fixed, bounds.l1, passes))
    : undefined;
  const sums = profileSums(positives, fixed, loss.variant, weights);
  const noisy = await releaseProfileSums(recorder, side, sums, fixed, loss.variant, declared);
  return solveProfiles(noisy, gramianOf(otherProfiles, loss.rank), positives.columnCount, loss);
}

/** One side without noise: what a party computes for itself. */
export function exactProfiles(
  positives: Csr,
  otherProfiles: Float64Array,
  settings: DpimfSettings,
): Float64Array {
  const bounds = largestNorms(otherProfiles, settings.rank);
  const loss = { ...lossOf(settings), bounds };
  const fixed = boundProfiles(otherProfiles, loss.rank, bounds);
  const { linear, quadratic, counts } = profileSums(positives, fixed, loss.variant);
  const real = {
    linear: linear.map((units) => units * 2 * fixed.step),
    quadratic: quadratic.map((units) => units * fixed.step ** 2),
    counts,
  };
  return solveProfiles(real, gramianOf(otherProfiles, loss.rank), positives.columnCount, loss);
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

/**
 * What the paper takes one pass over the linear coefficients to cost: the plan's relative noise, one pass of
 * `count`.
 */
function passEpsilon(recorder: ReleaseRecorder, side: 'user' | 'item'): number {
  const line = recorder.plan.releases.find(
    ({ name }) => name === `${side}-linear` || name === `${side}-coefficients`,
  );
  if (line === undefined)
    throw new RangeError(`The plan has no line for the linear coefficients of the ${side} side.`);
  return line.noise === 0 ? Number.POSITIVE_INFINITY : line.count / line.noise;
}
