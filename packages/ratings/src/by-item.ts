import type { Csr } from '@hushrec/numerics';
import type { RatingMatrix } from './rating-matrix.js';
import { sharedFloat32, sharedUint32 } from './shared-array.js';

/** The same ratings with items by rows and users by columns (ascending). O(ratings + items). */
export function byItem(matrix: RatingMatrix): Csr {
  const { byUser, userCount, itemCount } = matrix;
  const { offsets: userOffsets, indices: itemOf, values: ratings } = byUser;
  const offsets = sharedUint32(itemCount + 1);
  for (let k = 0; k < itemOf.length; k++) offsets[itemOf[k]! + 1]!++;
  for (let item = 0; item < itemCount; item++) offsets[item + 1]! += offsets[item]!;
  const next = offsets.slice(0, itemCount);
  const indices = sharedUint32(itemOf.length);
  const values = sharedFloat32(itemOf.length);
  for (let user = 0; user < userCount; user++) {
    for (let k = userOffsets[user]!; k < userOffsets[user + 1]!; k++) {
      const position = next[itemOf[k]!]!++;
      indices[position] = user;
      values[position] = ratings[k]!;
    }
  }
  return { rowCount: itemCount, columnCount: userCount, offsets, indices, values };
}
