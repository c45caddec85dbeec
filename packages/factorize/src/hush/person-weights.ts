import type { Csr } from '@hushrec/numerics';
import { adaptiveWeights, type GridSums, JointlyClippedItemSums } from '@hushrec/statistics';

/** w_ij of `adaptiveWeights` with budget 1: Σ_j w_ij² ≤ 1 for everyone, more of it on rare items. O(ratings). */
export function personWeights(byUser: Csr, counts: Float64Array, exponent: number): Float64Array {
  const { rootWeights } = adaptiveWeights(byUser, counts, exponent, 1);
  const weights = new Float64Array(rootWeights!.length);
  for (let at = 0; at < weights.length; at++) weights[at] = rootWeights![at]! * rootWeights![at]!;
  return weights;
}

/** s_j = Σ_i w_ij: sensitivity 1, because nobody's weights exceed norm 1 (none is scaled). O(ratings). */
export function weightSums(byUser: Csr, weights: Float64Array): GridSums {
  const sums = new JointlyClippedItemSums(byUser.columnCount, 1, 1);
  const one = Float64Array.of(1);
  for (let user = 0; user < byUser.rowCount; user++) sums.add(byUser, user, weights, one);
  return sums.finish();
}
