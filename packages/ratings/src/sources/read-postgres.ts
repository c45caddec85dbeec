import pg from 'pg';
import { BadDataError, ImportOptionError } from '../bad-data-error.js';
import type { FormatRequest, FormatRows } from '../formats/rating-format.js';
import { scaleOf } from '../rating-scale.js';
import { EventFilter } from './event-filter.js';
import { findColumns } from './named-columns.js';
import { RowCollector } from './row-collector.js';
import { eventColumn, sampledRows, unusedColumns } from './unused-columns.js';

const rowsPerFetch = 20_000;

/** What messages call a database: host and name, without user and password. */
export function postgresName(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `postgres://${host}${pathname}`;
  } catch {
    throw new ImportOptionError(
      'source',
      'The database URL cannot be read; expected postgres://user:password@host/name.',
    );
  }
}

type QueryRows = Required<Pick<FormatRows, 'rows' | 'columns' | 'unused'>>;

/**
 * Reads the rows of a query through a cursor in a read-only transaction: memory stays bounded, nothing is
 * changed.
 */
export async function readPostgres(url: string, options: FormatRequest): Promise<QueryRows> {
  const file = postgresName(url);
  const query = options.query?.trim().replace(/;\s*$/, '');
  if (query === undefined || query === '')
    throw new ImportOptionError(
      'query',
      'A database needs a query that gives user, item, rating and perhaps time: --query "SELECT …".',
    );
  const client = await connected(url, file);
  try {
    await client.query("SET TIME ZONE 'UTC'; SET DateStyle = 'ISO'");
    await client.query('BEGIN READ ONLY');
    await client.query(`DECLARE ratings NO SCROLL CURSOR FOR ${query}`);
    return await fetchedRows(client, file, options);
  } catch (error) {
    if (error instanceof pg.DatabaseError)
      throw new BadDataError(
        { file },
        `the database refused the query (${error.message})`,
        'Check the query and the rights.',
        {
          cause: error,
        },
      );
    throw error;
  } finally {
    await client.end().catch(() => {});
  }
}

/** @throws BadDataError with what the server or the network said */
export async function connected(url: string, file: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    // Values as the server writes them: ids and times keep every digit.
    types: { getTypeParser: () => (value: string) => value },
  });
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (cause) {
    throw refused(file, cause);
  }
  return client;
}

/** Everything that the cursor gives, so many rows at a time. */
async function fetchedRows(client: pg.Client, file: string, options: FormatRequest): Promise<QueryRows> {
  let table: QueryTable | undefined;
  let line = 0;
  for (;;) {
    options.signal?.throwIfAborted();
    const { fields, rows } = await client.query<(string | null)[]>({
      text: `FETCH ${rowsPerFetch} FROM ratings`,
      rowMode: 'array',
    });
    table ??= queryTable(
      file,
      fields.map((field) => field.name),
      rows,
      options,
    );
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
    if (rows.length < rowsPerFetch) break;
  }
  const { collector, columns, unused } = table;
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

/** What the columns of a query hold, by their names and the first rows. */
function queryTable(
  file: string,
  available: readonly string[],
  rows: readonly (readonly (string | null)[])[],
  options: FormatRequest,
): QueryTable {
  const named = findColumns(file, available, options.columns);
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

function refused(file: string, cause: unknown): BadDataError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const reason = ['28P01', '28000'].includes(code)
    ? 'the database refused the user name or password'
    : code === '3D000'
      ? 'there is no such database'
      : `no connection to the database (${code || 'unknown reason'})`;
  return new BadDataError({ file }, reason, 'Check the URL: postgres://user:password@host:port/name.', {
    cause,
  });
}
