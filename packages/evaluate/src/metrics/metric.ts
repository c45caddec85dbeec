import type { ListMetric } from './list-metric.js';
import type { RankingMetric } from './ranking-metric.js';
import type { RatingMetric } from './rating-metric.js';

/** What every metric says of itself. */
export interface MetricFacts {
  /** What `--metrics` and reports call it; metrics of lists get `@` and the length of the lists behind it. */
  readonly name: string;
  /** In words, for the table in docs/data.md. */
  readonly about: string;
  readonly better: 'smaller' | 'larger';
  /** What its values are counted in, for the same table. */
  readonly unit: string;
}

/** One measure of quality. Each lives in one file with its formula and stands in one list. */
export type Metric = RatingMetric | RankingMetric | ListMetric;

/** A metric that is asked for: of whole lists or places in them with the length of the lists. */
export type AskedMetric =
  | { readonly metric: RatingMetric }
  | { readonly metric: RankingMetric | ListMetric; readonly cutoff: number };

/** Those that look at lists. */
export type AskedOfLists = Extract<AskedMetric, { readonly cutoff: number }>;

/** `rmse`, `recall@20`. */
export function askedName(asked: AskedMetric): string {
  return isOfLists(asked) ? `${asked.metric.name}@${asked.cutoff}` : asked.metric.name;
}

/** Whether lists have to be made for it. */
export function isOfLists(asked: AskedMetric): asked is AskedOfLists {
  return asked.metric.needs !== 'ratings';
}
