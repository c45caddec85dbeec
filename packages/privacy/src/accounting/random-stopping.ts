import { type DeltaInput, PrivacyParameterError } from '../units.js';
import { gaussianDelta } from './gaussian-curve.js';
import { epsilonAtOrder } from './rdp.js';

/** How many times a base run is repeated before the best result is published. */
export type NumberOfRuns =
  /** Truncated negative binomial of shape η ≥ 0 (0: logarithmic, 1: geometric) with the given mean. */
  | { readonly law: 'negative-binomial'; readonly shape: number; readonly mean: number }
  | { readonly law: 'poisson'; readonly mean: number };

/**
 * Cost of tuning by random stopping (Papernot & Steinke 2022): draw K, make K runs of one base mechanism that
 * outputs (model, private score), publish the best. For a μ-Gaussian base, r(α) = αμ²/2:
 *
 *   negative binomial (Theorem 2): r′(λ) = r(λ) + (1+η)·min_λ̂[(1 − 1/λ̂)·r(λ̂) + ln(1/γ)/λ̂] + ln E[K]/(λ−1)
 *   Poisson (Theorem 6):           r′(λ) = r(λ) + E[K]·δ̂ + ln E[K]/(λ−1), δ̂ the base's δ at ε̂ = ln(1 + 1/(λ−1))
 *
 * Returns the ε of the whole, at the best order. Choosing hyper-parameters on the data without this costs one
 * full run each instead.
 */
export function tuningEpsilon(mu: number, runs: NumberOfRuns, delta: DeltaInput): number {
  if (!(runs.mean >= 1))
    throw new PrivacyParameterError(
      'mean number of runs',
      runs.mean,
      'a number ≥ 1',
      'One run is no tuning.',
    );
  const base = (order: number): number => (order * mu * mu) / 2;
  const extra = runs.law === 'poisson' ? undefined : negativeBinomialExtra(base, runs.shape, runs.mean);
  let best = Infinity;
  for (let exponent = -3; exponent <= 4; exponent += 0.005) {
    const order = 1 + 10 ** exponent;
    const added = extra ?? runs.mean * gaussianDelta(mu, Math.log1p(1 / (order - 1)));
    const divergence = base(order) + added + Math.log(runs.mean) / (order - 1);
    best = Math.min(best, epsilonAtOrder(divergence, order, delta));
  }
  return best;
}

/** (1+η)·min over λ̂ of (1 − 1/λ̂)·r(λ̂) + ln(1/γ)/λ̂. */
function negativeBinomialExtra(base: (order: number) => number, shape: number, mean: number): number {
  const gamma = stoppingParameter(shape, mean);
  let best = Infinity;
  for (let exponent = -3; exponent <= 4; exponent += 0.001) {
    const order = 1 + 10 ** exponent;
    best = Math.min(best, (1 - 1 / order) * base(order) - Math.log(gamma) / order);
  }
  return (1 + shape) * best;
}

/**
 * γ ∈ (0, 1] of the truncated negative binomial law of shape η with the given mean; the mean falls as γ
 * grows.
 */
export function stoppingParameter(shape: number, mean: number): number {
  if (!(shape >= 0))
    throw new PrivacyParameterError('shape', shape, 'a number ≥ 0', '0 is logarithmic, 1 geometric.');
  if (mean === 1) return 1;
  const meanOf = (gamma: number): number => {
    if (shape === 0) return (1 / gamma - 1) / Math.log(1 / gamma);
    return (shape * (1 / gamma - 1)) / (1 - gamma ** shape);
  };
  let low = 1e-300;
  let high = 1 - 1e-12;
  for (let i = 0; i < 2000 && high / low > 1 + 1e-14; i++) {
    const middle = high / low > 2 ? Math.sqrt(low) * Math.sqrt(high) : (low + high) / 2;
    if (meanOf(middle) > mean) low = middle;
    else high = middle;
  }
  return low;
}
