import type { WordStream } from '../random/word-stream.js';
import { DISCRETE_GAUSSIAN_DISTANCE, discreteGaussian } from '../samplers/discrete-gaussian.js';
import { EXPONENTIAL_DISTANCE, exponential } from '../samplers/exponential.js';
import { gammaOfHalves } from '../samplers/gamma.js';
import { GRID_VARIANCE_LOSS } from './grid-gaussian.js';

/**
 * The K-norm mechanism with the L2 ball (Hardt & Talwar 2010): noise of density ∝ exp(−‖z‖₂/b) in p
 * dimensions makes a statistic of L2 sensitivity Δ pure Δ/b-DP. Equivalently a Gamma(p, b) radius in a
 * uniform direction.
 *
 * On the grid. That density is a mixture of Gaussians, exp(−‖z‖/b) ∝ ∫ N_p(z; 0, sI)·s^((p−1)/2)·e^(−s/(2b²))
 * ds, so z ~ N(0, sI) with s = 2b²·Gamma((p+1)/2). Drawing s and then p discrete Gaussians of variance
 * parameter s + 8 is, by the rounding lemma of `grid-gaussian.ts`, a post-processing of the continuous
 * mechanism: integer statistic in, integer out, pure Δ/b.
 *
 * Floating point. Only s and the acceptance probabilities below are doubles. A relative error η ≤ 2^-48 of s
 * changes the law of z by a factor of at most exp(η·(‖z‖²/(2s) + p/2)) ≤ exp(257pη), because proposals end at
 * 16√2 standard deviations. An acceptance exponent is at most 128 and has an error below 2^-42. Together the
 * law is within exp(±p·2^-39) of the ideal one, twice that in a quotient of two, and `kNormScale` takes it
 * off the budget.
 */
export function addKNorm(
  integers: Float64Array,
  begin: number,
  dimension: number,
  scale: number,
  stream: WordStream,
): void {
  const variance = 2 * scale * scale * gammaOfHalves(dimension + 1, stream) + GRID_VARIANCE_LOSS;
  // A few fixed tables serve every variance: propose from the next σ = 2^(k/2), accept with
  // e^(−x²/2·(1/variance − 1/σ²)).
  const proposal = discreteGaussian(2 ** (Math.ceil(Math.log2(variance) + 2 ** -30) / 2));
  const narrowing = (1 / variance - 1 / (proposal.sigma * proposal.sigma)) / 2;
  for (let i = begin; i < begin + dimension; i++) {
    let x: number;
    do x = proposal.draw(stream);
    while (exponential(stream) < x * x * narrowing);
    integers[i] += x;
  }
}

/**
 * Scale to draw with, so that Δ/scale plus the floating-point allowance is at most Δ/noise. Throws when ε is
 * too small.
 */
export function kNormScale(sensitivity: number, noise: number, dimension: number): number {
  const epsilon = sensitivity / noise - dimension * 2 ** -38;
  if (!(epsilon > 0))
    throw new RangeError(
      `ε = ${sensitivity / noise} for one vector of ${dimension} dimensions is below the precision of the sampler.`,
    );
  return (sensitivity / epsilon) * (1 + 2 ** -50);
}

/** Total-variation distance charged for one vector, with four proposals a coordinate. */
export function kNormDistance(dimension: number): number {
  return (
    dimension * 4 * (DISCRETE_GAUSSIAN_DISTANCE + EXPONENTIAL_DISTANCE) +
    (dimension + 2) * EXPONENTIAL_DISTANCE
  );
}
