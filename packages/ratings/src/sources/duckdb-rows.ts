import type { DuckDBDataChunk, DuckDBVector } from '@duckdb/node-api';
import type { RatingScale } from '../rating-matrix.js';
import type { DuckDbSession } from './duckdb-session.js';
import type { EncodedRows } from './encoded-rows.js';
import { largestTime, longestId, millisecondsAbove } from './row-rules.js';

/**
 * Checks and encodes the rows of a table expression with columns u, i (text), r and t (double, or absent), by the
 * rules of `row-rules.ts`. Gives undefined if any row breaks a rule: the caller then reads the source again with
 * the reader that knows line numbers.
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
  const { min, max, step } = scale;
  const onGrid = step === 0 ? 'true' : `abs((r - ${min}) / ${step} - round((r - ${min}) / ${step})) < 1e-6`;
  const good = [
    ...['u', 'i'].map(
      (id) => `${id} <> '' AND strlen(${id}) <= ${longestId} AND NOT contains(${id}, chr(10))`,
    ),
    `r BETWEEN ${min} AND ${max} AND ${onGrid}`,
    ...(columns.time ? ['t IS NOT NULL'] : []),
  ].join(' AND ');
  const [total, bad] = await session.firstRow(
    `SELECT count(*)::INTEGER, count(*) FILTER (NOT coalesce(${good}, false))::INTEGER FROM raw`,
  );
  if (typeof total !== 'number' || total === 0 || bad !== 0) return undefined;

  const userIds = await dictionary(session, 'u', 'users');
  const itemIds = await dictionary(session, 'i', 'items');
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

/** Makes a table (id, code) of the different ids, coded by first appearance, and gives the ids in that order. */
async function dictionary(session: DuckDbSession, column: 'u' | 'i', table: string): Promise<string[]> {
  await session.connection.run(
    `CREATE TABLE ${table} AS
     SELECT ${column} AS id, (row_number() OVER (ORDER BY first) - 1)::UINTEGER AS code
     FROM (SELECT ${column}, min(rowid) AS first FROM raw GROUP BY ${column})`,
  );
  const result = await session.connection.run(`SELECT id FROM ${table} ORDER BY code`);
  const [ids = []] = await result.getColumnsJS();
  return ids as string[];
}

/** Copies a column without nulls to the places that column 0 names. */
function place(
  chunk: DuckDBDataChunk,
  column: number,
  target: Uint32Array | Float32Array | Float64Array,
): void {
  const rows = chunk.getColumnVector(0) as DuckDBVector<number>;
  const values = chunk.getColumnVector(column) as DuckDBVector<number>;
  const count = chunk.rowCount;
  for (let k = 0; k < count; k++) target[rows.getItem(k)!] = values.getItem(k)!;
}
