const LOG_SQRT_TWO_PI = 0.9189385332046727;

/**
 * Mills ratio Q(x)/φ(x) for x ≥ 2, by its continued fraction 1/(x + 1/(x + 2/(x + 3/(x + …)))), evaluated
 * from the inside. 200/x² + 30 levels leave a relative error below 1e-16 in the whole range.
 */
function millsRatio(x: number): number {
  let tail = x;
  for (let k = Math.ceil(600 / (x * x)) + 30; k >= 1; k--) tail = x + k / tail;
  return 1 / tail;
}

/**
 * Φ(x) − ½ = φ(x)·(x + x³/3 + x⁵/15 + …) for |x| ≤ 2: all terms have one sign, so nothing cancels.
 */
function centralProbability(x: number): number {
  const square = x * x;
  let term = x;
  let sum = x;
  for (let k = 1; Math.abs(term) > 1e-18 * Math.abs(sum); k++) {
    term *= square / (2 * k + 1);
    sum += term;
  }
  return sum * Math.exp(-square / 2 - LOG_SQRT_TWO_PI);
}

/**
 * ln Φ(x) of the standard normal law, accurate in both tails: relative error of Φ below 1e-14 for x ≥ −10⁸,
 * where Φ itself has long underflowed (Φ(−40) ≈ 10⁻³⁵⁰).
 */
export function logNormalCdf(x: number): number {
  if (Number.isNaN(x)) return Number.NaN;
  if (x > 2) return Math.log1p(-Math.exp(-(x * x) / 2 - LOG_SQRT_TWO_PI) * millsRatio(x));
  if (x >= -2) return Math.log(0.5 + centralProbability(x));
  if (x === -Infinity) return -Infinity;
  return -(x * x) / 2 - LOG_SQRT_TWO_PI + Math.log(millsRatio(-x));
}

/** Φ(x) of the standard normal law. */
export function normalCdf(x: number): number {
  return Math.exp(logNormalCdf(x));
}
