import type { Csr } from '@hushrec/numerics';
import { type GridSums, JointlyClippedItemSums, JointlyClippedMoment } from '@hushrec/statistics';
import { PersonPosterior, type PersonPrior, type ReleasedItems } from './person-posterior.js';

export interface TasteBounds {
  /** B: norm of a person's whole contribution to the item vectors. */
  readonly vectorBound: number;
  /** G: Frobenius norm of a person's contribution to the shared second moment. */
  readonly momentBound: number;
}

/**
 * What one round releases (M-step of probabilistic matrix factorization, with one second moment shared by all items):
 *
 *   b_j = Σ_i k_i w_ij y_ij û_i            for every item, y_ij = r_ij − offset − b_j − ĉ_i
 *   C   = Σ_i k_i W_i (û_i û_iᵀ + P_i)     once, W_i = Σ_j w_ij
 *
 * where (ĉ_i, û_i, P_i) is person i's own posterior given what was released before. k_i ≤ 1 scales the whole of a
 * person's part in (b_1 … b_m) to norm ≤ B; the same k_i weights her part in C, so a scaled person is a lighter
 * person, not a distorted one. C is clipped a second time, to Frobenius norm G.
 *
 * Sensitivity: B and G (see `JointlyClippedItemSums`, `JointlyClippedMoment`); everyone else's posterior is the same
 * whether or not person i is there, because it reads released items only. O(ratings · d² + people · d³).
 */
export function tasteStatistics(
  byUser: Csr,
  weights: Float64Array,
  items: ReleasedItems,
  prior: PersonPrior,
  bounds: TasteBounds,
): { readonly vectors: GridSums; readonly moment: GridSums } {
  const { width, effects, offset } = items;
  const vectors = new JointlyClippedItemSums(byUser.columnCount, width, bounds.vectorBound);
  const moment = new JointlyClippedMoment(width, bounds.momentBound);
  const person = new PersonPosterior(items, prior);
  const taste = person.mean.subarray(1);
  const amounts = new Float64Array(byUser.indices.length);
  const matrix = new Float64Array((width * (width + 1)) / 2);
  for (let user = 0; user < byUser.rowCount; user++) {
    person.solve(byUser, user);
    const intercept = person.mean[0]!;
    let total = 0;
    for (let at = byUser.offsets[user]!; at < byUser.offsets[user + 1]!; at++) {
      const y = byUser.values[at]! - offset - effects[byUser.indices[at]!]! - intercept;
      amounts[at] = weights[at]! * y;
      total += weights[at]!;
    }
    const weight = total * vectors.add(byUser, user, amounts, taste);
    for (let a = 0, at = 0; a < width; a++) {
      for (let b = a; b < width; b++, at++) {
        matrix[at] = weight * (taste[a]! * taste[b]! + person.covariance[a * width + b]!);
      }
    }
    moment.add(matrix);
  }
  return { vectors: vectors.finish(), moment: moment.finish() };
}
