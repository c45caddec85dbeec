import type { Csr } from '@hushrec/numerics';
import { type GridSums, JointlyClippedItemSums } from '@hushrec/statistics';
import type { Shrinkage } from './shrinkage.js';

/**
 * A person's own shrunk mean of what is left of her ratings: Σ (r − offset − b_j)/(n_i + shrinkage). Local. O(ratings).
 */
export function localIntercepts(
  byUser: Csr,
  offset: number,
  effects: Float64Array,
  shrinkage: number,
): Float64Array {
  return Float64Array.from({ length: byUser.rowCount }, (_, user) => {
    const begin = byUser.offsets[user]!;
    const end = byUser.offsets[user + 1]!;
    let sum = 0;
    for (let at = begin; at < end; at++) sum += byUser.values[at]! - offset - effects[byUser.indices[at]!]!;
    return sum / (end - begin + shrinkage);
  });
}

/**
 * Σ_i k_i w_ij (r_ij − offset − ĉ_i) for every item, each person's whole contribution scaled to norm ≤ bound:
 * the weighted sum of ratings, each relative to its author's own level. Sensitivity `bound`. O(ratings).
 */
export function itemEffectSums(
  byUser: Csr,
  weights: Float64Array,
  offset: number,
  intercepts: Float64Array,
  bound: number,
): GridSums {
  const sums = new JointlyClippedItemSums(byUser.columnCount, 1, bound);
  const amounts = new Float64Array(byUser.indices.length);
  const one = Float64Array.of(1);
  for (let user = 0; user < byUser.rowCount; user++) {
    for (let at = byUser.offsets[user]!; at < byUser.offsets[user + 1]!; at++) {
      amounts[at] = weights[at]! * (byUser.values[at]! - offset - intercepts[user]!);
    }
    sums.add(byUser, user, amounts, one);
  }
  return sums.finish();
}

/** Released weighted sums and weights of items, and what is known about their error. */
export interface NoisyEffects {
  readonly sums: Float64Array;
  readonly noise: number;
  readonly weights: Float64Array;
  /** Variance that sampling adds to a sum, per unit of weight. */
  readonly samplingVariance: number;
}

/**
 * Item effects by empirical Bayes: sum_j = ŝ_j b_j + error of variance σ² + s·ŝ_j, b_j around the common level
 * b₀ = Σ sums / Σ ŝ. Post-processing. O(items) besides the shrinkage.
 */
export async function shrinkEffects(
  { sums, noise, weights, samplingVariance }: NoisyEffects,
  shrink: Shrinkage,
): Promise<Float64Array> {
  let totalSum = 0;
  let totalWeight = 0;
  for (let item = 0; item < sums.length; item++) {
    totalSum += sums[item]!;
    totalWeight += weights[item]!;
  }
  const common = totalSum / totalWeight;
  const estimates = await shrink({
    values: sums.map((sum, item) => sum - weights[item]! * common),
    strengths: weights,
    variances: weights.map((weight) => noise ** 2 + samplingVariance * weight),
  });
  return estimates.map((estimate) => common + estimate);
}

/** Mean squared residual of each person's own ratings around (offset + b_j + ĉ_i); 0 for people without ratings. */
export function residualSquares(
  byUser: Csr,
  offset: number,
  effects: Float64Array,
  intercepts: Float64Array,
): Float64Array {
  return Float64Array.from({ length: byUser.rowCount }, (_, user) => {
    const begin = byUser.offsets[user]!;
    const end = byUser.offsets[user + 1]!;
    let sum = 0;
    for (let at = begin; at < end; at++) {
      sum += (byUser.values[at]! - offset - effects[byUser.indices[at]!]! - intercepts[user]!) ** 2;
    }
    return end > begin ? sum / (end - begin) : 0;
  });
}
