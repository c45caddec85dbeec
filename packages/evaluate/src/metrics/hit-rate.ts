import { hitsWithin, type RankingMetric } from './ranking-metric.js';

/** HR@k = 1 when at least one relevant item is among the first k. */
export const hitRate: RankingMetric = { name: 'hr', of: (hits, _, k) => (hitsWithin(hits, k) > 0 ? 1 : 0) };
