import { createHash } from 'node:crypto';
import { updateInParts } from '../hash-in-parts.js';
import type { RatingMatrix } from '../rating-matrix.js';

/**
 * SHA-256 over what a data set says (declared scale, ids, pairs, ratings, times), not over how its files are
 * laid out, so that a budget follows the data through re-import and compression. Ids are length-prefixed,
 * numbers little-endian.
 */
export function contentHash(
  ratings: RatingMatrix,
  userIds: readonly string[],
  itemIds: readonly string[],
): string {
  const { scale, byUser, times } = ratings;
  const hash = createHash('sha256');
  hash.update(
    `hushrec-content-1 ${scale.min} ${scale.max} ${scale.step} ${userIds.length} ${itemIds.length}\n`,
  );
  for (const ids of [userIds, itemIds]) for (const id of ids) hash.update(`${Buffer.byteLength(id)}:${id}`);
  for (const part of [byUser.offsets, byUser.indices, byUser.values]) updateInParts(hash, part);
  hash.update(times === undefined ? 'no times' : 'times');
  if (times !== undefined) updateInParts(hash, times);
  return hash.digest('hex');
}
