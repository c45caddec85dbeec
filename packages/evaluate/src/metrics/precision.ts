import { hitsWithin, type RankingMetric } from './ranking-metric.js';

/** Precision@k = hits / k. */
export const precision: RankingMetric = { name: 'precision', of: (hits, _, k) => hitsWithin(hits, k) / k };
