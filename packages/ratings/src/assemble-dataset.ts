import { sortIds } from './id-order.js';
import type { Appearance, RatingMatrix } from './rating-matrix.js';
import { collectRatings } from './rating-triples.js';
import type { EncodedRows } from './sources/encoded-rows.js';

/** A data set put together from rows: what an import stores besides titles and features. */
export interface AssembledRatings {
  readonly ratings: RatingMatrix;
  readonly userIds: readonly string[];
  readonly itemIds: readonly string[];
  readonly appearance: Appearance;
  /** Rows dropped because the same user rated the same item later. */
  readonly duplicates: number;
}

/**
 * Puts ids in their order (see `sortIds`) and rows into a matrix. Items of the catalogue that nobody rated
 * get a place too. O(rows + ids log ids); rewrites the rows' codes.
 */
export function assembleRatings(rows: EncodedRows, catalogue?: ReadonlySet<string>): AssembledRatings {
  const users = sortIds(rows.userIds);
  const items = sortIds(
    catalogue === undefined ? rows.itemIds : [...new Set([...rows.itemIds, ...catalogue])],
  );
  for (let k = 0; k < rows.users.length; k++) {
    rows.users[k] = users.newIndex[rows.users[k]];
    rows.items[k] = items.newIndex[rows.items[k]];
  }
  const { matrix, duplicates } = collectRatings({
    userCount: users.sorted.length,
    itemCount: items.sorted.length,
    scale: rows.scale,
    users: rows.users,
    items: rows.items,
    ratings: rows.ratings,
    ...(rows.times && { times: rows.times }),
  });
  return {
    ratings: matrix,
    userIds: users.sorted,
    itemIds: items.sorted,
    appearance: { users: inverse(users.newIndex), items: inverse(items.newIndex) },
    duplicates,
  };
}

function inverse(permutation: Uint32Array): Uint32Array {
  const result = new Uint32Array(permutation.length);
  for (let k = 0; k < permutation.length; k++) result[permutation[k]] = k;
  return result;
}
