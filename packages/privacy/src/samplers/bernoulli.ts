import type { WordStream } from '../random/word-stream.js';
import { ONE, PRECISION } from './fixed-point.js';

/**
 * A coin of fixed probability, exact to 2^-250: one word decides unless it equals the probability's first 32
 * bits.
 */
export class Bernoulli {
  readonly #high: number;
  readonly #low: bigint;

  /** `probability` in [0, 1) in the fixed point of `fixed-point.ts`. */
  constructor(probability: bigint) {
    if (!(probability >= 0n && probability < ONE))
      throw new RangeError('A coin needs a probability in [0, 1).');
    this.#high = Number(probability >> (PRECISION - 32n));
    this.#low = probability & ((1n << (PRECISION - 32n)) - 1n);
  }

  draw(stream: WordStream): boolean {
    const word = stream.next();
    if (word !== this.#high) return word < this.#high;
    return stream.tieBreaker() >> (512n - (PRECISION - 32n)) < this.#low;
  }
}
