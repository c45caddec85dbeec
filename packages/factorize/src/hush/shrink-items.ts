import { symmetricEigen } from '@hushrec/numerics';

/** Released sums of a round and what is known about their error. */
export interface NoisyItemSums {
  readonly width: number;
  /** b̂_j, items by rows. */
  readonly vectors: Float64Array;
  /** Standard deviation of the noise on every coordinate of b̂. */
  readonly vectorNoise: number;
  /** Ĉ: full symmetric moment per unit of weight, so that item j's system is about ŝ_j Ĉ. */
  readonly moment: Float64Array;
  /** ŝ_j > 0: released weight of every item. */
  readonly weights: Float64Array;
  /** Variance that sampling adds to a coordinate of b̂_j, per unit of ŝ_j times the eigenvalue. */
  readonly samplingVariance: number;
}

/** Eigenvalues of Ĉ below this part of the largest are noise: they are lifted to it. */
const smallestRelativeEigenvalue = 1e-3;

/**
 * Item vectors by empirical Bayes, with no ridge to tune. In the eigenbasis of Ĉ = Q diag(e) Qᵀ,
 *
 *   z_jk = (Qᵀ b̂_j)_k = a_jk θ_jk + error,  a_jk = ŝ_j e_k,  variance of the error  n_jk = σ_b² + s·a_jk
 *
 * with the noise σ_b known exactly. The prior θ_jk ~ N(0, τ_k²) has its variance estimated over all items,
 *
 *   τ_k² = Σ_j a² (z² − n)/n² / Σ_j a⁴/n²     (weighted moments; 0 when there is only noise)
 *
 * and θ̂_jk = τ² a z / (τ² a² + n): directions without signal vanish by themselves, popular items keep their data,
 * rare ones shrink to 0. Post-processing. Vectors are returned in the eigenbasis (taste coordinates rotate with them).
 * O(items · d² + d³).
 */
export function shrinkItems(sums: NoisyItemSums): {
  readonly vectors: Float64Array;
  readonly priorVariances: Float64Array;
} {
  const { width, weights } = sums;
  const itemCount = weights.length;
  const { values, vectors: basis } = symmetricEigen(sums.moment, width);
  const largest = Math.max(...values, 1e-12);
  const out = new Float64Array(itemCount * width);
  const priorVariances = new Float64Array(width);
  const noise = sums.vectorNoise ** 2;
  for (let k = 0; k < width; k++) {
    const eigenvalue = Math.max(values[k]!, smallestRelativeEigenvalue * largest);
    let signal = 0;
    let scale = 0;
    for (let item = 0; item < itemCount; item++) {
      let z = 0;
      for (let a = 0; a < width; a++) z += sums.vectors[item * width + a]! * basis[k * width + a]!;
      out[item * width + k] = z;
      const strength = weights[item]! * eigenvalue;
      const variance = noise + sums.samplingVariance * strength;
      const squared = (strength / variance) ** 2;
      signal += squared * (z * z - variance);
      scale += squared * strength ** 2;
    }
    const prior = scale > 0 ? Math.max(0, signal / scale) : 0;
    priorVariances[k] = prior;
    for (let item = 0; item < itemCount; item++) {
      const strength = weights[item]! * eigenvalue;
      const variance = noise + sums.samplingVariance * strength;
      out[item * width + k]! *= (prior * strength) / (prior * strength ** 2 + variance);
    }
  }
  return { vectors: out, priorVariances };
}
