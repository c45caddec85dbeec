import { type Csr, sharedFloat32 } from '@hushrec/numerics';
import { type Contributions, requireBound, requireDistinctItems, roundingMargin } from '@hushrec/statistics';

/**
 * All ratings contribute; each person spends the same budget, more of it on rare items (Krichene et al. 2023;
 * Krichene et al. 2024, E.1.4):
 *
 *   w_ij = √β · ĉ_j^(−p) / √(Σ_{j′ ∈ Ω_i} ĉ_{j′}^(−2p))        hence Σ_j w_ij² = β for everyone
 *
 * The denominator printed in the latter paper, √(Σ w^(−1/4)), is circular and does not have this property.
 * Weights look at the person's own set Ω_i and at released counts: free. Ω_i must be the set really used, so
 * filter first.
 *
 * Exactness: stored √w are shrunk by `roundingMargin`, so Σ_j (stored √w)⁴ ≤ β after float32 rounding.
 * O(ratings).
 *
 * @param releasedCounts one per item, > 0 (use `flooredCounts`)
 * @param exponent p ≥ 0; 0 spends evenly, the papers use 1/4 … 1
 */
export function adaptiveWeights(
  byUser: Csr,
  releasedCounts: ArrayLike<number>,
  exponent: number,
  budget: number,
): Contributions {
  requireBound('weight budget', budget);
  requireDistinctItems(byUser);
  const preference = new Float64Array(byUser.columnCount);
  for (let item = 0; item < preference.length; item++) {
    const count = releasedCounts[item];
    if (!(count > 0 && count < Infinity)) {
      throw new RangeError(
        `A released count is ${count}; expected a finite number > 0. Floor the counts first.`,
      );
    }
    preference[item] = count ** -exponent;
  }
  const rootWeights = sharedFloat32(byUser.indices.length);
  const rootOfRootBudget = Math.sqrt(Math.sqrt(budget)) * roundingMargin;
  for (let user = 0; user < byUser.rowCount; user++) {
    const begin = byUser.offsets[user];
    const end = byUser.offsets[user + 1];
    let squares = 0;
    for (let at = begin; at < end; at++) squares += preference[byUser.indices[at]] ** 2;
    const scale = rootOfRootBudget / Math.sqrt(Math.sqrt(squares));
    for (let at = begin; at < end; at++) {
      rootWeights[at] = Math.sqrt(preference[byUser.indices[at]]) * scale;
    }
  }
  return { byUser, rootWeights, budget };
}
