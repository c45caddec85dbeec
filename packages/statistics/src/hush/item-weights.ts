import type { PersonStatistic } from '../people/people.js';
import { type GradeRange, gradesOf } from './grades.js';
import { ClippedItemSums, clippedShape } from './jointly-clipped.js';
import { type ItemPreference, PersonWeights } from './person-weights.js';

/**
 * s_j = Σ_i w_ij: sensitivity 1, because nobody's weights exceed norm 1 (none is scaled). Where ratings are
 * grades, weights are in proportion to them too. O(ratings).
 */
export const itemWeights: PersonStatistic<ItemPreference & { readonly grades?: GradeRange }, 'weights'> = {
  id: 'item-weights',
  parallel: 'shares',
  shapes: (_, itemCount) => ({ weights: clippedShape('bound on weights', itemCount, 1) }),
  add({ rows }, published, { weights: into }) {
    const weights = new PersonWeights(published);
    const sums = new ClippedItemSums(rows.columnCount, 1, 1);
    const grades = published.grades && gradesOf(rows, published.grades);
    const one = Float64Array.of(1);
    for (let user = 0; user < rows.rowCount; user++) {
      weights.of(rows, user, sums.amounts, grades);
      sums.add(rows.indices.subarray(rows.offsets[user], rows.offsets[user + 1]), one);
    }
    sums.addTo(into);
  },
};
