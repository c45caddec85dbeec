import { sharedFloat32, sharedFloat64, sharedUint32 } from '@hushrec/numerics';
import type { RatingMatrix } from './rating-matrix.js';

/** The rows of some users, in the order given, and nothing of the others: row k is `users[k]`. */
export function selectUsers(matrix: RatingMatrix, users: ArrayLike<number>): RatingMatrix {
  const { byUser, itemCount, times } = matrix;
  const userCount = users.length;
  const offsets = sharedUint32(userCount + 1);
  for (let k = 0; k < userCount; k++) {
    const user = users[k];
    offsets[k + 1] = offsets[k] + byUser.offsets[user + 1] - byUser.offsets[user];
  }
  const size = offsets[userCount];
  const indices = sharedUint32(size);
  const values = sharedFloat32(size);
  const keptTimes = times && sharedFloat64(size);
  for (let k = 0; k < userCount; k++) {
    const start = byUser.offsets[users[k]];
    const end = byUser.offsets[users[k] + 1];
    indices.set(byUser.indices.subarray(start, end), offsets[k]);
    values.set(byUser.values.subarray(start, end), offsets[k]);
    keptTimes?.set(times!.subarray(start, end), offsets[k]);
  }
  return {
    userCount,
    itemCount,
    scale: matrix.scale,
    byUser: { rowCount: userCount, columnCount: itemCount, offsets, indices, values },
    ...(keptTimes && { times: keptTimes }),
  };
}
