import { type DeltaInput, PrivacyParameterError } from '../units.js';
import { renyiEpsilon } from './rdp.js';

/**
 * `count` Gaussian releases, each on a fresh uniform sample of `batch` of `population` units, without
 * replacement.
 */
export interface FixedSizeSampling {
  readonly batch: number;
  /** Public: under `replace` the number of units is the same in neighbouring data sets. */
  readonly population: number;
  /** L2 change when one unit of the sample is replaced; for clipped sums twice the clip. */
  readonly replaceSensitivity: number;
  readonly noise: number;
  readonly count: number;
}

/**
 * ε of sampling without replacement, by Rényi divergences at whole orders α ≥ 2 (Wang, Balle &
 * Kasiviswanathan 2019, Theorem 9, Gaussian case). With γ = batch/population and r(j) = jΔ²/(2σ²):
 *
 *   r′(α) ≤ ln(1 + γ²·C(α,2)·min{4(e^r(2) − 1), 2e^r(2)} + Σ_{j=3}^{α} γ^j·C(α,j)·2e^((j−1)r(j)))/(α−1)
 *
 * Proved for the `replace` relation only, so it is no `PrivacyEvent` (events are accounted for add/remove as
 * well), and it is never a substitute for Poisson sampling.
 */
export function fixedSizeSamplingEpsilon(sampling: FixedSizeSampling, delta: DeltaInput): number {
  const { batch, population, count } = sampling;
  if (!(batch >= 1 && population >= batch))
    throw new PrivacyParameterError(
      'batch',
      batch,
      'a number from 1 to the population',
      'A sample is part of it.',
    );
  const orders = Array.from({ length: 255 }, (_, i) => i + 2);
  return renyiEpsilon((order) => count * fixedSizeDivergence(sampling, order), delta, orders);
}

/** r′(α) of one release. O(α). */
export function fixedSizeDivergence(sampling: Omit<FixedSizeSampling, 'count'>, order: number): number {
  const { batch, population, replaceSensitivity, noise } = sampling;
  const rho = (replaceSensitivity / noise) ** 2 / 2;
  const logRate = Math.log(batch / population);
  const logTerms = [0];
  let logBinomial = Math.log(order);
  for (let j = 2; j <= order; j++) {
    logBinomial += Math.log((order - j + 1) / j);
    const logFactor =
      j === 2
        ? Math.min(Math.log(4 * Math.expm1(2 * rho)), Math.LN2 + 2 * rho)
        : Math.LN2 + (j - 1) * j * rho;
    logTerms.push(j * logRate + logBinomial + logFactor);
  }
  const largest = logTerms.reduce((max, term) => Math.max(max, term), -Infinity);
  const sum = logTerms.reduce((total, term) => total + Math.exp(term - largest), 0);
  return (largest + Math.log(sum)) / (order - 1);
}
