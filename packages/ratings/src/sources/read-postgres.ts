import pg from 'pg';
import { BadDataError, ImportOptionError } from '../bad-data-error.js';
import type { FormatRequest } from '../formats/rating-format.js';
import { collectQuery, type QueryBlock, queryOf, rowsPerBlock } from './query-rows.js';

/** `date`, `timestamp` and `timestamptz`, by their numbers in `pg_type`. */
const timeTypes: readonly number[] = [1082, 1114, 1184];

/**
 * How long a database may take to let us in, and to answer one question: the first block of a query that
 * sorts many rows takes minutes, and a machine that is gone answers never.
 */
const waitsMs = { connecting: 15_000, answering: 1_800_000 };

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

/** Reads the ratings of a query. */
export async function readPostgres(url: string, options: FormatRequest) {
  const file = postgresName(url);
  return collectQuery(file, postgresBlocks(url, queryOf(options)), options);
}

/**
 * The rows of a query through a cursor in a read-only transaction: memory stays bounded, nothing is changed.
 */
export async function* postgresBlocks(
  url: string,
  query: string,
  waits = waitsMs,
): AsyncGenerator<QueryBlock> {
  const file = postgresName(url);
  const client = await connected(url, file, waits);
  try {
    await client.query("SET TIME ZONE 'UTC'; SET DateStyle = 'ISO'");
    await client.query('BEGIN READ ONLY');
    await client.query(`DECLARE ratings NO SCROLL CURSOR FOR ${query}`);
    for (;;) {
      const { fields, rows } = await client.query<(string | null)[]>({
        text: `FETCH ${rowsPerBlock} FROM ratings`,
        rowMode: 'array',
      });
      const columns = fields.map(({ name, dataTypeID }) => ({
        name,
        isTime: timeTypes.includes(dataTypeID),
      }));
      yield { columns, rows };
      if (rows.length < rowsPerBlock) return;
    }
  } catch (error) {
    if (error instanceof pg.DatabaseError)
      throw new BadDataError(
        { file },
        `the database refused the query (${error.message})`,
        'Check the query and the rights.',
        { cause: error },
      );
    // What pg says where `query_timeout` is over.
    if ((error as Error).message === 'Query read timeout')
      throw new BadDataError(
        { file },
        `the database did not answer within ${waits.answering / 60_000} minutes`,
        'Look whether it is overloaded or gone; ask for fewer rows, or for rows without sorting.',
        { cause: error },
      );
    throw error;
  } finally {
    await client.end().catch(() => {});
  }
}

/** @throws BadDataError with what the server or the network said */
export async function connected(url: string, file: string, waits = waitsMs): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: waits.connecting,
    query_timeout: waits.answering,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
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

function refused(file: string, cause: unknown): BadDataError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const reason = ['28P01', '28000'].includes(code)
    ? 'the database refused the user name or password'
    : code === '3D000'
      ? 'there is no such database'
      : // What pg says where `connectionTimeoutMillis` is over.
        (cause as Error).message === 'timeout expired'
        ? 'the database did not answer in time'
        : `no connection to the database (${code || 'unknown reason'})`;
  return new BadDataError({ file }, reason, 'Check the URL: postgres://user:password@host:port/name.', {
    cause,
  });
}
