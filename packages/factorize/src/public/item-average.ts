import { defineMethod } from '../define-method.js';
import type { SettingsSchema } from '../settings.js';
import { columnMeans } from '../shared/averages.js';
import { meanRating } from '../shared/mean-rating.js';
import { planWithoutPrivacy } from '../without-privacy.js';

const schema = {
  itemShrinkage: {
    type: 'number',
    default: 0,
    min: 0,
    max: 1e6,
    description: 'Each item mean is pulled towards the global mean by this many ratings.',
  },
} as const satisfies SettingsSchema;

/** Item average: r̂ = I_j, the (shrunk) mean rating of the item; the global mean for items nobody rated. */
export const itemAverage = defineMethod({
  id: 'item-average',
  title: 'Item averages',
  paper: 'Friedman, Berkovsky, Kaafar 2016, Table 3 (item average)',
  feedback: ['explicit'],
  protects: [],
  settings: schema,
  needs: 'ratings',
  plan: () => planWithoutPrivacy('exact item averages'),
  async train({ ratings, settings }) {
    const { itemShrinkage } = settings;
    const offset = meanRating(ratings.byUser);
    const itemBias = columnMeans(ratings.byUser, offset, itemShrinkage);
    return { model: { kind: 'baseline', feedback: 'explicit', offset, itemBias } };
  },
});
