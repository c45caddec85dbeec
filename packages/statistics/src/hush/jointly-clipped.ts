import { clipFactor } from '../clip-factor.js';
import { ItemVectorSums } from '../kernel/item-vector-sums.js';
import type { SumShape } from '../people/people.js';
import { requireBound } from '../require-bound.js';

const gridBits = 20;

/**
 * Keeps the truncated integers within the exact bound whatever float64 rounding does on the way: a sum of n
 * non-negative products is off by at most (n + 1)·2⁻⁵³ of itself, and 2⁻⁴⁰ covers the few operations after
 * it.
 */
export function marginFor(terms: number): number {
  return 1 - 2 ** -40 - terms * 2 ** -53;
}

/** Shape of a sum whose grid has 2²⁰ steps up to the bound on one person's part. */
export function clippedShape(what: string, length: number, bound: number): SumShape {
  requireBound(what, bound);
  return { length, sensitivity: bound, gridStep: bound * 2 ** -gridBits };
}

/**
 * Sums over people in which each person's *whole* contribution, to all items together, is scaled to a norm of
 * at most `bound`. One factor k_i per person keeps the direction of what they say and needs no separate
 * bounds on vectors and ratings, which would both have to hold for the worst case at once.
 *
 * Sensitivity `bound` (L2, add or remove a person): the person adds trunc(k_i a_j u_c · 2²⁰/bound) to
 * coordinate (j, c); Σ_{j,c} (k_i a_j u_c)² ≤ bound² by the choice of k_i, and truncation moves every
 * coordinate towards zero. k_i looks at the person's own data and at what was released before. Replacing a
 * person: 2·bound.
 *
 * A person's items must be distinct, and she must be added once.
 */
export class ClippedItemSums {
  readonly #sums: ItemVectorSums;
  readonly #width: number;
  readonly #bound: number;

  constructor(itemCount: number, width: number, bound: number) {
    requireBound('bound on a contribution', bound);
    this.#sums = new ItemVectorSums(itemCount, width);
    this.#width = width;
    this.#bound = bound;
  }

  /** a_j of the person at hand, aligned with her entries from the first on: write them here before `add`. */
  get amounts(): Float64Array {
    return this.#sums.amounts;
  }

  /**
   * Adds k · amounts · vector to her items and returns k ∈ [0, 1]. A contribution that is not finite counts
   * as none. O(own entries × width).
   */
  add(items: Uint32Array, vector: ArrayLike<number>): number {
    const { amounts, vector: place } = this.#sums;
    let ofAmounts = 0;
    for (let k = 0; k < items.length; k++) ofAmounts += amounts[k] * amounts[k];
    let ofVector = 0;
    for (let c = 0; c < this.#width; c++) {
      const value = vector[c];
      place[c] = value;
      ofVector += value * value;
    }
    const norm = Math.sqrt(ofAmounts * ofVector);
    if (!(norm < Infinity)) return 0;
    if (norm === 0) return 1;
    const factor = clipFactor(norm, this.#bound);
    this.#sums.items.set(items);
    this.#sums.add(
      items.length,
      (factor * marginFor(items.length + this.#width) * 2 ** gridBits) / this.#bound,
    );
    return factor;
  }

  /**
   * The same where every item has a vector of its own, by rows: her part is (amount_k · vector_k)_k, of norm
   * √Σ amount_k²‖vector_k‖². Uses up `amounts`.
   */
  addEach(items: Uint32Array, vectors: Float64Array): number {
    const { amounts, vector: place } = this.#sums;
    const width = this.#width;
    let squares = 0;
    for (let k = 0, at = 0; k < items.length; k++) {
      let ofVector = 0;
      for (let c = 0; c < width; c++, at++) ofVector += vectors[at] * vectors[at];
      squares += amounts[k] * amounts[k] * ofVector;
    }
    const norm = Math.sqrt(squares);
    if (!(norm < Infinity)) return 0;
    if (norm === 0) return 1;
    const factor = clipFactor(norm, this.#bound);
    const scale = (factor * marginFor(items.length * (width + 2)) * 2 ** gridBits) / this.#bound;
    for (let k = 0; k < items.length; k++) {
      for (let c = 0; c < width; c++) place[c] = vectors[k * width + c];
      this.#sums.items[0] = items[k];
      amounts[0] = amounts[k];
      this.#sums.add(1, scale);
    }
    return factor;
  }

  /** Adds what was summed to `into`. */
  addTo(into: Float64Array): void {
    this.#sums.addTo(into);
  }
}

/**
 * One person's number of either sign, clipped to ±bound; not a number counts as 0. Sensitivity `bound`;
 * replacing a person: 2·bound.
 */
export function signedSteps(value: number, bound: number): number {
  return value < 0 ? -clippedSteps(-value, bound) : clippedSteps(value, bound);
}

/**
 * One person's number, clipped to [0, bound], in whole steps of the grid. Sensitivity `bound`, also for
 * replacing a person.
 */
export function clippedSteps(value: number, bound: number): number {
  return value > 0 ? Math.trunc((Math.min(value, bound) * marginFor(1) * 2 ** gridBits) / bound) : 0;
}
