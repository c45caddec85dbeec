import type { RankingMetric } from '@hushrec/evaluate';

/**
 * Rank-biased precision, (1 − p) Σ_{i<k} pⁱ hit_i with p = 0.8: hits per place of a reader who goes on from
 * each place to the next with chance p (Moffat & Zobel 2008). Between 0 and 1 − pᵏ.
 */
export const rankBiasedPrecision: RankingMetric = {
  name: 'rbp',
  about: 'hits per place of a reader who goes on to the next place with a chance of 0.8',
  better: 'larger',
  unit: 'share',
  needs: 'ranks',
  shown: false,
  of(hits, _relevant, k) {
    let sum = 0;
    for (let place = 0; place < k && place < hits.length; place++) sum += 0.2 * 0.8 ** place * hits[place];
    return sum;
  },
};
