import { ImportOptionError } from '../bad-data-error.js';

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

/**
 * Columns that say how often or how much; there is no rating in them, and to drop them would change what is
 * learned.
 */
const amount =
  /^(?:num|number|total|n)?(?:ofthe|of)?(?:plays?|playcounts?|counts?|listens?|listencount|views?|viewcount|clicks?|visits?|purchases?|orders?|quantity|qty|amount|weights?|confidence|frequency|freq|hours|minutes|seconds|duration|watchtime|interactions?|strength)$/;

/**
 * Names of the columns that nothing is read from. Where there is no rating and one of them holds amounts
 * (play counts, hours, weights), that is refused: what becomes of them is the user's to say.
 */
export function unusedColumns(
  available: readonly string[],
  used: readonly (string | undefined)[],
  says: { readonly hasRating: boolean; readonly columnsGiven: boolean },
): string[] {
  const unused = available.filter((name) => !used.includes(name));
  const amounts = unused.find((name) =>
    amount.test(
      name
        .trim()
        .toLowerCase()
        .replace(/[\s_-]/g, ''),
    ),
  );
  if (amounts !== undefined && !says.hasRating && !says.columnsGiven) {
    const [user, item] = used;
    throw new ImportOptionError(
      'columns',
      `There is no rating, and the column "${amounts.slice(0, 40)}" says how much. Say what it is: ` +
        `--columns ${user},${item},- leaves it out (every pair counts 1); ` +
        `--columns ${user},${item},${amounts} --scale 1:1000000:1 keeps it, and \`train --liked 5\` then learns from pairs of at least 5.`,
    );
  }
  return unused.map((name) => name.trim()).filter((name) => name !== '');
}
