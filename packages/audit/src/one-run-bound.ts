import type { DeltaInput, EpsilonInput } from '@hushrec/privacy';
import { binomialTail } from './binomial.js';

/** One training run with many canaries, each in with probability ½ on its own. */
export interface OneRunCounts {
  /** Canaries there were (m). */
  readonly canaries: number;
  /** Canaries a guess was made for (r); abstaining is allowed. */
  readonly guesses: number;
  /** Right guesses (v). */
  readonly correct: number;
}

/**
 * Probability bound of so many right guesses under (ε, δ)-DP (Steinke, Nasr and Jagielski 2023, Theorem 5.2):
 * with q = e^ε/(1 + e^ε), B ~ Binomial(r, q) and β = Pr[B ≥ v],
 *
 *   p ≤ β + 2mδ · max_{1 ≤ i ≤ v} (Pr[B ≥ v − i] − β)/i.
 */
function oneRunPValue(counts: OneRunCounts, epsilon: EpsilonInput, delta: DeltaInput): number {
  const { canaries, guesses, correct } = counts;
  const q = 1 / (1 + Math.exp(-epsilon));
  const beta = binomialTail(guesses, correct, q);
  if (delta === 0) return beta;
  let largest = 0;
  for (let i = 1; i <= correct; i++) {
    const tail = binomialTail(guesses, correct - i, q);
    largest = Math.max(largest, (tail - beta) / i);
    // Later terms are at most 1/(i + 1).
    if ((1 - beta) / (i + 1) <= largest) break;
  }
  return Math.min(1, beta + 2 * canaries * delta * largest);
}

/** Largest ε that the run refutes at this confidence: the true ε is at least that. */
export function oneRunLowerBound(counts: OneRunCounts, delta: DeltaInput, confidence: number): number {
  const alpha = 1 - confidence;
  if (oneRunPValue(counts, 0, delta) >= alpha) return 0;
  let low = 0;
  let high = 1;
  while (oneRunPValue(counts, high, delta) < alpha) high *= 2;
  for (let step = 0; step < 100 && high - low > 1e-12 * high; step++) {
    const middle = (low + high) / 2;
    if (oneRunPValue(counts, middle, delta) < alpha) low = middle;
    else high = middle;
  }
  return low;
}
