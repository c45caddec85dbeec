import type { WordStream } from '../random/word-stream.js';
import { AliasTable, COLUMN_BITS, COLUMNS } from './alias-table.js';
import { multiply, ONE, PRECISION } from './fixed-point.js';

/** Bound on the total-variation distance of one draw from the geometric law. */
export const GEOMETRIC_DISTANCE = 2 ** -186;

/**
 * Sampler of the geometric law Pr[G = g] = (1 − q)·q^g on g = 0, 1, 2, …, for 0 ≤ q < 1.
 *
 * In base 2^13 the digits of a geometric variable are independent, the j-th with Pr[d] ∝ q^(d·2^(13j)),
 * because q^g is the product of those powers. One alias table a digit; digits stop where a non-zero one has
 * probability below 2^-200. One word per digit, no rejection.
 */
export class Geometric {
  readonly #digits: readonly AliasTable[];

  /** `ratio` is q in the fixed point of `fixed-point.ts`. */
  constructor(ratio: bigint) {
    if (!(ratio >= 0n && ratio < ONE - (ONE >> 150n)))
      throw new RangeError('The ratio of a geometric law must be in [0, 1 − 2^-150]. Choose a coarser grid.');
    const digits: AliasTable[] = [];
    let q = ratio;
    while (q > 1n << (PRECISION - 200n)) {
      const weights: bigint[] = [];
      for (let weight = ONE; weights.length < COLUMNS && weight > 0n; weight = multiply(weight, q)) {
        weights.push(weight);
      }
      digits.push(new AliasTable(weights));
      for (let i = 0; i < COLUMN_BITS; i++) q = multiply(q, q);
    }
    this.#digits = digits;
  }

  get wordsPerDraw(): number {
    return this.#digits.length;
  }

  draw(stream: WordStream): number {
    let value = 0;
    for (let j = this.#digits.length - 1; j >= 0; j--) {
      value = value * COLUMNS + this.#digits[j].draw(stream.next(), stream);
    }
    return value;
  }
}
