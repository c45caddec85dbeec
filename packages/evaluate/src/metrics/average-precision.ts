import type { RankingMetric } from './ranking-metric.js';

/** AP@k = Σ_{p<k} hit_p · precision@(p+1) / min(k, relevant); its mean over people is MAP@k. */
export const averagePrecision: RankingMetric = {
  name: 'map',
  about: 'mean over the relevant items of the precision at their places',
  better: 'larger',
  unit: 'share',
  needs: 'ranks',
  of(hits, relevant, k) {
    let found = 0;
    let sum = 0;
    for (let p = 0; p < k && p < hits.length; p++) {
      if (hits[p] !== 1) continue;
      found++;
      sum += found / (p + 1);
    }
    return sum / Math.min(k, relevant);
  },
};
