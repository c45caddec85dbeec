import type { Csr } from '@hushrec/numerics';
import { type GridSums, JointlyClippedItemSums } from '@hushrec/statistics';

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
 * Item effects by empirical Bayes: sum_j = ŝ_j b_j + error of variance n_j = σ² + s·ŝ_j, b_j ~ N(b₀, τ²) with b₀ and τ²
 * estimated over all items; b̂_j = b₀ + τ² ŝ_j (sum_j − ŝ_j b₀)/(τ² ŝ_j² + n_j). Post-processing. O(items).
 */
export function shrinkEffects({ sums, noise, weights, samplingVariance }: NoisyEffects): Float64Array {
  let totalSum = 0;
  let totalWeight = 0;
  for (let item = 0; item < sums.length; item++) {
    totalSum += sums[item]!;
    totalWeight += weights[item]!;
  }
  const common = totalWeight > 0 ? totalSum / totalWeight : 0;
  let signal = 0;
  let scale = 0;
  for (let item = 0; item < sums.length; item++) {
    const weight = weights[item]!;
    const variance = noise ** 2 + samplingVariance * weight;
    signal += (weight / variance) ** 2 * ((sums[item]! - weight * common) ** 2 - variance);
    scale += (weight / variance) ** 2 * weight ** 2;
  }
  const prior = scale > 0 ? Math.max(0, signal / scale) : 0;
  return Float64Array.from(sums, (sum, item) => {
    const weight = weights[item]!;
    const variance = noise ** 2 + samplingVariance * weight;
    return common + (prior * weight * (sum - weight * common)) / (prior * weight ** 2 + variance);
  });
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
