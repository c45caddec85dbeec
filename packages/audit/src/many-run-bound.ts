import { type DeltaInput, gaussianEpsilon, normalQuantile } from '@hushrec/privacy';
import { upperRate } from './binomial.js';

/** How often a guess "the canary was in" was made, with the canary in and out. */
export interface GuessCounts {
  readonly truePositives: number;
  readonly positives: number;
  readonly falsePositives: number;
  readonly negatives: number;
}

/**
 * Lower bound on ε with the given confidence: (ε, δ)-DP forces 1 − FNR ≤ e^ε·FPR + δ and
 * 1 − FPR ≤ e^ε·FNR + δ (Kairouz, Oh and Viswanath 2015), so
 *
 *   ε ≥ max(ln((1 − δ − FNR⁺)/FPR⁺), ln((1 − δ − FPR⁺)/FNR⁺))
 *
 * with Clopper–Pearson upper ends FPR⁺, FNR⁺ at half of 1 − confidence each. 0 where nothing is shown.
 */
export function epsilonLowerBound(counts: GuessCounts, delta: DeltaInput, confidence: number): number {
  const { falsePositive, falseNegative } = errorRates(counts, confidence);
  return Math.max(
    0,
    Math.log((1 - delta - falseNegative) / falsePositive) || 0,
    Math.log((1 - delta - falsePositive) / falseNegative) || 0,
  );
}

/**
 * Lower bound on μ for a mechanism that claims μ-Gaussian DP: Φ⁻¹(1 − FPR) − Φ⁻¹(FNR) ≤ μ for every test
 * (Dong, Roth and Su 2019, Definition 2.6). Larger than what ε alone shows when the noise is Gaussian.
 */
export function muLowerBound(counts: GuessCounts, confidence: number): number {
  const { falsePositive, falseNegative } = errorRates(counts, confidence);
  return Math.max(0, -normalQuantile(falsePositive) - normalQuantile(falseNegative));
}

/** What a lower bound on μ says about ε at δ, for a mechanism that claims μ-Gaussian DP. */
export function epsilonOfMu(mu: number, delta: DeltaInput): number {
  return gaussianEpsilon(mu, delta);
}

function errorRates(
  { truePositives, positives, falsePositives, negatives }: GuessCounts,
  confidence: number,
): { falsePositive: number; falseNegative: number } {
  const alpha = (1 - confidence) / 2;
  return {
    falsePositive: upperRate(falsePositives, negatives, alpha),
    falseNegative: upperRate(positives - truePositives, positives, alpha),
  };
}
