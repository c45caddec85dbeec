import type { WordStream } from '../random/word-stream.js';
import { geometricOfScale } from '../samplers/discrete-laplace.js';

/**
 * Private selection by permute-and-flip (McKenna & Sheldon 2020, Algorithm 1): visit candidates in random
 * order, take the first whose coin of probability exp(ε(q − q*)/(2Δ)) shows heads, where q* is the best
 * score. Pure ε-DP when no score moves by more than Δ; never worse than the exponential mechanism, and equal
 * in law to report-noisy-max with exponential noise.
 *
 * Scores are integers, so each coin is exact: Pr[Geometric(e^(−1/t)) ≥ n] = e^(−n/t), with t = 2Δ/ε in grid
 * steps.
 */
export function permuteAndFlip(scores: Float64Array, doubleScale: number, stream: WordStream): number {
  if (scores.length === 0) throw new RangeError('There is nothing to select from.');
  let best = -Infinity;
  for (const score of scores) if (score > best) best = score;
  const geometric = geometricOfScale(doubleScale);
  const order = Uint32Array.from(scores, (_, i) => i);
  for (let left = order.length; left > 0; left--) {
    const at = uniformBelow(left, stream);
    const candidate = order[at];
    if (geometric.draw(stream) >= best - scores[candidate]) return candidate;
    order[at] = order[left - 1];
  }
  throw new Error('unreachable: the coin of the best candidate always shows heads');
}

/** Uniform on 0 … bound − 1: the remainder of a word below the largest multiple of `bound`. */
export function uniformBelow(bound: number, stream: WordStream): number {
  const limit = 2 ** 32 - (2 ** 32 % bound);
  for (;;) {
    const word = stream.next();
    if (word < limit) return word % bound;
  }
}
