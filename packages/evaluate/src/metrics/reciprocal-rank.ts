import type { RankingMetric } from './ranking-metric.js';

/**
 * RR@k = 1 / (place of the first relevant item, from 1), 0 when none is among the first k; its mean is MRR@k.
 */
export const reciprocalRank: RankingMetric = {
  name: 'mrr',
  about: 'one over the place of the first relevant item, 0 beyond k',
  better: 'larger',
  unit: '1/place',
  needs: 'ranks',
  of(hits, _, k) {
    for (let p = 0; p < k && p < hits.length; p++) if (hits[p] === 1) return 1 / (p + 1);
    return 0;
  },
};
