import type { WordStream } from '../random/word-stream.js';
import { divide, expMinus, fixedFromNumber, ONE } from './fixed-point.js';
import { GEOMETRIC_DISTANCE, Geometric } from './geometric.js';

/** Bound on the total-variation distance of one draw from the discrete Laplace law. */
export const DISCRETE_LAPLACE_DISTANCE = 2 * GEOMETRIC_DISTANCE;

/**
 * Sampler of the discrete Laplace law Pr[x] ∝ exp(−|x|/t) on ℤ, 2^-5 ≤ t ≤ 2^44: the difference of two
 * independent geometric variables of ratio e^(−1/t). An integer statistic of L1 sensitivity Δ (in grid steps)
 * plus such noise is exactly Δ/t-DP (Ghosh, Roughgarden & Sundararajan 2009).
 */
export class DiscreteLaplace {
  readonly scale: number;
  readonly #geometric: Geometric;

  constructor(scale: number) {
    if (!(scale >= 2 ** -5 && scale <= 2 ** 44))
      throw new RangeError(
        `The discrete Laplace law needs a scale of 2^-5 to 2^44 grid steps; got ${scale}. Choose another grid.`,
      );
    this.scale = scale;
    this.#geometric = geometricOfScale(scale);
  }

  get wordsPerDraw(): number {
    return 2 * this.#geometric.wordsPerDraw;
  }

  draw(stream: WordStream): number {
    return this.#geometric.draw(stream) - this.#geometric.draw(stream);
  }

  /** Replaces target[begin … end) by itself plus independent draws. */
  addTo(target: Float64Array, begin: number, end: number, stream: WordStream): void {
    for (let i = begin; i < end; i++) target[i] += this.draw(stream);
  }
}

/** e^(−1/scale) in fixed point. */
export function laplaceRatio(scale: number): bigint {
  return expMinus(divide(ONE, fixedFromNumber(scale)));
}

const recent = new Map<number, Geometric>();

/**
 * The geometric law of ratio e^(−1/scale); tables of the last few scales are kept, since parts ask for the
 * same one.
 */
export function geometricOfScale(scale: number): Geometric {
  let sampler = recent.get(scale);
  if (sampler === undefined) {
    sampler = new Geometric(laplaceRatio(scale));
    if (recent.size >= 32) recent.delete(recent.keys().next().value!);
    recent.set(scale, sampler);
  }
  return sampler;
}
