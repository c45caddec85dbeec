import { defineMethod } from '../define-method.js';
import { meanRating } from '../shared/mean-rating.js';
import { planWithoutPrivacy } from '../without-privacy.js';

/** Global average: r̂ = G for everybody and everything. The floor of every comparison. */
export const globalAverage = defineMethod({
  id: 'global-average',
  title: 'Global average',
  paper: 'Friedman, Berkovsky, Kaafar 2016, Table 3 (global average)',
  feedback: ['explicit'],
  protects: [],
  settings: {},
  needs: 'ratings',
  plan: () => planWithoutPrivacy('the exact global average'),
  async train({ ratings }) {
    return {
      model: {
        kind: 'baseline',
        feedback: 'explicit',
        offset: meanRating(ratings.byUser),
        itemBias: new Float32Array(ratings.itemCount),
      },
    };
  },
});
