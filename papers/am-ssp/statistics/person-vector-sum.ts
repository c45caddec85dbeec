import { sensitive } from '@hushrec/privacy';
import { clipFactor, type GridSums, requireBound, roundingMargin } from '@hushrec/statistics';

const gridBits = 20;

/** Real units of one whole number of a sum with this bound. */
export function personGridStep(bound: number): number {
  return bound * 2 ** -gridBits;
}

/**
 * Σ_i clip(g_i, Γ) of one vector per person (a gradient, say), on a grid.
 *
 * L2 sensitivity Γ for add or remove (2Γ for replace) when every person calls `add` at most once: each vector
 * is scaled to norm ≤ Γ with room for rounding, then truncated towards zero. A vector that is not finite
 * counts as 0. Vectors may be sparse: only the coordinates named in `ranges` are read, and the others are
 * taken as 0.
 */
export class PersonVectorSum {
  readonly #sums: Float64Array;
  readonly #bound: number;
  #people = 0;

  /** @param sums where to sum, zero before; new when absent */
  constructor(size: number, bound: number, sums: Float64Array = new Float64Array(size)) {
    requireBound('gradient bound', bound);
    this.#sums = sums;
    this.#bound = bound;
  }

  /**
   * Adds one person's vector: coordinates [begin, begin + length) of `vector` for each (begin, length) pair
   * in `ranges`, which must not overlap. Returns the factor it was scaled by. O(coordinates).
   */
  add(vector: Float32Array, ranges: readonly number[]): number {
    let square = 0;
    for (let r = 0; r < ranges.length; r += 2) {
      const end = ranges[r] + ranges[r + 1];
      for (let at = ranges[r]; at < end; at++) square += vector[at] * vector[at];
    }
    if (!Number.isFinite(square)) return 0;
    const factor = clipFactor(Math.sqrt(square || 1), this.#bound);
    const scale = (factor * roundingMargin * 2 ** gridBits) / this.#bound;
    const sums = this.#sums;
    for (let r = 0; r < ranges.length; r += 2) {
      const end = ranges[r] + ranges[r + 1];
      for (let at = ranges[r]; at < end; at++) sums[at] += Math.trunc(vector[at] * scale);
    }
    this.#countPerson();
    return factor;
  }

  /**
   * Adds the vector s ⊗ u of one person without writing it out: coordinate blocks[k]·d + a is values[k]·u[a],
   * for the first `count` blocks, which must be distinct; u is d numbers of `direction` from `from` on. Its
   * norm is ‖s‖·‖u‖. Returns the factor it was scaled by. O(count · d).
   */
  addOuter(
    blocks: Uint32Array,
    values: Float64Array,
    count: number,
    direction: Float32Array,
    from: number,
    width: number,
  ): number {
    let square = 0;
    for (let k = 0; k < count; k++) square += values[k] * values[k];
    let length = 0;
    for (let a = from; a < from + width; a++) length += direction[a] * direction[a];
    square *= length;
    if (!Number.isFinite(square)) return 0;
    const factor = clipFactor(Math.sqrt(square || 1), this.#bound);
    const scale = (factor * roundingMargin * 2 ** gridBits) / this.#bound;
    const sums = this.#sums;
    for (let k = 0; k < count; k++) {
      const to = blocks[k] * width;
      const value = values[k] * scale;
      // Four at a time: the same numbers, with less to do around each.
      let a = 0;
      for (; a + 3 < width; a += 4) {
        const at = to + a;
        const along = from + a;
        sums[at] += Math.trunc(value * direction[along]);
        sums[at + 1] += Math.trunc(value * direction[along + 1]);
        sums[at + 2] += Math.trunc(value * direction[along + 2]);
        sums[at + 3] += Math.trunc(value * direction[along + 3]);
      }
      for (; a < width; a++) sums[to + a] += Math.trunc(value * direction[from + a]);
    }
    this.#countPerson();
    return factor;
  }

  #countPerson(): void {
    if (++this.#people >= 2 ** 31) throw new RangeError('More than 2^31 people; the sum would not be exact.');
  }

  /**
   * The sum so far. `vectorsPerPerson` is how often one person may have added (their sum then has norm ≤ that
   * many Γ).
   */
  statistic(vectorsPerPerson = 1): GridSums {
    return {
      statistic: sensitive(this.#sums, 'l2', this.#bound * vectorsPerPerson),
      gridStep: personGridStep(this.#bound),
    };
  }
}
