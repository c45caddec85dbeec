import { DISCRETE_GAUSSIAN_DISTANCE } from '../samplers/discrete-gaussian.js';
import { type GaussianStream, gaussianStream } from '../samplers/gaussian-stream.js';

/**
 * Variance (in grid steps²) that rounding to the grid takes from the guarantee.
 *
 * Lemma (rounding). Round y ∈ ℝ at random to z ∈ ℤ with probability ∝ exp(−(z − y)²/(2τ)). If y ~ N(0, s²),
 * then z has the discrete Gaussian law of variance parameter s² + τ, up to a factor 1 ± 2e^(−2π²τ)(1 + 10⁻⁹)
 * at every point.
 * Proof: by Poisson summation Σ_z exp(−(z − y)²/(2τ)) = √(2πτ)(1 + 2Σ_k e^(−2π²τk²) cos 2πky), so Pr[z] is,
 * up to that factor, ∫ N(y; 0, s²)·N(z − y; 0, τ) dy = N(z; 0, s² + τ). ∎
 *
 * Rounding commutes with adding an integer. Hence integer statistic + discrete Gaussian of σ is, up to the
 * factor, a post-processing of statistic + N(0, σ² − τ), on any number of coordinates with any σ each: exact
 * Gaussian DP holds with σ² − τ in place of σ². With τ = 8 the factor is within 2^-224 of 1, part of
 * `GRID_GAUSSIAN_DISTANCE`.
 */
export const GRID_VARIANCE_LOSS = 8;

/** Total-variation distance charged for one coordinate: the sampler's, and the rounding lemma's. */
export const GRID_GAUSSIAN_DISTANCE = 2 * DISCRETE_GAUSSIAN_DISTANCE;

/**
 * Standard deviation in grid steps below which the grid is refined: the loss is then under 4 parts in a
 * million.
 */
export const LEAST_GRID_SIGMA = 1024;

/**
 * σ of the discrete Gaussian whose guarantee is that of continuous noise of standard deviation `effective`.
 */
export function gridSigmaFor(effective: number): number {
  return Math.sqrt(effective * effective + GRID_VARIANCE_LOSS) * (1 + 2 ** -50);
}

/**
 * Standard deviation of continuous noise whose guarantee the discrete Gaussian of `gridSigma` has; 0 when
 * there is none.
 */
export function effectiveSigma(gridSigma: number): number {
  return Math.sqrt(Math.max(0, gridSigma * gridSigma - GRID_VARIANCE_LOSS));
}

/**
 * The noise of a part: of `effective` grid steps on every coordinate; or, of packed upper triangles of
 * `width`, `effective` on the diagonal and effective/√2 off it (L3). In the coordinates (X_aa; √2·X_ab) this
 * is equal noise everywhere, and their Euclidean norm is the Frobenius norm of X.
 */
export function gridGaussianStream(key: Uint8Array, effective: number, width = 1): GaussianStream {
  const sigma = gridSigmaFor(effective);
  return gaussianStream(key, sigma, width, width === 1 ? sigma : gridSigmaFor(effective * Math.SQRT1_2));
}
