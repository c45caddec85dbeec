import { type DeltaInput, logNormalCdf } from '@hushrec/privacy';
import type { Claim } from './claim.js';
import { epsilonLowerBound, epsilonOfMu, muLowerBound } from './many-run-bound.js';
import { oneRunLowerBound } from './one-run-bound.js';

/** What an audit could have shown, whatever it showed. */
export interface AuditPower {
  /** The lower bound if every guess were right: no audit of this size shows more. */
  readonly most: number;
  /** About the lower bound that the best attacker gets if the claim is exactly true. */
  readonly atClaim: number;
}

/**
 * Many runs, `runs` with the canary and as many without. The best attacker of a μ-Gaussian mechanism errs
 * with probability Φ(−μ/2) either way (Neyman and Pearson), one of a pure ε-DP mechanism with 1/(1 + e^ε) at
 * the least; other claims lie between. Bounds without a fixed threshold use half of the runs.
 */
export function powerOfRuns(runs: number, claim: Claim, delta: DeltaInput, confidence: number): AuditPower {
  const isGaussian = claim.mu !== undefined;
  const each = isGaussian ? runs : Math.floor(runs / 2);
  const boundAt = (errorRate: number) => {
    const errors = Math.round(errorRate * each);
    const counts = {
      truePositives: each - errors,
      positives: each,
      falsePositives: errors,
      negatives: each,
    };
    return isGaussian
      ? epsilonOfMu(muLowerBound(counts, confidence), delta)
      : epsilonLowerBound(counts, delta, confidence);
  };
  const rate = isGaussian ? Math.exp(logNormalCdf(-claim.mu / 2)) : 1 / (1 + Math.exp(claim.epsilon));
  return { most: boundAt(0), atClaim: boundAt(rate) };
}

/** One run: at most e^ε/(1 + e^ε) of the guesses are right on average under pure ε-DP. */
export function powerOfOneRun(
  canaries: number,
  guesses: number,
  claim: Claim,
  delta: DeltaInput,
  confidence: number,
): AuditPower {
  const boundAt = (rate: number) =>
    oneRunLowerBound({ canaries, guesses, correct: Math.round(rate * guesses) }, delta, confidence);
  return { most: boundAt(1), atClaim: boundAt(1 / (1 + Math.exp(-claim.epsilon))) };
}
