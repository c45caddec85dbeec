import { logNormalCdf } from './log-normal-cdf.js';

/**
 * Φ⁻¹(p) by bisection on ln Φ to neighbouring doubles; −∞ at 0 and ∞ at 1. ln Φ tells values apart in the
 * left tail, where Φ itself would underflow; the right half is the left one mirrored, exact as far as 1 − p
 * is.
 */
export function normalQuantile(p: number): number {
  if (!(p >= 0 && p <= 1)) throw new RangeError(`A quantile needs a probability in [0, 1]; got ${p}.`);
  if (p === 0) return -Infinity;
  if (p > 0.5) return -normalQuantile(1 - p);
  const target = Math.log(p);
  let low = -40;
  let high = 0;
  for (;;) {
    const middle = (low + high) / 2;
    if (!(middle > low && middle < high)) return middle;
    if (logNormalCdf(middle) < target) low = middle;
    else high = middle;
  }
}
