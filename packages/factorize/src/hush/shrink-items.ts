import { symmetricEigen } from '@hushrec/numerics';
import type { MeasuredSums } from './earlier-rounds.js';
import type { Shrinkage } from './shrinkage.js';

/** Released sums of a round and what is known about their error. */
export interface NoisyItemSums {
  /** b̂_j. */
  readonly vectors: MeasuredSums;
  /** Ĉ: full symmetric moment per unit of weight, so that item j's system is about ŝ_j Ĉ. */
  readonly moment: Float64Array;
  /** Standard deviation of the noise on its diagonal. */
  readonly momentNoise: number;
  /** ŝ_j > 0: released weight of every item. */
  readonly weights: Float64Array;
  /** Variance that sampling adds to a coordinate of b̂_j, per unit of ŝ_j times the eigenvalue. */
  readonly samplingVariance: number;
}

/** Eigenvalues below this part of the largest are lifted to it. */
const smallestRelativeEigenvalue = 1e-3;

/**
 * Where eigenvalues of a released second moment stop meaning anything: below σ√(2d), where those of the
 * symmetric noise alone end, and below 10⁻³ of the largest. Without the former, a moment that is all noise
 * would make vectors of any length.
 */
export function eigenvalueFloor(eigenvalues: Float64Array, noise: number): number {
  return Math.max(
    noise * Math.sqrt(2 * eigenvalues.length),
    smallestRelativeEigenvalue * Math.max(...eigenvalues),
    1e-12,
  );
}

/**
 * Item vectors by empirical Bayes, with no ridge to tune. In the eigenbasis of Ĉ = Q diag(e) Qᵀ,
 *
 *   z_jk = (Qᵀ b̂_j)_k = a_jk θ_jk + error,  a_jk = ŝ_j e_k,  variance of the error  n_jk = σ_jk² + s·a_jk
 *
 * with the noise σ_jk known (exactly, unless earlier rounds are in it), coordinate by coordinate (see
 * `Shrinkage`): directions without signal vanish by themselves, popular items keep their data, rare ones
 * shrink to what else is known. Where a round follows, a direction is kept at a root mean square (by weight)
 * of `leastSize`: what people say about it is as long as it is, and the noise is not, so that a direction
 * which once became short would never be found again. Post-processing. Vectors are returned in the eigenbasis
 * Q, by rows (taste coordinates rotate with them). O(items · d² + d³) besides the shrinkage.
 */
export async function shrinkItems(
  sums: NoisyItemSums,
  shrink: Shrinkage,
  leastSize = 0,
): Promise<{ readonly vectors: Float64Array; readonly basis: Float64Array }> {
  const { weights, vectors: measured } = sums;
  const { width } = measured;
  const itemCount = weights.length;
  const { values: eigenvalues, vectors: basis } = symmetricEigen(sums.moment, width);
  const floor = eigenvalueFloor(eigenvalues, sums.momentNoise);
  const vectors = new Float64Array(itemCount * width);
  const values = new Float64Array(itemCount);
  const strengths = new Float64Array(itemCount);
  const variances = new Float64Array(itemCount);
  for (let k = 0; k < width; k++) {
    const eigenvalue = Math.max(eigenvalues[k], floor);
    for (let item = 0; item < itemCount; item++) {
      let [z, noise] = [0, 0];
      for (let a = 0; a < width; a++) {
        z += measured.values[item * width + a] * basis[k * width + a];
        noise += measured.variances[item * width + a] * basis[k * width + a] ** 2;
      }
      values[item] = z;
      strengths[item] = weights[item] * eigenvalue;
      variances[item] = noise + sums.samplingVariance * strengths[item];
    }
    const estimates = await shrink({ values, strengths, variances });
    let [squares, total] = [0, 0];
    for (let item = 0; item < itemCount; item++) {
      squares += weights[item] * estimates[item] ** 2;
      total += weights[item];
    }
    const lift = squares > 0 ? Math.max(1, leastSize / Math.sqrt(squares / total)) : 1;
    for (let item = 0; item < itemCount; item++) vectors[item * width + k] = lift * estimates[item];
  }
  return { vectors, basis };
}
