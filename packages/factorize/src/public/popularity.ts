import { defineMethod } from '../define-method.js';
import { itemCounts } from '../shared/averages.js';
import { planWithoutPrivacy } from '../without-privacy.js';

/**
 * Popularity: everybody gets the items most people have. The check that an evaluator ranks the right way
 * round.
 */
export const popularity = defineMethod({
  id: 'popularity',
  title: 'Popularity',
  paper: 'baseline',
  feedback: ['implicit'],
  protects: [],
  settings: {},
  needs: 'ratings',
  plan: () => planWithoutPrivacy('exact item counts'),
  async train({ ratings }) {
    return {
      model: { kind: 'baseline', feedback: 'implicit', offset: 0, itemBias: itemCounts(ratings.byUser) },
    };
  },
});
