import type { RatingMatrix } from './rating-matrix.js';
import { collectRatings } from './rating-triples.js';
import type { EncodedRows } from './sources/encoded-rows.js';

/** Positions of ids that are already known. */
export type IdIndex = ReadonlyMap<string, number>;

/** Position of each id in the list. */
export function indexOfIds(ids: readonly string[]): IdIndex {
  return new Map(ids.map((id, position) => [id, position]));
}

/**
 * Rows of a second source in the numbering of the first; `users` undefined keeps the second source's own
 * people. Rows whose user or item is not known are dropped and counted.
 */
export function joinRows(
  rows: EncodedRows,
  users: IdIndex | undefined,
  items: IdIndex,
): { readonly ratings: RatingMatrix; readonly unknownRows: number } {
  const userOf = rows.userIds.map((id, code) => (users === undefined ? code : (users.get(id) ?? -1)));
  const itemOf = rows.itemIds.map((id) => items.get(id) ?? -1);
  const known: number[] = [];
  for (let k = 0; k < rows.users.length; k++)
    if (userOf[rows.users[k]] >= 0 && itemOf[rows.items[k]] >= 0) known.push(k);
  const { matrix } = collectRatings({
    userCount: users?.size ?? rows.userIds.length,
    itemCount: items.size,
    scale: rows.scale,
    users: Uint32Array.from(known, (k) => userOf[rows.users[k]]),
    items: Uint32Array.from(known, (k) => itemOf[rows.items[k]]),
    ratings: Float32Array.from(known, (k) => rows.ratings[k]),
    ...(rows.times && { times: Float64Array.from(known, (k) => rows.times![k]) }),
  });
  return { ratings: matrix, unknownRows: rows.users.length - known.length };
}
