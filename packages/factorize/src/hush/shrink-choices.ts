import { symmetricEigen } from '@hushrec/numerics';
import { eigenvalueFloor } from './shrink-items.js';
import { type NoisyCoordinate, priorVarianceOf, type Shrinkage } from './shrinkage.js';

/** Released sums of a round of implicit feedback and what is known about their error. */
export interface NoisyChoiceSums {
  readonly width: number;
  /** b̂_j, items by rows. */
  readonly vectors: Float64Array;
  /** Standard deviation of the noise on every coordinate of b̂. */
  readonly vectorNoise: number;
  /** K̂, full symmetric. */
  readonly moment: Float64Array;
  /** Standard deviation of the noise on its diagonal. */
  readonly momentNoise: number;
  /** ρ_j > 0: released share of people (by weight) who chose item j. */
  readonly shares: Float64Array;
  /** α₀: weight of what was not chosen. */
  readonly unobservedWeight: number;
  /** Variance that sampling adds to a coordinate of b̂_j, per unit of ρ_j e_k. */
  readonly samplingVariance: number;
}

/**
 * Item vectors by empirical Bayes. The exact solution is v_j = (α₀K + K_j)⁻¹ Σ_{i chose j} κ_i u_i; with K_j ≈ ρ_j K
 * and in the eigenbasis of K̂ = Q diag(e) Qᵀ it factors into popularity and taste,
 *
 *   v_jk = ρ_j/(α₀ + ρ_j) · φ_jk,     z_jk = (Qᵀ b̂_j)_k = ρ_j e_k φ_jk + error of variance σ² + s·ρ_j e_k
 *
 * and φ_jk is shrunk towards what all items have in common, m_k (and features, see `Shrinkage`), so an item about which
 * nothing but its popularity is known is recommended by popularity. What fewer people choose is more particular: the prior is
 * φ_jk ~ N(m_k, τ_k²/ρ_j). Post-processing. O(items · d² + d³).
 */
export async function shrinkChoices(sums: NoisyChoiceSums, shrink: Shrinkage): Promise<Float64Array> {
  const { width, shares, unobservedWeight } = sums;
  const itemCount = shares.length;
  const { values: eigenvalues, vectors: basis } = symmetricEigen(sums.moment, width);
  const floor = eigenvalueFloor(eigenvalues, sums.momentNoise);
  const vectors = new Float64Array(itemCount * width);
  const deviations = shares.map((share) => 1 / Math.sqrt(share));
  const values = new Float64Array(itemCount);
  const strengths = new Float64Array(itemCount);
  const variances = new Float64Array(itemCount);
  for (let k = 0; k < width; k++) {
    const eigenvalue = Math.max(eigenvalues[k]!, floor);
    for (let item = 0; item < itemCount; item++) {
      let z = 0;
      for (let a = 0; a < width; a++) z += sums.vectors[item * width + a]! * basis[k * width + a]!;
      values[item] = z;
      strengths[item] = shares[item]! * eigenvalue;
      variances[item] = sums.vectorNoise ** 2 + sums.samplingVariance * strengths[item]!;
    }
    const common = commonValue({ values, strengths, variances });
    for (let item = 0; item < itemCount; item++) values[item]! -= common * strengths[item]!;
    for (let item = 0; item < itemCount; item++) strengths[item]! *= deviations[item]!;
    const estimates = await shrink({ values, strengths, variances });
    for (let item = 0; item < itemCount; item++) {
      const popularity = shares[item]! / (unobservedWeight + shares[item]!);
      vectors[item * width + k] = popularity * (common + deviations[item]! * estimates[item]!);
    }
  }
  return vectors;
}

/**
 * m of θ_j ~ N(m, τ²) by generalized least squares, Σ a z/(n + τ²a²) / Σ a²/(n + τ²a²), with τ² by moments around the
 * estimate that takes it for 0. O(items).
 */
export function commonValue(coordinate: NoisyCoordinate): number {
  const { values, strengths, variances } = coordinate;
  const estimate = (spread: number) => {
    let sum = 0;
    let scale = 0;
    for (let item = 0; item < values.length; item++) {
      const strength = strengths[item]!;
      const weight = strength / (variances[item]! + spread * strength * strength);
      sum += weight * values[item]!;
      scale += weight * strength;
    }
    return scale > 0 ? sum / scale : 0;
  };
  const first = estimate(0);
  const around = values.map((value, item) => value - first * strengths[item]!);
  return estimate(priorVarianceOf({ ...coordinate, values: around }));
}
