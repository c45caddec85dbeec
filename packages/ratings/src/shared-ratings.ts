import { sharedFloat32, sharedUint32 } from '@hushrec/numerics';
import type { RatingMatrix } from './rating-matrix.js';

/**
 * The same ratings in memory that threads can share: passed to one they are not copied. Times are left out.
 * O(ratings).
 */
export function inSharedMemory({ byUser, userCount, itemCount, scale, about }: RatingMatrix): RatingMatrix {
  const integers = (from: Uint32Array) => {
    const to = sharedUint32(from.length);
    to.set(from);
    return to;
  };
  const values = sharedFloat32(byUser.values.length);
  values.set(byUser.values);
  return {
    userCount,
    itemCount,
    scale,
    byUser: { ...byUser, offsets: integers(byUser.offsets), indices: integers(byUser.indices), values },
    ...(about && { about }),
  };
}
