import type { RatingMatrix } from '../rating-matrix.js';
import { SeededRandom } from '../seeded-random.js';
import { selectRatings } from '../select-ratings.js';
import type { SplitRecord } from './split-record.js';

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
 * Holds out each user's latest rating (ties: the larger item index, that is the later item id), or a random
 * one where there are no times. Users with a single rating stay in train whole. O(ratings).
 */
export function splitLeaveOneOut(matrix: RatingMatrix, options: { readonly seed: number }): LeaveOneOut {
  const { byUser, userCount, times } = matrix;
  const random = new SeededRandom(options.seed);
  const heldOut = new Uint8Array(byUser.values.length);
  for (let user = 0; user < userCount; user++) {
    const start = byUser.offsets[user];
    const end = byUser.offsets[user + 1];
    if (end - start < 2) continue;
    let chosen = start;
    if (times === undefined) chosen = start + random.below(end - start);
    else for (let k = start + 1; k < end; k++) if (times[k] >= times[chosen]) chosen = k;
    heldOut[chosen] = 1;
  }
  const chosenBy = times === undefined ? 'random' : 'time';
  return {
    record: { protocol: 'leave-one-out', seed: options.seed, chosenBy },
    train: selectRatings(matrix, heldOut, 0),
    test: selectRatings(matrix, heldOut, 1),
    chosenBy,
  };
}

/**
 * Holds out the given item of each user (−1: none), as a published split prescribes. Fails on a pair that is
 * not there.
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
