import type { Csr, FactorMatrix } from '@hushrec/numerics';
import { type GridSums, JointlyClippedItemSums, JointlyClippedMoment } from '@hushrec/statistics';

export interface ChoiceBounds {
  /** B: norm of a person's whole contribution to the item vectors. */
  readonly vectorBound: number;
  /** G: Frobenius norm of a person's contribution to the shared second moment. */
  readonly momentBound: number;
}

/**
 * What one round of implicit feedback releases. Person i weighs the whole of her loss (what she chose and what she did
 * not) by κ_i = k_i ω_i, and item j, on whose noise that of its sum depends, by h_j; ω_i = (Σ_{j ∈ Ω_i} h_j²)^(−1/2):
 *
 *   b_j = h_j Σ_{i chose j} κ_i ũ_i   for every item,      K = Σ_i κ_i ũ_i ũ_iᵀ   once,      ũ_i = gauge · u_i
 *
 * k_i ≤ 1 scales the whole of her part in (b_1 … b_m), whose norm is √(Σ_j h_j² ω_i²)·‖ũ_i‖ = ‖ũ_i‖, to norm ≤ B. K is
 * clipped a second time, to Frobenius norm G.
 *
 * Sensitivity: B and G (see `JointlyClippedItemSums`, `JointlyClippedMoment`). Everybody's u_i reads released items and
 * own choices only; h_j > 0 comes from releases. O(choices · d + people · d²).
 */
export function choiceStatistics(
  byUser: Csr,
  users: FactorMatrix,
  itemWeights: Float64Array,
  gauge: number,
  bounds: ChoiceBounds,
): { readonly vectors: GridSums; readonly moment: GridSums } {
  const { width, data } = users;
  const vectors = new JointlyClippedItemSums(byUser.columnCount, width, bounds.vectorBound);
  const moment = new JointlyClippedMoment(width, bounds.momentBound);
  const amounts = new Float64Array(byUser.indices.length);
  const taste = new Float64Array(width);
  const matrix = new Float64Array((width * (width + 1)) / 2);
  for (let user = 0; user < byUser.rowCount; user++) {
    const begin = byUser.offsets[user]!;
    const end = byUser.offsets[user + 1]!;
    if (begin === end) continue;
    let square = 0;
    for (let at = begin; at < end; at++) square += itemWeights[byUser.indices[at]!]! ** 2;
    const share = 1 / Math.sqrt(square);
    for (let at = begin; at < end; at++) amounts[at] = share * itemWeights[byUser.indices[at]!]!;
    for (let a = 0; a < width; a++) taste[a] = gauge * data[user * width + a]!;
    const weight = share * vectors.add(byUser, user, amounts, taste);
    for (let a = 0, at = 0; a < width; a++) {
      for (let b = a; b < width; b++, at++) matrix[at] = weight * taste[a]! * taste[b]!;
    }
    moment.add(matrix);
  }
  return { vectors: vectors.finish(), moment: moment.finish() };
}
