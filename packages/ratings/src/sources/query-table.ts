import { ImportOptionError } from '../bad-data-error.js';
import type { FeatureTable } from '../features/feature-table.js';
import { formatOfAddress } from '../formats.js';
import { roleOfName } from './column-roles.js';
import { queryOf } from './query-rows.js';

/** A public table about items from a database: there are few items compared with ratings. */
export async function tableOfQuery(address: string, sql: string): Promise<FeatureTable> {
  const query = queryOf({ query: sql });
  const { file, blocks } = await blocksOf(address, query);
  let columns: readonly string[] = [];
  const rows: { line: number; fields: readonly string[] }[] = [];
  for await (const block of blocks) {
    columns = block.columns.map(({ name }) => name);
    for (const row of block.rows) rows.push({ line: rows.length + 1, fields: row.map((cell) => cell ?? '') });
  }
  const isItem = (name: string) => roleOfName(name) === 'item' || /^id$/i.test(name);
  return { file, columns, itemColumn: Math.max(0, columns.findIndex(isItem)), rows };
}

async function blocksOf(address: string, query: string) {
  switch (formatOfAddress(address)?.name) {
    case 'postgres': {
      const { postgresBlocks, postgresName } = await import('./read-postgres.js');
      return { file: postgresName(address), blocks: postgresBlocks(address, query) };
    }
    case 'sqlite': {
      const { sqliteBlocks, sqlitePlace } = await import('./read-sqlite.js');
      const { file } = sqlitePlace(address);
      return { file, blocks: sqliteBlocks(file, query) };
    }
    default:
      throw new ImportOptionError(
        'items-query',
        'Only a database is asked for titles: give --items FILE with a source that is a file.',
      );
  }
}
