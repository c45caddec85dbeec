import { type Csr, sharedFloat32, sharedFloat64, sharedUint32 } from '@hushrec/numerics';
import type { RatingMatrix } from './rating-matrix.js';

/** The rows of some users, in the order given, and nothing of the others: row k is `users[k]`. */
export function selectUsers(matrix: RatingMatrix, users: ArrayLike<number>): RatingMatrix {
  const { byUser, itemCount, times, about } = matrix;
  const kept = selectRows(byUser, users);
  const keptTimes = times && sharedFloat64(kept.indices.length);
  for (let k = 0; k < users.length; k++)
    keptTimes?.set(times!.subarray(byUser.offsets[users[k]], byUser.offsets[users[k] + 1]), kept.offsets[k]);
  return {
    userCount: users.length,
    itemCount,
    scale: matrix.scale,
    byUser: kept,
    ...(keptTimes && { times: keptTimes }),
    ...(about && { about: { names: about.names, byUser: selectRows(about.byUser, users) } }),
  };
}

function selectRows(rows: Csr, wanted: ArrayLike<number>): Csr {
  const rowCount = wanted.length;
  const offsets = sharedUint32(rowCount + 1);
  for (let k = 0; k < rowCount; k++)
    offsets[k + 1] = offsets[k] + rows.offsets[wanted[k] + 1] - rows.offsets[wanted[k]];
  const indices = sharedUint32(offsets[rowCount]);
  const values = sharedFloat32(offsets[rowCount]);
  for (let k = 0; k < rowCount; k++) {
    const [start, end] = [rows.offsets[wanted[k]], rows.offsets[wanted[k] + 1]];
    indices.set(rows.indices.subarray(start, end), offsets[k]);
    values.set(rows.values.subarray(start, end), offsets[k]);
  }
  return { rowCount, columnCount: rows.columnCount, offsets, indices, values };
}
