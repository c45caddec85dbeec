/**
 * A metric before it is averaged: user i adds `numerator[i]` and `denominator[i]`, and the metric is finish(Σ
 * numerator / Σ denominator). People who do not count (nothing to predict for them) have denominator 0. Kept
 * per user because people, not ratings, are what a confidence interval resamples.
 */
export interface PerUserMetric {
  readonly name: string;
  readonly numerator: Float64Array;
  readonly denominator: Float64Array;
  /** Identity for means, square root for RMSE. */
  readonly finish: (mean: number) => number;
}

/** The metric's value; NaN when nobody counts. */
export function metricValue({ numerator, denominator, finish }: PerUserMetric): number {
  let above = 0;
  let below = 0;
  for (let i = 0; i < numerator.length; i++) {
    above += numerator[i];
    below += denominator[i];
  }
  return finish(above / below);
}

/** Identity: the finish of a plain mean. */
export const plainMean = (mean: number): number => mean;
