import { BadDataError, ImportOptionError } from '../bad-data-error.js';
import type { FormatRequest, FormatRows } from '../formats/rating-format.js';
import { scaleOf } from '../rating-scale.js';
import { EventFilter } from './event-filter.js';
import { findColumns, type NamedColumns } from './named-columns.js';
import { RowCollector } from './row-collector.js';
import { eventColumn, sampledRows, unusedColumns } from './unused-columns.js';

/** Some rows of a query; values as the database writes them, so that ids and times keep every digit. */
export interface QueryBlock {
  readonly columns: readonly QueryColumn[];
  readonly rows: readonly (readonly (string | null)[])[];
}

export interface QueryColumn {
  readonly name: string;
  /** Whether the database says that it holds dates or times. */
  readonly isTime: boolean;
}

/** How many rows a block has at most. */
export const rowsPerBlock = 20_000;

type QueryRows = Required<Pick<FormatRows, 'rows' | 'columns' | 'unused'>>;

/** The query without its semicolon. @throws ImportOptionError where there is none */
export function queryOf({ query }: Pick<FormatRequest, 'query'>): string {
  const text = query?.trim().replace(/;\s*$/, '');
  if (text === undefined || text === '')
    throw new ImportOptionError(
      'query',
      'A database needs a query that gives user, item, rating and perhaps time: --query "SELECT …".',
    );
  return text;
}

/** The ratings that a query gives. */
export async function collectQuery(
  file: string,
  blocks: AsyncIterable<QueryBlock>,
  options: FormatRequest,
): Promise<QueryRows> {
  let table: QueryTable | undefined;
  let line = 0;
  for await (const { columns, rows } of blocks) {
    options.signal?.throwIfAborted();
    table ??= queryTable(file, columns, rows, options);
    const { collector, at } = table;
    for (const row of rows) {
      line++;
      if (at.event !== undefined && collector.events?.takes(row[at.event] ?? '') === false) continue;
      collector.addText(
        line,
        row[at.user] ?? '',
        row[at.item] ?? '',
        at.rating === undefined ? undefined : (row[at.rating] ?? ''),
        at.time === undefined ? undefined : (row[at.time] ?? ''),
      );
    }
  }
  const { collector, columns, unused } = table!;
  collector.bad.check(file, options.skipBadRows, collector.count);
  const rows = collector.finish();
  if (rows.users.length === 0)
    throw new BadDataError(
      { file },
      (line > 0 ? collector.events?.none : undefined) ?? 'the query gives no rows',
      'Check the query.',
    );
  return { rows, columns, unused };
}

interface QueryTable extends Omit<QueryRows, 'rows'> {
  readonly collector: RowCollector;
  /** Positions from 0 on. */
  readonly at: {
    readonly user: number;
    readonly item: number;
    readonly rating?: number;
    readonly time?: number;
    readonly event?: number;
  };
}

/** What the columns of a query hold, by their names, their types and the first rows. */
function queryTable(
  file: string,
  given: readonly QueryColumn[],
  rows: QueryBlock['rows'],
  options: FormatRequest,
): QueryTable {
  const available = given.map(({ name }) => name);
  const named = withTime(findColumns(file, available, options.columns), given, options);
  const valuesOf = (name: string) =>
    rows.slice(0, sampledRows).map((row) => row[available.indexOf(name)] ?? '');
  const event = options.events && eventColumn(options.events, available, valuesOf);
  const columns = { ...named, ...(event !== undefined && { event }) };
  const unused = unusedColumns(available, columns, options.columns !== undefined, valuesOf);
  const scale = scaleOf(options, columns.rating !== undefined);
  const events = options.events && new EventFilter(options.events.keep);
  const { rating, time } = columns;
  return {
    columns,
    unused,
    collector: new RowCollector(scale, time !== undefined, options.catalogue, events),
    at: {
      user: available.indexOf(columns.user),
      item: available.indexOf(columns.item),
      ...(rating !== undefined && { rating: available.indexOf(rating) }),
      ...(time !== undefined && { time: available.indexOf(time) }),
      ...(event !== undefined && { event: available.indexOf(event) }),
    },
  };
}

/** The only column of times is the time of a row, whatever its name: `ordered_at`. */
function withTime(
  named: NamedColumns,
  given: readonly QueryColumn[],
  { columns: asked }: FormatRequest,
): NamedColumns {
  if (named.time !== undefined || asked !== undefined) return named;
  const used = Object.values(named);
  const times = given.filter(({ name, isTime }) => isTime && !used.includes(name));
  return times.length === 1 ? { ...named, time: times[0].name } : named;
}
