import type { Csr } from '@hushrec/numerics';
import type { ProtectedRating } from './protected-rating.js';

/** Statistics are whole numbers of this many B²: fine enough that rounding costs under 0.1 % of the noise. */
export const covarianceStep = 2 ** -34;

/** Entries (a, c), a ≤ c, of an m × m triangle by rows; the row of a starts here, minus a. */
export function triangleRow(a: number, size: number): number {
  return a * size - (a * (a + 1)) / 2;
}

/**
 * Weighted covariance C = Σ_i ω_i c_i c_iᵀ and mass M = Σ_i ω_i 1_i 1_iᵀ over co-rated pairs, ω_i = 1/n_i,
 * upper triangles with diagonal, each contribution rounded towards zero to a whole number of steps (so that
 * other people's sums stay exact). After McSherry & Mironov 2009; the weight keeps the effect of one rating
 * independent of n_i.
 *
 * `residuals` lie in [−1, 1] (units of B). O(Σ_i n_i²) time, O(m²) memory.
 */
export function itemCovariance(
  rows: Csr,
  residuals: Float64Array,
  size: number,
): { readonly covariance: Float64Array; readonly mass: Float64Array } {
  const length = (size * (size + 1)) / 2;
  const covariance = new Float64Array(length);
  const mass = new Float64Array(length);
  for (let row = 0; row < rows.rowCount; row++) {
    const begin = rows.offsets[row];
    const end = rows.offsets[row + 1];
    const weight = 1 / ((end - begin) * covarianceStep);
    const unit = Math.trunc(weight);
    for (let first = begin; first < end; first++) {
      const base = triangleRow(rows.indices[first], size);
      const scaled = residuals[first] * weight;
      for (let second = first; second < end; second++) {
        const at = base + rows.indices[second];
        covariance[at] += Math.trunc(scaled * residuals[second]);
        mass[at] += unit;
      }
    }
  }
  return { covariance, mass };
}

/**
 * L1 sensitivity of C in units of B² (and of M in units of 1, presence only).
 *
 * Value: one residual moves from x to x′: n−1 products by at most 2/n each, its square by at most 1/n: below 2.
 * Presence: a user's n-th rating brings n products of at most 1/n, and moves the other n(n−1)/2 by
 * 1/(n−1) − 1/n each, ½ together: 1.5 at most. Rounding adds a step for each entry that can move: m for a
 * value, all of them for presence.
 */
export function covarianceSensitivity(unit: ProtectedRating, size: number): number {
  return unit === 'rating-value'
    ? 2 + size * covarianceStep
    : 1.5 + ((size * (size + 1)) / 2) * covarianceStep;
}
