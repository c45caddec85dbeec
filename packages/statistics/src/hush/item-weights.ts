import type { PersonStatistic } from '../people/people.js';
import { ClippedItemSums, clippedShape } from './jointly-clipped.js';
import { type ItemPreference, PersonWeights } from './person-weights.js';

/** s_j = Σ_i w_ij: sensitivity 1, because nobody's weights exceed norm 1 (none is scaled). O(ratings). */
export const itemWeights: PersonStatistic<ItemPreference, 'weights'> = {
  id: 'item-weights',
  parallel: 'shares',
  shapes: (_, itemCount) => ({ weights: clippedShape('bound on weights', itemCount, 1) }),
  add({ rows }, published, { weights: into }) {
    const weights = new PersonWeights(published);
    const sums = new ClippedItemSums(rows.columnCount, 1, 1);
    const one = Float64Array.of(1);
    for (let user = 0; user < rows.rowCount; user++) {
      weights.of(rows, user, sums.amounts);
      sums.add(rows.indices.subarray(rows.offsets[user], rows.offsets[user + 1]), one);
    }
    sums.addTo(into);
  },
};
