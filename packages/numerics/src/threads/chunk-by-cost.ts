import { sharedUint32 } from '../shared-array.js';

/** How large a range may be. */
export interface ChunkLimits {
  /** Aim: no chunk costs more, unless a single row does. */
  readonly cost: number;
  /** Most rows of a chunk, which bounds its scratch memory. */
  readonly rows: number;
  /** Most entries of a chunk, unless a single row has more; with the `offsets` of the rows. */
  readonly entries?: number;
}

/**
 * Cuts rows 0 … count into consecutive ranges of about equal cost: range k is [bounds[k], bounds[k + 1]).
 * Threads take ranges as they become free, so that a few costly rows do not leave the others waiting.
 * O(count).
 */
export function chunkByCost(
  count: number,
  costOf: (row: number) => number,
  limits: ChunkLimits,
  offsets?: Uint32Array,
  shift = 0,
): Uint32Array {
  const bounds = [0];
  let cost = 0;
  let begin = 0;
  for (let row = 0; row < count; row++) {
    const own = costOf(row);
    const entries = offsets === undefined ? 0 : offsets[row + shift + 1] - offsets[begin + shift];
    const full =
      cost + own > limits.cost ||
      row - begin >= limits.rows ||
      (limits.entries !== undefined && entries > limits.entries);
    if (full && row > begin) {
      bounds.push(row);
      begin = row;
      cost = 0;
    }
    cost += own;
  }
  if (count > 0) bounds.push(count);
  const shared = sharedUint32(bounds.length);
  shared.set(bounds);
  return shared;
}
