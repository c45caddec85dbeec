/**
 * Reproducible randomness for splits, initial values and synthetic data. Its future can be computed from its
 * past, so it must never be a source of privacy noise.
 *
 * xoshiro128** (Blackman & Vigna 2021), 128 bits of state, seeded by SplitMix32 steps so that near seeds give
 * unrelated streams.
 */
export class SeededRandom {
  readonly seed: number;
  #a: number;
  #b: number;
  #c: number;
  #d: number;
  #spareNormal: number | undefined;

  /** @param seed whole number in [0, 2⁵³); 0 is a seed like any other. */
  constructor(seed: number) {
    if (!Number.isSafeInteger(seed) || seed < 0)
      throw new RangeError(`seed is ${seed}; expected a whole number from 0 to 2⁵³ − 1.`);
    this.seed = seed;
    let state = seed >>> 0;
    const high = Math.floor(seed / 2 ** 32);
    const next = () => {
      state = (state + 0x9e3779b9) | 0;
      let z = state ^ Math.imul(high, 0x85ebca6b);
      z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
      z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
      return z ^ (z >>> 15);
    };
    this.#a = next();
    this.#b = next();
    this.#c = next();
    this.#d = next() | 1;
  }

  /** Uniform 32-bit unsigned integer. */
  uint32(): number {
    const scrambled = Math.imul(this.#b, 5);
    const result = Math.imul((scrambled << 7) | (scrambled >>> 25), 9) >>> 0;
    const shifted = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= shifted;
    this.#d = (this.#d << 11) | (this.#d >>> 21);
    return result;
  }

  /** Uniform in [0, 1) with 53 random bits. */
  uniform(): number {
    return ((this.uint32() >>> 5) * 67108864 + (this.uint32() >>> 6)) / 9007199254740992;
  }

  /** Uniform whole number in [0, bound), without modulo bias (rejection); 1 ≤ bound ≤ 2³². */
  below(bound: number): number {
    const limit = 4294967296 - (4294967296 % bound);
    let draw = this.uint32();
    while (draw >= limit) draw = this.uint32();
    return draw % bound;
  }

  /** Standard normal, Marsaglia's polar method. */
  normal(): number {
    if (this.#spareNormal !== undefined) {
      const spare = this.#spareNormal;
      this.#spareNormal = undefined;
      return spare;
    }
    let x: number;
    let y: number;
    let square: number;
    do {
      x = 2 * this.uniform() - 1;
      y = 2 * this.uniform() - 1;
      square = x * x + y * y;
    } while (square >= 1 || square === 0);
    const factor = Math.sqrt((-2 * Math.log(square)) / square);
    this.#spareNormal = y * factor;
    return x * factor;
  }

  /** Shuffles in place (Fisher–Yates), O(n). */
  shuffle<Sequence extends { readonly length: number; [index: number]: unknown }>(
    sequence: Sequence,
  ): Sequence {
    for (let last = sequence.length - 1; last > 0; last--) {
      const other = this.below(last + 1);
      const kept = sequence[last];
      sequence[last] = sequence[other];
      sequence[other] = kept;
    }
    return sequence;
  }
}
