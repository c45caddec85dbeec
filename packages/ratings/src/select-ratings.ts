import { sharedFloat32, sharedFloat64, sharedUint32 } from '@hushrec/numerics';
import type { RatingMatrix } from './rating-matrix.js';

/**
 * The ratings whose label equals `wanted`, with the same users and items (those without ratings keep empty
 * rows). `labels` is aligned with `matrix.byUser.values`. O(ratings + users).
 */
export function selectRatings(matrix: RatingMatrix, labels: ArrayLike<number>, wanted: number): RatingMatrix {
  const { byUser, userCount, times } = matrix;
  let size = 0;
  for (let k = 0; k < labels.length; k++) if (labels[k] === wanted) size++;
  const offsets = sharedUint32(userCount + 1);
  const indices = sharedUint32(size);
  const values = sharedFloat32(size);
  const keptTimes = times && sharedFloat64(size);
  let position = 0;
  for (let user = 0; user < userCount; user++) {
    for (let k = byUser.offsets[user]; k < byUser.offsets[user + 1]; k++) {
      if (labels[k] !== wanted) continue;
      indices[position] = byUser.indices[k];
      values[position] = byUser.values[k];
      if (keptTimes) keptTimes[position] = times[k];
      position++;
    }
    offsets[user + 1] = position;
  }
  return {
    userCount,
    itemCount: matrix.itemCount,
    scale: matrix.scale,
    byUser: { rowCount: userCount, columnCount: matrix.itemCount, offsets, indices, values },
    ...(keptTimes && { times: keptTimes }),
    ...(matrix.about && { about: matrix.about }),
  };
}
