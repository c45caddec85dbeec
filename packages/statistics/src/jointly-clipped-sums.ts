import type { Csr } from '@hushrec/numerics';
import { sensitive } from '@hushrec/privacy';
import type { GridSums } from './grid-sums.js';
import { requireBound } from './require-bound.js';

const gridBits = 20;

/**
 * Keeps the truncated integers within the exact bound whatever float64 rounding does on the way: a sum of n non-negative
 * products is off by at most (n + 1)·2⁻⁵³ of itself, and 2⁻⁴⁰ covers the few operations after it.
 */
function marginFor(terms: number): number {
  return 1 - 2 ** -40 - terms * 2 ** -53;
}

/**
 * Sums over people in which each person's *whole* contribution, to all items together, is scaled to a norm of at
 * most `bound`. One factor k_i per person keeps the direction of what they say and needs no separate bounds on
 * vectors and ratings, which would both have to hold for the worst case at once.
 *
 * Sensitivity `bound` (L2, add or remove a person): the person adds trunc(k_i a_j u_c · 2²⁰/bound) to coordinate
 * (j, c); Σ_{j,c} (k_i a_j u_c)² ≤ bound² by the choice of k_i, and truncation moves every coordinate towards zero.
 * k_i looks at the person's own data and at what was released before. Replacing a person: 2·bound.
 */
export class JointlyClippedItemSums {
  readonly #sums: Float64Array;
  readonly #width: number;
  readonly #bound: number;

  constructor(itemCount: number, width: number, bound: number) {
    requireBound('bound on a contribution', bound);
    this.#sums = new Float64Array(itemCount * width);
    this.#width = width;
    this.#bound = bound;
  }

  /**
   * Adds k · amounts[at] · vector to item byUser.indices[at] for all of a person's entries, and returns k ∈ [0, 1].
   * A contribution that is not finite counts as none. O(own entries × width).
   */
  add(byUser: Csr, user: number, amounts: Float64Array, vector: Float64Array): number {
    const begin = byUser.offsets[user]!;
    const end = byUser.offsets[user + 1]!;
    let ofAmounts = 0;
    for (let at = begin; at < end; at++) ofAmounts += amounts[at]! * amounts[at]!;
    let ofVector = 0;
    for (let c = 0; c < this.#width; c++) ofVector += vector[c]! * vector[c]!;
    const norm = Math.sqrt(ofAmounts * ofVector);
    if (!(norm < Infinity)) return 0;
    if (norm === 0) return 1;
    const factor = Math.min(1, this.#bound / norm);
    const scale = (factor * marginFor(end - begin + this.#width) * 2 ** gridBits) / this.#bound;
    for (let at = begin; at < end; at++) {
      const amount = amounts[at]! * scale;
      const row = byUser.indices[at]! * this.#width;
      for (let c = 0; c < this.#width; c++) this.#sums[row + c]! += Math.trunc(amount * vector[c]!);
    }
    return factor;
  }

  /** What was added, for a mechanism. Nothing may be added afterwards. */
  finish(): GridSums {
    return {
      statistic: sensitive(this.#sums, 'l2', this.#bound),
      gridStep: this.#bound * 2 ** -gridBits,
    };
  }
}

/**
 * Σ_i of one symmetric matrix per person, each scaled to a Frobenius norm of at most `bound`; packed upper triangle.
 *
 * Sensitivity `bound` in the Frobenius norm of the full matrix (release it with the symmetric layout): scaling, then
 * truncation towards zero of every entry. Replacing a person: 2·bound, or √2·bound when all matrices are positive
 * semi-definite. O(width²) a person.
 */
export class JointlyClippedMoment {
  readonly #sums: Float64Array;
  readonly #width: number;
  readonly #bound: number;

  constructor(width: number, bound: number) {
    requireBound('bound on a moment', bound);
    this.#sums = new Float64Array((width * (width + 1)) / 2);
    this.#width = width;
    this.#bound = bound;
  }

  /** @param matrix one person's packed upper triangle; not finite counts as none */
  add(matrix: Float64Array): void {
    let squares = 0;
    for (let a = 0, at = 0; a < this.#width; a++) {
      squares += matrix[at]! * matrix[at]!;
      at++;
      for (let b = a + 1; b < this.#width; b++, at++) squares += 2 * matrix[at]! * matrix[at]!;
    }
    const norm = Math.sqrt(squares);
    if (!(norm < Infinity) || norm === 0) return;
    const scale = (Math.min(1, this.#bound / norm) * marginFor(matrix.length) * 2 ** gridBits) / this.#bound;
    for (let at = 0; at < this.#sums.length; at++) this.#sums[at]! += Math.trunc(matrix[at]! * scale);
  }

  finish(): GridSums {
    return {
      statistic: sensitive(this.#sums, 'l2', this.#bound),
      gridStep: this.#bound * 2 ** -gridBits,
    };
  }
}

/**
 * Σ_i of one number per person, each clipped to [0, bound]. Sensitivity `bound`, also for replacing a person.
 */
export function clippedTotal(perPerson: Float64Array, bound: number): GridSums {
  requireBound('bound on a number per person', bound);
  let total = 0;
  for (const value of perPerson) {
    if (value > 0) total += Math.trunc((Math.min(value, bound) * marginFor(1) * 2 ** gridBits) / bound);
  }
  return {
    statistic: sensitive(Float64Array.of(total), 'l2', bound),
    gridStep: bound * 2 ** -gridBits,
  };
}
