import { hitsWithin, type RankingMetric } from './ranking-metric.js';

/** HR@k = 1 when at least one relevant item is among the first k. */
export const hitRate: RankingMetric = {
  name: 'hr',
  about: 'share of people with something relevant among the first k',
  better: 'larger',
  unit: 'share',
  needs: 'ranks',
  of: (hits, _, k) => (hitsWithin(hits, k) > 0 ? 1 : 0),
};
