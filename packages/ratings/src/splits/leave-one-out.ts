import { compareIds } from '../id-order.js';
import type { RatingMatrix } from '../rating-matrix.js';
import { selectRatings } from '../select-ratings.js';
import type { SplitRecord } from './split-record.js';
import { type NamedRatings, SplitValues } from './split-values.js';

/** Train and test with the same users and items. */
export interface LeaveOneOut {
  readonly record: SplitRecord;
  readonly train: RatingMatrix;
  /** One rating for every user who has at least two. */
  readonly test: RatingMatrix;
  /** How the held-out rating was chosen; `random` where the data has no times. */
  readonly chosenBy: 'time' | 'random' | 'given';
}

/**
 * Holds out each user's latest rating (ties: the later item id, see `compareIds`), or a random one where
 * there are no times: that of the smallest draw (`SplitValues`). Either follows from her own ratings alone.
 * Users with a single rating stay in train whole. O(ratings).
 */
export function splitLeaveOneOut(data: NamedRatings, options: { readonly seed: number }): LeaveOneOut {
  const { ratings, itemIds } = data;
  const { byUser, userCount, times } = ratings;
  const draws = new SplitValues(data, 'leave-one-out', options.seed).ofRatings(ratings);
  const isLaterId = (k: number, than: number) =>
    compareIds(itemIds[byUser.indices[k]], itemIds[byUser.indices[than]]) > 0;
  const goesBefore = (k: number, chosen: number) =>
    times === undefined
      ? draws[k] < draws[chosen] || (draws[k] === draws[chosen] && isLaterId(k, chosen))
      : times[k] > times[chosen] || (times[k] === times[chosen] && isLaterId(k, chosen));
  const heldOut = new Uint8Array(byUser.values.length);
  for (let user = 0; user < userCount; user++) {
    const start = byUser.offsets[user];
    const end = byUser.offsets[user + 1];
    if (end - start < 2) continue;
    let chosen = start;
    for (let k = start + 1; k < end; k++) if (goesBefore(k, chosen)) chosen = k;
    heldOut[chosen] = 1;
  }
  const chosenBy = times === undefined ? 'random' : 'time';
  return {
    record: { protocol: 'leave-one-out', seed: options.seed, chosenBy },
    train: selectRatings(ratings, heldOut, 0),
    test: selectRatings(ratings, heldOut, 1),
    chosenBy,
  };
}

/**
 * Holds out the given item of each user (−1: none), as a published split prescribes. Fails on a pair that is
 * not there. Who made the split may have looked at everybody, so what is left to train on may depend on
 * everybody: for simulations.
 */
export function splitGivenOne(matrix: RatingMatrix, target: Int32Array): LeaveOneOut {
  const { byUser, userCount } = matrix;
  const heldOut = new Uint8Array(byUser.values.length);
  for (let user = 0; user < userCount; user++) {
    const item = target[user];
    if (item < 0) continue;
    const k = byUser.indices.subarray(byUser.offsets[user], byUser.offsets[user + 1]).indexOf(item);
    if (k < 0)
      throw new RangeError('A held-out pair is not in the data set: the split belongs to other data.');
    heldOut[byUser.offsets[user] + k] = 1;
  }
  return {
    record: { protocol: 'leave-one-out', chosenBy: 'given' },
    train: selectRatings(matrix, heldOut, 0),
    test: selectRatings(matrix, heldOut, 1),
    chosenBy: 'given',
  };
}
