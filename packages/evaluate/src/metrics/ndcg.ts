import type { RankingMetric } from './ranking-metric.js';

/**
 * NDCG@k = Σ_{p<k} hit_p / log₂(p + 2) over its best possible value Σ_{p < min(k, relevant)} 1 / log₂(p + 2).
 */
export const ndcg: RankingMetric = {
  name: 'ndcg',
  about: 'relevant items among the first k, early places counting more, over the best that could be',
  better: 'larger',
  unit: 'share',
  needs: 'ranks',
  of(hits, relevant, k) {
    let gained = 0;
    let ideal = 0;
    for (let p = 0; p < k; p++) {
      const discount = 1 / Math.log2(p + 2);
      if (p < relevant) ideal += discount;
      if (p < hits.length && hits[p] === 1) gained += discount;
    }
    return gained / ideal;
  },
};
