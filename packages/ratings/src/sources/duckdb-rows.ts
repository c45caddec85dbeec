import type { DuckDBDataChunk, DuckDBVector } from '@duckdb/node-api';
import type { RatingScale } from '../rating-matrix.js';
import type { DuckDbSession } from './duckdb-session.js';
import type { EncodedRows } from './encoded-rows.js';
import { byteOrderMark, largestTime, longestId, millisecondsAbove } from './row-rules.js';

/**
 * Checks and encodes the rows of a table expression with columns u, i (text or whole numbers), r and t
 * (double, or absent), by the rules of `row-rules.ts`. Gives undefined if any row breaks a rule: the caller
 * then reads the source again with the reader that knows line numbers.
 *
 * Rows keep their place by rowid, because a parallel join does not keep their order.
 */
export async function encodeWithDuckDb(
  session: DuckDbSession,
  tableExpression: string,
  columns: { readonly rating: boolean; readonly time: boolean },
  scale: RatingScale,
): Promise<EncodedRows | undefined> {
  const { connection } = session;
  const rating = columns.rating ? 'r' : '1.0::DOUBLE';
  const time = columns.time
    ? `CASE WHEN abs(t) > ${largestTime} THEN NULL WHEN abs(t) > ${millisecondsAbove} THEN t / 1000 ELSE t END`
    : 'NULL';
  await connection.run(
    `CREATE TABLE raw AS SELECT u, i, ${rating} AS r${columns.time ? `, ${time} AS t` : ''} FROM ${tableExpression}`,
  );
  const [total, withTime] = await session.firstRow(
    `SELECT count(*)::INTEGER, ${columns.time ? 'count(t)::INTEGER' : 'count(*)::INTEGER'} FROM raw`,
  );
  if (typeof total !== 'number' || total === 0 || withTime !== total) return undefined;
  // Rules about a value hold for all rows that have it: they are checked once for each different one.
  if (!(await ratingsAreGood(session, scale))) return undefined;
  const userIds = await dictionary(session, 'u', 'users');
  const itemIds = await dictionary(session, 'i', 'items');
  if (userIds === undefined || itemIds === undefined) return undefined;
  const users = new Uint32Array(total);
  const items = new Uint32Array(total);
  const ratings = new Float32Array(total);
  const times = columns.time ? new Float64Array(total) : undefined;
  const result = await connection.stream(
    `SELECT raw.rowid::UINTEGER, users.code, items.code, r::FLOAT${columns.time ? ', t' : ''}
     FROM raw JOIN users ON raw.u = users.id JOIN items ON raw.i = items.id`,
  );
  for (
    let chunk = await result.fetchChunk();
    chunk !== null && chunk.rowCount > 0;
    chunk = await result.fetchChunk()
  ) {
    place(chunk, 1, users);
    place(chunk, 2, items);
    place(chunk, 3, ratings);
    if (times) place(chunk, 4, times);
  }
  return { scale, userIds, itemIds, users, items, ratings, ...(times && { times }), badRows: 0 };
}

async function ratingsAreGood(session: DuckDbSession, { min, max, step }: RatingScale): Promise<boolean> {
  const onGrid = step === 0 ? 'true' : `abs((r - ${min}) / ${step} - round((r - ${min}) / ${step})) < 1e-6`;
  const good = `coalesce(r BETWEEN ${min} AND ${max} AND ${onGrid}, false)`;
  const [bad] = await session.firstRow(
    `SELECT count(*) FILTER (NOT ${good})::INTEGER FROM ${step === 0 ? 'raw' : '(SELECT DISTINCT r FROM raw)'}`,
  );
  return bad === 0;
}

/**
 * Makes a table (id, code) of the different ids, coded by first appearance, and gives the ids in that order,
 * as text; undefined where one of them breaks a rule. Whole numbers stay numbers in the table: they are told
 * apart exactly as their digits are, and are compared several times faster.
 */
async function dictionary(
  session: DuckDbSession,
  column: 'u' | 'i',
  table: string,
): Promise<string[] | undefined> {
  await session.connection.run(
    `CREATE TABLE ${table} AS
     SELECT ${column} AS id, (row_number() OVER (ORDER BY first) - 1)::UINTEGER AS code
     FROM (SELECT ${column}, min(rowid) AS first FROM raw GROUP BY ${column})`,
  );
  const good = `id <> '' AND strlen(id) <= ${longestId} AND NOT contains(id, chr(10)) AND NOT contains(id, '${byteOrderMark}')`;
  const [bad] = await session.firstRow(
    `SELECT count(*) FILTER (NOT coalesce(${good}, false))::INTEGER FROM (SELECT id::VARCHAR AS id FROM ${table})`,
  );
  if (bad !== 0) return undefined;
  const result = await session.connection.run(`SELECT id::VARCHAR FROM ${table} ORDER BY code`);
  const [ids = []] = await result.getColumnsJS();
  return ids as string[];
}

/** Copies a column without nulls to the places that column 0 names. */
function place(
  chunk: DuckDBDataChunk,
  column: number,
  target: Uint32Array | Float32Array | Float64Array,
): void {
  const rows = numbersOf(chunk, 0);
  const values = numbersOf(chunk, column);
  for (let k = 0; k < rows.length; k++) target[rows[k]] = values[k];
}

/**
 * The numbers of a column without nulls. Vectors keep them in a typed array that their interface does not
 * show; reading it is ten times faster than asking for one number after the other, which is done where it is
 * not there.
 */
function numbersOf(chunk: DuckDBDataChunk, column: number): ArrayLike<number> {
  const vector = chunk.getColumnVector(column) as DuckDBVector<number>;
  const items: unknown = (vector as unknown as { readonly items?: unknown }).items;
  if (items instanceof Uint32Array || items instanceof Float32Array || items instanceof Float64Array) {
    if (items.length === chunk.rowCount) return items;
  }
  return Float64Array.from({ length: chunk.rowCount }, (_, k) => vector.getItem(k)!);
}
