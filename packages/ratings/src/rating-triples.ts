import { sharedFloat32, sharedFloat64, sharedUint32 } from '@hushrec/numerics';
import type { RatingMatrix, RatingScale } from './rating-matrix.js';

/** Ratings in any order, one entry per position of the aligned arrays. */
export interface RatingTriples {
  readonly userCount: number;
  readonly itemCount: number;
  readonly scale: RatingScale;
  readonly users: ArrayLike<number>;
  readonly items: ArrayLike<number>;
  readonly ratings: ArrayLike<number>;
  /** Seconds since 1970. */
  readonly times?: ArrayLike<number>;
}

/**
 * Sorts ratings by user and item; of a pair that occurs several times the last is kept (see
 * `collectRatings`).
 */
export function ratingMatrixFromTriples(triples: RatingTriples): RatingMatrix {
  return collectRatings(triples).matrix;
}

/**
 * Sorts ratings by user, then item, and keeps one rating per pair: the latest by time, among equals (or
 * without times) the last in order. `duplicates` counts the ratings dropped.
 *
 * Two stable counting sorts: O(ratings + users + items), 8 bytes a rating besides input and output.
 */
export function collectRatings(triples: RatingTriples): {
  readonly matrix: RatingMatrix;
  readonly duplicates: number;
} {
  const { userCount, itemCount, users, items, ratings, times } = triples;
  const count = users.length;
  if (items.length !== count || ratings.length !== count || (times && times.length !== count))
    throw new RangeError('users, items, ratings and times differ in length.');
  const byItem = stableOrder(items, itemCount, undefined, 'item');
  const order = stableOrder(users, userCount, byItem, 'user');

  const offsets = sharedUint32(userCount + 1);
  const kept = new Uint32Array(byItem.buffer);
  let size = 0;
  for (let k = 0; k < count; k++) {
    const entry = order[k];
    const previous = size > 0 ? kept[size - 1] : -1;
    if (previous >= 0 && users[previous] === users[entry] && items[previous] === items[entry]) {
      if (times === undefined || !(times[entry] < times[previous])) kept[size - 1] = entry;
    } else {
      kept[size++] = entry;
      offsets[users[entry] + 1]++;
    }
  }
  for (let user = 0; user < userCount; user++) offsets[user + 1] += offsets[user];

  const indices = sharedUint32(size);
  const values = sharedFloat32(size);
  for (let k = 0; k < size; k++) {
    indices[k] = items[kept[k]];
    values[k] = ratings[kept[k]];
  }
  const byUser = { rowCount: userCount, columnCount: itemCount, offsets, indices, values };
  const matrix = { userCount, itemCount, scale: triples.scale, byUser };
  if (times === undefined) return { matrix, duplicates: count - size };
  const keptTimes = sharedFloat64(size);
  for (let k = 0; k < size; k++) keptTimes[k] = times[kept[k]];
  return { matrix: { ...matrix, times: keptTimes }, duplicates: count - size };
}

/** Positions in ascending order of key, equal keys in the order given by `before` (or by position). */
function stableOrder(
  keys: ArrayLike<number>,
  keyCount: number,
  before: Uint32Array | undefined,
  what: string,
): Uint32Array {
  const count = keys.length;
  const next = new Uint32Array(keyCount + 1);
  for (let k = 0; k < count; k++) {
    const key = keys[k];
    if (!(key >= 0 && key < keyCount))
      throw new RangeError(`A ${what} index is outside [0, ${keyCount}); check ${what}Count.`);
    next[key + 1]++;
  }
  for (let key = 0; key < keyCount; key++) next[key + 1] += next[key];
  const order = new Uint32Array(count);
  for (let k = 0; k < count; k++) {
    const entry = before === undefined ? k : before[k];
    order[next[keys[entry]]++] = entry;
  }
  return order;
}
