import { auc } from './metrics/auc.js';
import { averagePrecision } from './metrics/average-precision.js';
import { coverage } from './metrics/coverage.js';
import { hitRate } from './metrics/hit-rate.js';
import { logLoss } from './metrics/log-loss.js';
import { mae } from './metrics/mae.js';
import type { AskedOfLists, Metric } from './metrics/metric.js';
import { ndcg } from './metrics/ndcg.js';
import { precision } from './metrics/precision.js';
import type { Predicted, RatingMetric } from './metrics/rating-metric.js';
import { fullRecall, recall } from './metrics/recall.js';
import { reciprocalRank } from './metrics/reciprocal-rank.js';
import { rmse } from './metrics/rmse.js';

/** Every metric by its name on the command line, in the order in which they are shown to people. */
export const metrics: readonly Metric[] = [
  // Of predictions.
  rmse,
  mae,
  logLoss,
  auc,
  // Of places in each person's list.
  recall,
  fullRecall,
  precision,
  hitRate,
  ndcg,
  averagePrecision,
  reciprocalRank,
  // Of all lists together.
  coverage,
];

/** Lengths of the lists that are looked at where nobody says. */
export const defaultCutoffs: readonly number[] = [10, 20, 100];

/** What is shown of predictions where nobody asks for metrics. */
export function shownOfPredictions(predicted: Predicted): readonly RatingMetric[] {
  return metrics
    .filter((metric) => metric.needs === 'ratings')
    .filter(({ predicts, shownFor }) => (shownFor ?? predicts).includes(predicted));
}

/** What is shown of rankings where nobody asks for metrics. */
export function shownOfLists(cutoffs: readonly number[]): readonly AskedOfLists[] {
  return metrics
    .filter((metric) => metric.needs !== 'ratings')
    .filter((metric) => metric.needs === 'lists' || metric.shown !== false)
    .flatMap((metric) => cutoffs.map((cutoff) => ({ metric, cutoff })));
}
