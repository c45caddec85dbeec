import { hitsWithin, type RankingMetric } from './ranking-metric.js';

/** Precision@k = hits / k. */
export const precision: RankingMetric = {
  name: 'precision',
  about: 'share of the first k that is relevant',
  better: 'larger',
  unit: 'share',
  needs: 'ranks',
  of: (hits, _, k) => hitsWithin(hits, k) / k,
};
