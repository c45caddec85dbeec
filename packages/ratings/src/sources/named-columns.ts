import { BadDataError } from '../bad-data-error.js';
import { roleOfName } from './column-roles.js';
import { unusedColumns } from './unused-columns.js';

/** Which columns of a table hold what. */
export interface NamedColumns {
  readonly user: string;
  readonly item: string;
  /** Absent: implicit feedback. */
  readonly rating?: string;
  readonly time?: string;
  /** What happened, where only some events are kept. */
  readonly event?: string;
}

/** Finds the columns by the names asked for (or positions from 1), else by names that everyone uses. */
export function findColumns(
  source: string,
  available: readonly string[],
  asked: readonly string[] | undefined,
): NamedColumns {
  const find = (index: number, role: 'user' | 'item' | 'rating' | 'time'): string | undefined => {
    if (asked === undefined || asked.length === 0) return available.find((name) => roleOfName(name) === role);
    const wanted = asked[index];
    if (wanted === undefined || wanted === '-') return undefined;
    const found = available.includes(wanted)
      ? wanted
      : /^[1-9][0-9]*$/.test(wanted)
        ? available[Number(wanted) - 1]
        : undefined;
    if (found === undefined) throw missing(source, role, available);
    return found;
  };
  const user = find(0, 'user');
  const item = find(1, 'item');
  const rating = find(2, 'rating');
  const time = find(3, 'time');
  if (user === undefined) throw missing(source, 'user', available);
  if (item === undefined) throw missing(source, 'item', available);
  return { user, item, ...(rating !== undefined && { rating }), ...(time !== undefined && { time }) };
}

/**
 * The same where no value can be looked at, as on a cluster: columns whose names say that they change what a
 * row means are refused.
 *
 * @throws ImportOptionError, see `unusedColumns`
 */
export function namedColumns(
  source: string,
  available: readonly string[],
  asked: readonly string[] | undefined,
): NamedColumns {
  const found = findColumns(source, available, asked);
  unusedColumns(available, found, asked !== undefined, () => []);
  return found;
}

function missing(file: string, role: string, available: readonly string[]): BadDataError {
  const names = available.slice(0, 12).map((name) => `"${name.slice(0, 40)}"`);
  return new BadDataError(
    { file },
    `there is no column for the ${role}; it has ${names.join(', ')}`,
    'Name the columns with --columns user,item,rating[,time].',
  );
}
