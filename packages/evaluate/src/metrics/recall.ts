import { hitsWithin, type RankingMetric } from './ranking-metric.js';

/**
 * Recall@k = hits / min(k, relevant): 1 is reachable also for people with more than k relevant items (Liang
 * et al. 2018).
 */
export const recall: RankingMetric = {
  name: 'recall',
  about: 'share of what is relevant, or of k where that is less, among the first k',
  better: 'larger',
  unit: 'share',
  needs: 'ranks',
  bySlice: true,
  of: (hits, relevant, k) => hitsWithin(hits, k) / Math.min(k, relevant),
};

/** hits / relevant, uncapped, as in the Gowalla literature (Wang et al. 2019, He et al. 2020). */
export const fullRecall: RankingMetric = {
  name: 'full-recall',
  about: 'share of what is relevant among the first k',
  better: 'larger',
  unit: 'share',
  needs: 'ranks',
  of: (hits, relevant, k) => hitsWithin(hits, k) / relevant,
};
