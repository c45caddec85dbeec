import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import Database from 'libsql';
import { BadDataError, ImportOptionError } from '../bad-data-error.js';
import type { FormatRequest } from '../formats/rating-format.js';
import { collectQuery, type QueryBlock, queryOf, rowsPerBlock } from './query-rows.js';

/** File and table of `sqlite:shop.db?table=orders`. */
export function sqlitePlace(address: string): { readonly file: string; readonly table: string | undefined } {
  const [, file, parameters = ''] = /^sqlite:(?:\/\/)?([^?]*)(?:\?(.*))?$/.exec(address) ?? [];
  if (!file) throw new ImportOptionError('source', 'Name the file of the database: sqlite:shop.db.');
  const given = [...new URLSearchParams(parameters)];
  const strange = given.find(([name]) => name !== 'table');
  if (strange !== undefined)
    throw new ImportOptionError(
      'source',
      `sqlite: ${strange[0]} is not known; expected sqlite:FILE?table=NAME.`,
    );
  return { file, table: given[0]?.[1] };
}

/** Reads the ratings of a table (`?table=`) or of a query. */
export async function readSqlite(address: string, options: FormatRequest) {
  const { file, table } = sqlitePlace(address);
  if (table !== undefined && options.query !== undefined)
    throw new ImportOptionError('query', 'Give ?table=… or --query, not both.');
  const query = table === undefined ? queryOf(options) : `SELECT * FROM ${quoted(table)}`;
  return { ...(await collectQuery(file, sqliteBlocks(file, query), options)), name: basename(file) };
}

/**
 * The rows of a query, as bytes: libsql ends the process when it hands out text that is not UTF-8. Numbers
 * are written as SQLite writes them. Nothing can be changed: the query stands within another, and the
 * connection only reads.
 */
export async function* sqliteBlocks(file: string, query: string): AsyncGenerator<QueryBlock> {
  if (!existsSync(file))
    throw new BadDataError({ file }, 'there is no such file', 'Check the path: sqlite:shop.db.');
  const attempt = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (cause) {
      throw new BadDataError(
        { file },
        `SQLite refused it (${cause instanceof Error ? cause.message.slice(0, 200) : 'unreadable'})`,
        'Check the query, and that the file is a whole SQLite database.',
        { cause },
      );
    }
  };
  const database = attempt(() => new Database(resolve(file)));
  try {
    attempt(() => database.exec('PRAGMA query_only = ON'));
    const columns = attempt(() => database.prepare(`SELECT * FROM (${query}\n)`).columns()).map(
      ({ name, type }) => ({ name, isTime: /date|time/i.test(type ?? '') }),
    );
    const casts = columns.map(({ name }) => `CAST(${quoted(name)} AS BLOB)`);
    const rows = attempt(() =>
      database
        .prepare(`SELECT ${casts.join(', ')} FROM (${query}\n)`)
        .raw()
        .iterate(),
    ) as Iterator<(Uint8Array | null)[]>;
    const text = new TextDecoder('utf-8', { fatal: true });
    for (;;) {
      const block: (string | null)[][] = [];
      while (block.length < rowsPerBlock) {
        const { done, value } = attempt(() => rows.next());
        if (done === true) break;
        block.push(value.map((cell) => (cell === null ? null : decoded(text, cell))));
      }
      yield { columns, rows: block };
      if (block.length < rowsPerBlock) return;
    }
  } finally {
    database.close();
  }
}

/** What is no text is as good as missing: a row without an id is bad. */
function decoded(text: TextDecoder, cell: Uint8Array): string {
  try {
    return text.decode(cell);
  } catch {
    return '';
  }
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
