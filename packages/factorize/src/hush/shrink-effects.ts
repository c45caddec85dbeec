import type { Shrinkage } from './shrinkage.js';

/** Released weighted sums and weights of items, and what is known about their error. */
export interface NoisyEffects {
  readonly sums: Float64Array;
  readonly noise: number;
  /** σ_j² of each, where they differ: what is remembered differs. */
  readonly variances?: Float64Array;
  readonly weights: Float64Array;
  /** Variance that sampling adds to a sum, per unit of weight. */
  readonly samplingVariance: number;
}

/**
 * Item effects by empirical Bayes: sum_j = ŝ_j b_j + error of variance σ² + s·ŝ_j, b_j around the common
 * level b₀ = Σ sums / Σ ŝ. Post-processing. O(items) besides the shrinkage.
 */
export async function shrinkEffects(
  { sums, noise, variances, weights, samplingVariance }: NoisyEffects,
  shrink: Shrinkage,
): Promise<Float64Array> {
  let totalSum = 0;
  let totalWeight = 0;
  for (let item = 0; item < sums.length; item++) {
    totalSum += sums[item];
    totalWeight += weights[item];
  }
  const common = totalSum / totalWeight;
  const estimates = await shrink({
    values: sums.map((sum, item) => sum - weights[item] * common),
    strengths: weights,
    variances: weights.map((weight, item) => (variances?.[item] ?? noise ** 2) + samplingVariance * weight),
  });
  return estimates.map((estimate) => common + estimate);
}
