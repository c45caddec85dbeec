import { normalCdf } from '../real/log-normal-cdf.js';
import { normalQuantile } from '../real/normal-quantile.js';
import type { DeltaInput, EpsilonInput } from '../units.js';

/**
 * What a guarantee means to someone who tries to tell whether one person's data was used (Wasserman & Zhou
 * 2010; Dong, Roth & Su 2019): at a given rate of false alarms, the largest share of true cases they can
 * catch.
 */

/** Under (ε, δ)-DP: min(1, e^ε·α + δ, 1 − e^(−ε)(1 − δ − α)). */
export function largestDetection(epsilon: EpsilonInput, delta: DeltaInput, falseAlarms: number): number {
  const raised = Math.exp(epsilon) * falseAlarms + delta;
  const mirrored = 1 - Math.exp(-epsilon) * (1 - delta - falseAlarms);
  return Math.max(falseAlarms, Math.min(1, raised, mirrored));
}

/** Under μ-Gaussian DP: Φ(Φ⁻¹(α) + μ), which some attacker reaches. */
export function largestGaussianDetection(mu: number, falseAlarms: number): number {
  return normalCdf(normalQuantile(falseAlarms) + mu);
}

/**
 * Largest probability someone can reach who gave `prior` before seeing the release (pure ε; δ aside): odds
 * rise by e^ε.
 */
export function largestPosterior(epsilon: EpsilonInput, prior: number): number {
  return 1 / (1 + ((1 - prior) / prior) * Math.exp(-epsilon));
}
