import type { Claim } from './claim.js';
import { epsilonLowerBound, epsilonOfMu, type GuessCounts, muLowerBound } from './many-run-bound.js';

/** What the attacker thought of one run (larger: the canary was in), and what was true. */
export interface Score {
  readonly member: boolean;
  readonly score: number;
}

/**
 * Lower bound on ε from the scores of many runs.
 *
 * Gaussian claims: the threshold 0 is best by symmetry and fixed in advance, so all runs count. Otherwise the
 * threshold is chosen on the first half of the runs and evaluated on the second, which keeps the bound valid.
 */
export function boundFromScores(
  scores: readonly Score[],
  claim: Claim,
  delta: number,
  confidence: number,
): number {
  if (claim.mu !== undefined) {
    return epsilonOfMu(muLowerBound(countsAt(scores, 0), confidence), delta);
  }
  const half = scores.length / 2;
  const choosing = scores.slice(0, half);
  const candidates = [0, ...choosing.map(({ score }) => score)];
  let best = { threshold: 0, bound: -1 };
  for (const threshold of candidates) {
    const bound = epsilonLowerBound(countsAt(choosing, threshold), delta, confidence);
    if (bound > best.bound) best = { threshold, bound };
  }
  return epsilonLowerBound(countsAt(scores.slice(half), best.threshold), delta, confidence);
}

/**
 * Guesses "was in" where the score is above the threshold; a score of exactly the threshold counts half each
 * way.
 */
function countsAt(scores: readonly Score[], threshold: number): GuessCounts {
  const counts = { truePositives: 0, positives: 0, falsePositives: 0, negatives: 0 };
  scores.forEach(({ member, score }, at) => {
    const guess = score === threshold ? at % 4 < 2 : score > threshold;
    if (member) {
      counts.positives++;
      if (guess) counts.truePositives++;
    } else {
      counts.negatives++;
      if (guess) counts.falsePositives++;
    }
  });
  return counts;
}
