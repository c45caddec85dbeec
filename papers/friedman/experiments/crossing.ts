/** RMSE minus baseline of the same fold at one ε, one list per fold with an entry per run. */
export interface CrossingPoint {
  readonly epsilon: number;
  readonly differences: readonly (readonly number[])[];
}

export interface Crossing {
  /** ε at which the mean difference is 0; `null` where it is not reached within the range tried. */
  readonly epsilon: number | null;
  /** 95 % interval: bootstrap over folds, each with all its runs. */
  readonly low: number | null;
  readonly high: number | null;
}

/**
 * The crossing next to a point: one step of Newton's method in log ε,
 *
 *   ε* = ε · exp(−d/s),   d the mean difference at ε, s = ∂d/∂ln ε < 0 the slope there.
 *
 * The nearer the point, the less the slope matters: an error of 20 % in it moves ε* by a fifth of the step.
 * Runs of one fold share its test ratings, so the interval redraws folds, not runs.
 */
export function crossingNear(point: CrossingPoint, slope: number, random: () => number): Crossing {
  if (!(slope < 0)) throw new RangeError(`slope is ${slope}; expected a falling curve.`);
  const folds = point.differences.map(mean);
  const at = (difference: number) => point.epsilon * Math.exp(-difference / slope);
  const draws = Array.from({ length: 400 }, () =>
    at(mean(folds.map(() => folds[Math.floor(random() * folds.length)]))),
  ).sort((a, b) => a - b);
  const [low, high] = folds.length > 1 ? [draws[10], draws[389]] : [null, null];
  return { epsilon: at(mean(folds)), low, high };
}

/** Mean over folds and runs. */
export function meanDifference({ differences }: CrossingPoint): number {
  return mean(differences.map(mean));
}

/** ∂d/∂ln ε by least squares over points. */
export function slopeOver(points: readonly CrossingPoint[]): number {
  const x = points.map(({ epsilon }) => Math.log(epsilon));
  const y = points.map(meanDifference);
  const centre = mean(x);
  const level = mean(y);
  const covariance = x.reduce((sum, each, at) => sum + (each - centre) * (y[at] - level), 0);
  return covariance / x.reduce((sum, each) => sum + (each - centre) ** 2, 0);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
