/**
 * Statistical decisions for tests of samplers. All use 6 standard deviations: a correct sampler is rejected
 * with probability about 2·10⁻⁹ a test (normal approximation, at least 10⁵ draws).
 */
export const SIX_SIGMA = 6;

/** How many standard deviations Σx² is from n·second, when x⁴ has mean `fourth`. */
export function zOfSecondMoment(draws: Float64Array, second: number, fourth: number): number {
  let sum = 0;
  for (const x of draws) sum += x * x;
  return (sum - draws.length * second) / Math.sqrt(draws.length * (fourth - second * second));
}

/** How many standard deviations the mean is from 0, when x² has mean `second`. */
export function zOfMean(draws: Float64Array, second: number): number {
  let sum = 0;
  for (const x of draws) sum += x;
  return sum / Math.sqrt(draws.length * second);
}

/**
 * χ² of counts against probabilities, cells pooled to at least 1/40 of all draws (few cells have more power
 * against a wrong scale than many), as a number of standard deviations by the cube root of Wilson & Hilferty,
 * whose error at 6 deviations and ten or more cells is below 0.2.
 */
export function zOfFit(
  counts: ReadonlyMap<number, number>,
  draws: number,
  cells: readonly (readonly [number, number])[],
): number {
  let chiSquare = 0;
  let used = 0;
  let expected = 0;
  let seen = 0;
  let covered = 0;
  let counted = 0;
  for (const [value, probability] of cells) {
    expected += draws * probability;
    seen += counts.get(value) ?? 0;
    if (expected < draws / 40) continue;
    chiSquare += (seen - expected) ** 2 / expected;
    covered += expected;
    counted += seen;
    used++;
    expected = 0;
    seen = 0;
  }
  const rest = draws - covered;
  if (rest > 5) {
    chiSquare += (draws - counted - rest) ** 2 / rest;
    used++;
  }
  const degrees = used - 1;
  return (Math.cbrt(chiSquare / degrees) - (1 - 2 / (9 * degrees))) / Math.sqrt(2 / (9 * degrees));
}

export function countsOf(draws: Iterable<number>): Map<number, number> {
  const counts = new Map<number, number>();
  for (const x of draws) counts.set(x, (counts.get(x) ?? 0) + 1);
  return counts;
}
