import pg from 'pg';
import { BadDataError, ImportOptionError } from '../bad-data-error.js';
import type { FormatRequest } from '../formats/rating-format.js';
import { declaredScale, implicitScale } from '../rating-scale.js';
import { unusedColumns } from './column-roles.js';
import type { EncodedRows } from './encoded-rows.js';
import { namedColumns } from './named-columns.js';
import { RowCollector } from './row-collector.js';

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

/**
 * Reads the rows of a query through a cursor in a read-only transaction: memory stays bounded, nothing is
 * changed.
 */
export async function readPostgres(url: string, options: FormatRequest): Promise<EncodedRows> {
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
    const rows = await fetchedRows(client, file, options);
    if (rows.users.length === 0)
      throw new BadDataError({ file }, 'the query gives no rows', 'Check the query.');
    return rows;
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
async function connected(url: string, file: string): Promise<pg.Client> {
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
async function fetchedRows(client: pg.Client, file: string, options: FormatRequest): Promise<EncodedRows> {
  let collector: RowCollector | undefined;
  let line = 0;
  for (;;) {
    options.signal?.throwIfAborted();
    const batch = await client.query<(string | null)[]>({
      text: `FETCH ${rowsPerFetch} FROM ratings`,
      rowMode: 'array',
    });
    const available = batch.fields.map((field) => field.name);
    const { user, item, rating, time } = namedColumns(file, available, options.columns);
    unusedColumns(available, [user, item, rating, time], {
      hasRating: rating !== undefined,
      columnsGiven: options.columns !== undefined,
    });
    const [userAt, itemAt] = [available.indexOf(user), available.indexOf(item)];
    const ratingAt = rating === undefined ? undefined : available.indexOf(rating);
    const timeAt = time === undefined ? undefined : available.indexOf(time);
    const scale = rating === undefined ? implicitScale : declaredScale(options);
    collector ??= new RowCollector(scale, time !== undefined, options.catalogue);
    for (const row of batch.rows)
      collector.addText(
        ++line,
        row[userAt] ?? '',
        row[itemAt] ?? '',
        ratingAt === undefined ? undefined : (row[ratingAt] ?? ''),
        timeAt === undefined ? undefined : (row[timeAt] ?? ''),
      );
    if (batch.rows.length < rowsPerFetch) break;
  }
  collector.bad.check(file, options.skipBadRows);
  return collector.finish();
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
