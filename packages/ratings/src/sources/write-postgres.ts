import pg from 'pg';
import { DatasetWriteError } from '../dataset-folder/partial-folder.js';
import type { TableColumn } from '../dataset-folder/table-column.js';
import type { RowOutput, RowOutputOptions } from '../row-output.js';
import { connected, postgresName } from './read-postgres.js';

const defaultTable = 'hushrec_lists';

const typeOf: Readonly<Record<TableColumn['type'], string>> = {
  index: 'integer',
  float32: 'real',
  float64: 'double precision',
  text: 'text',
};

/**
 * Writes rows into a table in one transaction: readers see all of them or what was there before. The table
 * is made where it is absent; one with rows in it is refused, or emptied in the same transaction.
 */
export async function openRowTable(
  address: string,
  columns: readonly TableColumn[],
  { table: asked, overwrite }: RowOutputOptions,
): Promise<RowOutput> {
  const database = postgresName(address);
  const url = new URL(address);
  const name = asked ?? url.searchParams.get('table') ?? defaultTable;
  url.searchParams.delete('table');
  const place = `${database}, table ${name}`;
  const table = name.split('.').map(pg.escapeIdentifier).join('.');
  const client = await connected(url.href, database);
  const ask = async (text: string, values?: unknown[]) => {
    try {
      return await client.query<Record<string, string>>(text, values);
    } catch (error) {
      throw refused(place, url.username, table, columns, error);
    }
  };
  const abandon = () => client.end().catch(() => {}); // What was not committed is gone.
  try {
    await ask('BEGIN');
    const { rows } = await ask('SELECT to_regclass($1) IS NOT NULL AS is_there', [table]);
    if (rows[0]['is_there'] !== 't')
      await ask(
        `CREATE TABLE ${table} (${columns.map((each) => `${pg.escapeIdentifier(each.name)} ${typeOf[each.type]} NOT NULL`).join(', ')})`,
      );
    else if (overwrite === true) await ask(`DELETE FROM ${table}`);
    else if ((await ask(`SELECT FROM ${table} LIMIT 1`)).rowCount !== 0)
      throw new DatasetWriteError(
        'usage',
        place,
        'it has rows already',
        'Name another with --table, or replace its rows with --overwrite.',
      );
  } catch (error) {
    await abandon();
    throw error;
  }
  const names = columns.map((each) => pg.escapeIdentifier(each.name)).join(', ');
  const arrays = columns.map(({ type }, at) => `$${at + 1}::${typeOf[type]}[]`).join(', ');
  const insert = `INSERT INTO ${table} (${names}) SELECT * FROM unnest(${arrays})`;
  return {
    async write(block) {
      await ask(
        insert,
        block.map(({ data }) => Array.from<number | string>(data)),
      );
    },
    async finish() {
      await ask('COMMIT');
      await abandon();
    },
    abandon,
  };
}

/** What the server refused, and the right or column that it takes. */
function refused(
  place: string,
  user: string,
  table: string,
  columns: readonly TableColumn[],
  error: unknown,
): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  const role = user === '' ? 'the user' : pg.escapeIdentifier(decodeURIComponent(user));
  const advice =
    error.code === '42501'
      ? /schema/.test(error.message)
        ? `Make the table yourself, or GRANT USAGE, CREATE ON its schema TO ${role}.`
        : `GRANT SELECT, INSERT, DELETE ON ${table} TO ${role}.`
      : `Its columns must be ${columns.map((each) => `${each.name} ${typeOf[each.type]}`).join(', ')}; name another table with --table otherwise.`;
  return new DatasetWriteError('usage', place, `the database refused (${error.message})`, advice, error);
}
