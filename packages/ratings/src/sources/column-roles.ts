/** What columns may hold, in the order in which `--columns` names them. */
export const columnRoles = ['user', 'item', 'rating', 'time'] as const;
/** One of `columnRoles`. */
export type ColumnRole = (typeof columnRoles)[number];

/** Names understood without being told, compared without case, blanks, '_' and '-'. */
const knownNames: ReadonlyMap<string, ColumnRole> = new Map(
  Object.entries({
    user: ['user', 'userid', 'uid', 'customer', 'customerid', 'reviewerid', 'member', 'memberid', 'person'],
    item: [
      'item',
      'itemid',
      'iid',
      'movie',
      'movieid',
      'product',
      'productid',
      'asin',
      'artist',
      'artistid',
      'book',
      'bookid',
      'isbn',
      'sku',
      'track',
      'trackid',
      'song',
      'songid',
    ],
    rating: ['rating', 'ratings', 'score', 'stars', 'value', 'grade'],
    time: ['time', 'timestamp', 'unixtime', 'unixreviewtime', 'date', 'datetime', 'createdat', 'ts'],
  } satisfies Record<ColumnRole, string[]>).flatMap(([role, names]) =>
    names.map((name) => [name, role as ColumnRole] as const),
  ),
);

/** What a column of this name holds, or undefined. */
export function roleOfName(name: string): ColumnRole | undefined {
  return knownNames.get(
    name
      .trim()
      .toLowerCase()
      .replace(/[\s_-]/g, ''),
  );
}
