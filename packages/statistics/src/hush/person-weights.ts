import type { Csr } from '@hushrec/numerics';
import { roundingMargin } from '../rounding-margin.js';

/** How much people like to spend their weight on each item: released numbers only. */
export interface ItemPreference {
  /** ĉ_j^(−p) > 0. */
  readonly preference: Float64Array;
}

/** ĉ_j^(−p) from released counts. @param counts one per item, > 0 (use `flooredCounts`). O(items). */
export function itemPreference(counts: ArrayLike<number>, exponent: number): ItemPreference {
  const preference = new Float64Array(counts.length);
  for (let item = 0; item < counts.length; item++) {
    const count = counts[item];
    if (!(count > 0 && count < Infinity)) {
      throw new RangeError(
        `A released count is ${count}; expected a finite number > 0. Floor the counts first.`,
      );
    }
    preference[item] = count ** -exponent;
  }
  return { preference };
}

/**
 * w_ij = ĉ_j^(−p)/√(Σ_{j′ ∈ Ω_i} ĉ_{j′}^(−2p)) of one person after the other: Σ_j w_ij² ≤ 1 for everyone,
 * more of it on rare items (`adaptiveWeights` with budget 1, whose float32 roots of weights, shrunk by
 * `roundingMargin`, are squared here: Σ_j w_ij² stays below 1 after rounding). Looks at the person's own set
 * and at released numbers: free.
 */
export class PersonWeights {
  readonly #preference: Float64Array;
  readonly #roots: Float64Array;

  constructor({ preference }: ItemPreference) {
    this.#preference = preference;
    this.#roots = preference.map((value) => Math.sqrt(value));
  }

  /**
   * Writes the weights of a person's entries to the front of `into` and returns their sum. O(own entries).
   *
   * @param grades of all entries: ĉ_j^(−p) g_ij in place of ĉ_j^(−p); weights are 0 where all of hers are
   */
  of({ offsets, indices }: Csr, user: number, into: Float64Array, grades?: Float32Array): number {
    const begin = offsets[user];
    const end = offsets[user + 1];
    const preference = this.#preference;
    const roots = this.#roots;
    let squares = 0;
    for (let at = begin; at < end; at++) {
      const own = grades === undefined ? preference[indices[at]] : preference[indices[at]] * grades[at];
      squares += own * own;
    }
    const scale = squares > 0 ? roundingMargin / Math.sqrt(Math.sqrt(squares)) : 0;
    let total = 0;
    for (let at = begin, k = 0; at < end; at++, k++) {
      const own = grades === undefined ? roots[indices[at]] : roots[indices[at]] * Math.sqrt(grades[at]);
      const root = Math.fround(own * scale);
      const weight = root * root;
      into[k] = weight;
      total += weight;
    }
    return total;
  }
}
