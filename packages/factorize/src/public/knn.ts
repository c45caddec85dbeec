import { type Csr, sharedFloat32 } from '@hushrec/numerics';
import { defineMethod } from '../define-method.js';
import { idleBy } from '../idle-settings.js';
import type { SettingsSchema } from '../settings.js';
import { columnMeans, itemCounts } from '../shared/averages.js';
import { nearestItems } from '../shared/item-similarity.js';
import { meanRating } from '../shared/mean-rating.js';
import { planWithoutPrivacy } from '../without-privacy.js';

const schema = {
  neighbours: {
    type: 'integer',
    default: 200,
    min: 1,
    max: 10_000,
    description: 'Nearest items kept per item.',
  },
  feedback: {
    type: 'choice',
    default: 'explicit',
    choices: ['explicit', 'implicit'],
    description: 'Predict ratings, or rank items that were rated at all.',
  },
  similarityShrinkage: {
    type: 'number',
    default: 50,
    min: 0,
    max: 1e6,
    description: 'Similarities are multiplied by M/(M + this), M the number of common people.',
  },
  itemShrinkage: { type: 'number', default: 5, min: 0, max: 1e6, description: 'β_m of the item means.' },
  userShrinkage: { type: 'number', default: 5, min: 0, max: 1e6, description: 'β_u of the personal means.' },
} as const satisfies SettingsSchema;

/**
 * Item–item nearest neighbours (Sarwar et al. 2001; the non-private form of Friedman et al. 2016, §5.4).
 * Explicit: global effects are taken off first, c_ij = r_ij − I_j − U_i, and neighbours correlate in what is
 * left. Implicit: cosine of the sets of people who chose each.
 */
export const knn = defineMethod({
  id: 'knn',
  title: 'Item neighbours',
  paper: 'Sarwar et al. 2001; Friedman, Berkovsky, Kaafar 2016, §5.4 without noise',
  feedback: ['explicit', 'implicit'],
  protects: [],
  settings: schema,
  needs: 'ratings',
  idle: ({ feedback }) =>
    idleBy([feedback === 'implicit', 'feedback=explicit', 'itemShrinkage', 'userShrinkage']),
  plan: () => planWithoutPrivacy('exact item similarities, item averages and item counts'),
  async train({ ratings, settings, signal }) {
    const { neighbours, feedback, similarityShrinkage, itemShrinkage, userShrinkage } = settings;
    const { byUser } = ratings;
    signal?.throwIfAborted();
    const popularity = itemCounts(byUser);
    if (feedback === 'implicit') {
      const nearest = nearestItems(byUser, neighbours, similarityShrinkage, 'cosine');
      return {
        model: { kind: 'neighbours', feedback: 'implicit', ...nearest, offset: 0, userShrinkage, popularity },
      };
    }
    const offset = meanRating(byUser); // G
    const itemBias = columnMeans(byUser, offset, itemShrinkage); // I_j − G
    const left = withoutGlobalEffects(byUser, offset, itemBias, userShrinkage); // c_ij
    const nearest = nearestItems(left, neighbours, similarityShrinkage, 'correlation');
    return {
      model: {
        kind: 'neighbours',
        feedback: 'explicit',
        ...nearest,
        itemBias,
        offset,
        userShrinkage,
        popularity,
      },
    };
  },
});

/** c_ij = r_ij − I_j − U_i with U_i = Σ_j (r_ij − I_j)/(n_i + β_u). O(nnz). */
function withoutGlobalEffects(rows: Csr, offset: number, itemBias: Float32Array, userShrinkage: number): Csr {
  const values = sharedFloat32(rows.values.length);
  for (let i = 0; i < rows.rowCount; i++) {
    const begin = rows.offsets[i];
    const end = rows.offsets[i + 1];
    let sum = 0;
    for (let k = begin; k < end; k++) {
      values[k] = rows.values[k] - offset - itemBias[rows.indices[k]];
      sum += values[k];
    }
    const own = sum / (end - begin + userShrinkage);
    for (let k = begin; k < end; k++) values[k] -= own;
  }
  return { ...rows, values };
}
