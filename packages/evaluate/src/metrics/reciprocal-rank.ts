import type { RankingMetric } from './ranking-metric.js';

/**
 * RR@k = 1 / (place of the first relevant item, from 1), 0 when none is among the first k; its mean is MRR@k.
 */
export const reciprocalRank: RankingMetric = {
  name: 'mrr',
  of(hits, _, k) {
    for (let p = 0; p < k && p < hits.length; p++) if (hits[p] === 1) return 1 / (p + 1);
    return 0;
  },
};
