import { eigenCoordinates, type NoisySums } from './eigen-coordinates.js';
import type { Shrinkage } from './shrinkage.js';

/** Released sums of a round and what is known about their error. */
export interface NoisyItemSums extends NoisySums {
  /** Ĉ: full symmetric moment per unit of weight, so that item j's system is about ŝ_j Ĉ. */
  readonly moment: Float64Array;
  /** ŝ_j > 0: released weight of every item. */
  readonly weights: Float64Array;
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
  const { weights } = sums;
  const { width } = sums.vectors;
  const itemCount = weights.length;
  const { basis, coordinate } = eigenCoordinates(sums, weights);
  const vectors = new Float64Array(itemCount * width);
  for (let k = 0; k < width; k++) {
    const estimates = await shrink(coordinate(k));
    const lift = liftOf(estimates, weights, leastSize);
    for (let item = 0; item < itemCount; item++) vectors[item * width + k] = lift * estimates[item];
  }
  return { vectors, basis };
}

/** What brings a direction's root mean square by weight to `leastSize`; 1 where it is longer, or nothing. */
function liftOf(estimates: Float64Array, weights: Float64Array, leastSize: number): number {
  let squares = 0;
  let total = 0;
  for (let item = 0; item < weights.length; item++) {
    squares += weights[item] * estimates[item] ** 2;
    total += weights[item];
  }
  return squares > 0 ? Math.max(1, leastSize / Math.sqrt(squares / total)) : 1;
}
