import { firstWhere } from '../real/bisect.js';
import { logNormalCdf } from '../real/log-normal-cdf.js';
import { type DeltaInput, type EpsilonInput, PrivacyParameterError } from '../units.js';

/**
 * The exact privacy curve of Gaussian noise (Balle & Wang 2018, Theorem 8; Dong, Roth & Su 2019, Corollary
 * 2.13). A release with L2 sensitivity Δ and standard deviation σ has μ = Δ/σ; adaptive releases compose to
 * μ² = Σ μ_t², with equality in the worst case (L1), so that
 *
 *   δ(ε; μ) = Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2)
 *
 * is all that a plan of Gaussian releases needs.
 */
interface CurvePoint {
  /** The value as computed. */
  readonly delta: DeltaInput;
  /** A bound on its absolute error. */
  readonly error: number;
}

/**
 * Both terms stay logarithms a = ln Φ(·), b = ε + ln Φ(·): e^ε overflows and Φ underflows long before their
 * product does. Their rounding errors are a few ulps of the largest exponent, hence the error bound.
 */
function curve(mu: number, epsilon: EpsilonInput): CurvePoint {
  if (mu === 0) return { delta: 0, error: 0 };
  if (mu === Infinity) return { delta: 1, error: 0 };
  if (epsilon === Infinity) return { delta: 0, error: 0 };
  const shift = epsilon / mu;
  const a = logNormalCdf(mu / 2 - shift);
  const b = epsilon + logNormalCdf(-mu / 2 - shift);
  const exponent = (mu / 2 + shift) ** 2 / 2 + epsilon;
  const first = Math.exp(a);
  return { delta: b < a ? -first * Math.expm1(b - a) : 0, error: first * (1 + exponent) * 4e-15 };
}

/** Smallest δ for which μ-Gaussian DP gives (ε, δ)-DP. Relative error about 1e-12 for δ ≥ 1e-300. */
export function gaussianDelta(mu: number, epsilon: EpsilonInput): number {
  checkMu(mu);
  if (!(epsilon >= 0))
    throw new PrivacyParameterError('epsilon', epsilon, 'a number ≥ 0', 'δ(ε) starts at 0.');
  return curve(mu, epsilon).delta;
}

/** As `gaussianDelta`, plus a bound on its rounding error: never below the true δ. */
export function gaussianDeltaUpper(mu: number, epsilon: EpsilonInput): number {
  const { delta, error } = curve(mu, epsilon);
  return Math.min(1, delta + error);
}

/** Smallest ε for which μ-Gaussian DP gives (ε, δ)-DP, never below the true one. */
export function gaussianEpsilon(mu: number, delta: DeltaInput): number {
  checkMu(mu);
  checkDelta(delta);
  if (mu === 0) return 0;
  if (mu === Infinity || delta === 0) return Infinity;
  if (gaussianDeltaUpper(mu, 0) <= delta) return 0;
  let high = 1;
  while (gaussianDeltaUpper(mu, high) > delta) high *= 2;
  return firstWhere(0, high, (epsilon) => gaussianDeltaUpper(mu, epsilon) <= delta);
}

/** Largest μ for which μ-Gaussian DP gives (ε, δ)-DP, never above the true one. */
export function muFor(epsilon: EpsilonInput, delta: DeltaInput): number {
  checkDelta(delta);
  if (!(epsilon >= 0))
    throw new PrivacyParameterError('epsilon', epsilon, 'a number ≥ 0', 'Usual values: 0.1 to 10.');
  if (epsilon === Infinity) return Infinity;
  if (delta === 0) return 0;
  // In terms of σ = 1/μ the condition is false, then true.
  const sigma = firstWhere(1e-160, 1e160, (each) => gaussianDeltaUpper(1 / each, epsilon) <= delta);
  return 1 / sigma;
}

function checkMu(mu: number): void {
  if (!(mu >= 0)) throw new PrivacyParameterError('mu', mu, 'a number ≥ 0', 'μ is sensitivity over noise.');
}

export function checkDelta(delta: number): void {
  if (!(delta >= 0 && delta < 1))
    throw new PrivacyParameterError(
      'delta',
      delta,
      'a number in [0, 1)',
      'Use less than 1 / (10 × number of people).',
    );
}
