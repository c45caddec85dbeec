import type { MetricFacts } from './metric.js';

/** What a model predicts: ratings, counts (Poisson loss), or chances of being liked (logistic loss). */
export type Predicted = 'ratings' | 'counts' | 'chances';

/** One person's held-out pairs and what a model says of them, aligned. */
export interface HeldOut {
  /** What was predicted: the rating, or 1 where it was liked and 0 else (models with a logistic loss). */
  readonly labels: Float64Array;
  /** Ratings clamped to the scale, or chances that the label is 1. */
  readonly predictions: Float64Array;
  /** What the predictions were made of: the order of items, without ties at the ends of the scale. */
  readonly scores: Float64Array;
}

/**
 * A metric of predicted ratings: each person adds a numerator and a denominator, and the metric is finish(Σ
 * numerator / Σ denominator). A denominator of 0 leaves a person out.
 */
export interface RatingMetric extends MetricFacts {
  readonly needs: 'ratings';
  /** Predictions that it says something about. */
  readonly predicts: readonly Predicted[];
  /** Those of which it is shown where nobody asks for metrics; absent: all of `predicts`. */
  readonly shownFor?: readonly Predicted[];
  of(heldOut: HeldOut): { readonly numerator: number; readonly denominator: number };
  readonly finish: (mean: number) => number;
}

/** The sum of a loss of every pair, for metrics that are means over all pairs. */
export function summed(
  { labels, predictions }: HeldOut,
  loss: (prediction: number, label: number) => number,
): { readonly numerator: number; readonly denominator: number } {
  let numerator = 0;
  for (let k = 0; k < labels.length; k++) numerator += loss(predictions[k], labels[k]);
  return { numerator, denominator: labels.length };
}
