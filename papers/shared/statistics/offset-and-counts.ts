import type { CoinKeys } from '@hushrec/privacy';
import { type PersonStatistic, requireBound, roundingMargin } from '@hushrec/statistics';
import { boundContributions } from './bound-contributions.js';
import { ownMeans } from './centring.js';

const gridBits = 20;

/**
 * Sum over people of their own mean rating minus `middle`, clipped to ±halfRange: with the number of people
 * it gives a private global mean. Sensitivity `halfRange`: one person adds one clipped number.
 *
 * The published way (Chien et al. 2021, §3.2) sums single ratings; one person then moves the sum by up to k·Γ
 * while the noise is scaled for √k·Γ. O(ratings).
 */
export const ownMeanSum: PersonStatistic<{ readonly middle: number; readonly halfRange: number }, 'sum'> = {
  id: 'own-mean-sum',
  parallel: 'shares',
  shapes: ({ halfRange }) => {
    requireBound('half range of ratings', halfRange);
    return { sum: { length: 1, sensitivity: halfRange, gridStep: halfRange * 2 ** -gridBits } };
  },
  add({ rows }, { middle, halfRange }, { sum }) {
    const limit = halfRange * roundingMargin;
    for (const mean of ownMeans(rows, { offset: middle }, 0)) {
      const clipped = Number.isNaN(mean) ? 0 : Math.max(-limit, Math.min(limit, mean));
      sum[0] += Math.trunc((clipped * 2 ** gridBits) / halfRange);
    }
  },
};

/**
 * c_j = number of people whose own uniform sample of at most k ratings contains j (Chien et al. 2021, §3.2).
 * Sensitivity √k: a person moves at most k coordinates by 1. The samples are drawn with people's own coins.
 * O(ratings).
 */
export const sampledCounts: PersonStatistic<{ readonly limit: number; readonly coins: CoinKeys }, 'counts'> =
  {
    id: 'sampled-item-counts',
    parallel: 'engine',
    shapes: ({ limit }, itemCount) => ({
      counts: { length: itemCount, sensitivity: Math.sqrt(limit), gridStep: 2 ** -gridBits },
    }),
    add({ rows, coins }, { limit, coins: keys }, { counts }) {
      const sample = boundContributions(rows, limit, { kind: 'uniform', coins: coins(keys) });
      for (const item of sample.byUser.indices) counts[item] += 2 ** gridBits;
    },
  };
