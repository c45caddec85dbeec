import { defineMethod } from '../define-method.js';
import type { SettingsSchema } from '../settings.js';
import { columnMeans } from '../shared/averages.js';
import { meanRating } from '../shared/mean-rating.js';
import { planWithoutPrivacy } from '../without-privacy.js';

const schema = {
  itemShrinkage: {
    type: 'number',
    default: 5,
    min: 0,
    max: 1e6,
    description: 'β_m: each item mean is pulled towards the global mean by this many ratings.',
  },
  userShrinkage: {
    type: 'number',
    default: 5,
    min: 0,
    max: 1e6,
    description: 'β_u: each personal mean of what is left is pulled towards 0 by this many ratings.',
  },
} as const satisfies SettingsSchema;

/**
 * Global effects (Friedman et al. 2016, Algorithms 1–2 without noise): r̂ = I_j + U_i with
 *
 *   I_j = (Σ_i r_ij + β_m G) / (n_j + β_m),   U_i = Σ_j (r_ij − I_j) / (n_i + β_u)
 *
 * U_i is computed on the person's device from their own ratings; only the item effects are published.
 */
export const globalEffects = defineMethod({
  id: 'global-effects',
  title: 'Global effects',
  paper: 'Friedman, Berkovsky, Kaafar 2016, Algorithms 1–2 without noise',
  feedback: ['explicit'],
  protects: [],
  settings: schema,
  needs: 'ratings',
  plan: () => planWithoutPrivacy('exact global and item averages'),
  async train({ ratings, settings }) {
    const { itemShrinkage, userShrinkage } = settings;
    const offset = meanRating(ratings.byUser);
    const itemBias = columnMeans(ratings.byUser, offset, itemShrinkage);
    return { model: { kind: 'baseline', feedback: 'explicit', offset, itemBias, userShrinkage } };
  },
});
