import type { Csr } from '@hushrec/numerics';
import type { PersonStatistic } from '../people/people.js';
import { ClippedItemSums, clippedShape, clippedSteps } from './jointly-clipped.js';
import { type ItemPreference, PersonWeights } from './person-weights.js';

/** What is taken off a rating before its author's own level is found: public or released. */
export interface Level {
  /** Public constant: the middle of the scale. */
  readonly offset: number;
  /** b_j: released, or 0. */
  readonly effects: Float64Array;
  /** Pseudo-ratings at zero in the person's own mean. */
  readonly shrinkage: number;
}

/**
 * A person's own shrunk mean of what is left of her ratings: Σ (r − offset − b_j)/(n_i + shrinkage). Local.
 * O(own ratings).
 */
function ownLevel(
  { offsets, indices, values }: Csr,
  user: number,
  { offset, effects, shrinkage }: Level,
): number {
  const begin = offsets[user];
  const end = offsets[user + 1];
  let sum = 0;
  for (let at = begin; at < end; at++) sum += values[at] - offset - effects[indices[at]];
  return sum / (end - begin + shrinkage);
}

/**
 * Σ_i k_i w_ij (r_ij − offset − ĉ_i) for every item, each person's whole contribution scaled to norm ≤ bound:
 * the weighted sum of ratings, each relative to its author's own level ĉ_i. Sensitivity `bound` (see
 * `ClippedItemSums`). And `scaling`, Σ_i k_i, in which everyone adds one number between 0 and 1: sensitivity 1.
 * O(ratings).
 */
export const itemEffects: PersonStatistic<
  ItemPreference & Level & { readonly bound: number },
  'effects' | 'scaling'
> = {
  id: 'item-effects',
  parallel: 'shares',
  shapes: ({ bound }, itemCount) => ({
    effects: clippedShape('bound on a contribution', itemCount, bound),
    scaling: clippedShape('bound on a factor', 1, 1),
  }),
  add({ rows }, published, { effects: into, scaling }) {
    const { offset, bound } = published;
    const { offsets, indices, values } = rows;
    const weights = new PersonWeights(published);
    const sums = new ClippedItemSums(rows.columnCount, 1, bound);
    const one = Float64Array.of(1);
    for (let user = 0; user < rows.rowCount; user++) {
      const begin = offsets[user];
      const end = offsets[user + 1];
      const level = ownLevel(rows, user, published);
      const { amounts } = sums;
      weights.of(rows, user, amounts);
      for (let at = begin, k = 0; at < end; at++, k++)
        amounts[k] = amounts[k] * (values[at] - offset - level);
      scaling[0] += clippedSteps(sums.add(indices.subarray(begin, end), one), 1);
    }
    sums.addTo(into);
  },
};

/**
 * Σ_i min(bound, mean squared residual of i's own ratings around offset + b_j + ĉ_i); 0 for people without
 * ratings. Sensitivity `bound`: everyone adds one number between 0 and it. O(ratings).
 */
export const residualVariance: PersonStatistic<Level & { readonly bound: number }, 'total'> = {
  id: 'residual-variance',
  parallel: 'shares',
  shapes: ({ bound }) => ({ total: clippedShape('bound on a number per person', 1, bound) }),
  add({ rows }, published, { total }) {
    const { offset, effects, bound } = published;
    const { offsets, indices, values } = rows;
    for (let user = 0; user < rows.rowCount; user++) {
      const begin = offsets[user];
      const end = offsets[user + 1];
      if (begin === end) continue;
      const level = ownLevel(rows, user, published);
      let sum = 0;
      for (let at = begin; at < end; at++) sum += (values[at] - offset - effects[indices[at]] - level) ** 2;
      total[0] += clippedSteps(sum / (end - begin), bound);
    }
  },
};
