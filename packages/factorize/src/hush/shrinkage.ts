/**
 * One released number per item and what is known about it: z_j = strength_j · θ_j + error of variance
 * `variance_j`.
 */
export interface NoisyCoordinate {
  readonly values: Float64Array;
  /** > 0. */
  readonly strengths: Float64Array;
  /** > 0: noise that was added (known exactly) plus sampling error (estimated). */
  readonly variances: Float64Array;
}

/** Turns noisy coordinates into estimates θ̂. Post-processing of released values and public knowledge. */
export type Shrinkage = (coordinate: NoisyCoordinate) => Promise<Float64Array>;

/**
 * τ² of θ_j ~ N(0, τ²) by weighted moments over all items, Σ a²(z² − n)/n² / Σ a⁴/n²; 0 when there is only
 * noise. Its standard error when there is only noise is √(2/Σ a⁴/n²); τ² is not put below `leastErrors` times
 * that. O(items).
 */
export function priorVarianceOf(coordinate: NoisyCoordinate, leastErrors = 0): number {
  const { variance, error } = momentsOf(coordinate);
  return Math.max(leastErrors * error, variance);
}

/**
 * τ² by moments, of either sign, and its standard error when there is only noise; 0 and 0 where nothing is
 * known.
 */
function momentsOf({ values, strengths, variances }: NoisyCoordinate): {
  readonly variance: number;
  readonly error: number;
} {
  let signal = 0;
  let scale = 0;
  for (let item = 0; item < values.length; item++) {
    const weight = (strengths[item] / variances[item]) ** 2;
    signal += weight * (values[item] ** 2 - variances[item]);
    scale += weight * strengths[item] ** 2;
  }
  return scale > 0 ? { variance: signal / scale, error: Math.sqrt(2 / scale) } : { variance: 0, error: 0 };
}

/** Posterior mean around given prior means: m + τ² a (z − a m)/(τ² a² + n). O(items). */
export function posteriorMeans(
  { values, strengths, variances }: NoisyCoordinate,
  priorVariance: number,
  means?: Float64Array,
): Float64Array {
  const estimates = new Float64Array(values.length);
  for (let item = 0; item < values.length; item++) {
    const strength = strengths[item];
    const mean = means === undefined ? 0 : means[item];
    estimates[item] =
      mean +
      (priorVariance * strength * (values[item] - strength * mean)) /
        (priorVariance * strength ** 2 + variances[item]);
  }
  return estimates;
}

/** Empirical Bayes towards 0: nothing is known about items but the released numbers. */
export const shrinkToZero: Shrinkage = async (coordinate) =>
  posteriorMeans(coordinate, priorVarianceOf(coordinate));

/**
 * For rounds that others follow: a direction whose signal is not yet seen is kept at one standard error,
 * because a vector that is exactly 0 teaches people nothing and would stay 0 for ever.
 */
export const shrinkButKeep: Shrinkage = async (coordinate) =>
  posteriorMeans(coordinate, priorVarianceOf(coordinate, 1));

/** So far from one estimate towards another: 0 is the one, 1 the other. */
export function partWay(from: Shrinkage, to: Shrinkage, part: number): Shrinkage {
  if (part === 0) return from;
  return async (coordinate) => {
    const begin = await from(coordinate);
    const end = await to(coordinate);
    return begin.map((value, item) => value + part * (end[item] - value));
  };
}

/**
 * For the last round: a direction is believed as far as its signal is beyond what noise alone could be.
 * Directions that are only noise vanish, all of them and not every other one.
 *
 * @param doubt standard errors that are taken off what a direction seems to explain, before it is used
 */
export const shrinkIfClear =
  (doubt: number): Shrinkage =>
  async (coordinate) => {
    const { variance, error } = momentsOf(coordinate);
    return posteriorMeans(coordinate, Math.max(0, variance - doubt * error));
  };
