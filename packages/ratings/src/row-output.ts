import { constants } from 'node:fs';
import { access, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { TableInGroups } from './dataset-folder/parquet-table.js';
import {
  DatasetWriteError,
  makePartialFolder,
  privateModes,
  writeError,
} from './dataset-folder/partial-folder.js';
import type { TableColumn } from './dataset-folder/table-column.js';
import { disk } from './durable-files.js';
import { quoted } from './export-csv.js';
import { formatOfAddress } from './formats.js';

/** A table that grows by blocks of rows, and is there as a whole or not at all. */
export interface RowOutput {
  /** Columns as they were named at the beginning, all of one length. */
  write(columns: readonly TableColumn[]): Promise<void>;
  /** Puts it in its place. */
  finish(): Promise<void>;
  /** Leaves nothing behind; also right after `finish`. */
  abandon(): Promise<void>;
}

export interface RowOutputOptions {
  /** Replace what is there. */
  readonly overwrite?: boolean;
  /** In a database: `name` or `schema.name`. */
  readonly table?: string;
}

/**
 * Opens `target` for rows of personal data: a file that ends in .csv, .tsv or .parquet, for its owner alone,
 * or a table of a database (`postgres://…[?table=name]`), in one transaction.
 *
 * @param columns names and types, without rows
 * @throws DatasetWriteError where something is there already, or it cannot be written
 */
export async function openRowOutput(
  target: string,
  columns: readonly TableColumn[],
  options: RowOutputOptions = {},
): Promise<RowOutput> {
  if (formatOfAddress(target)?.name === 'postgres') {
    const { openRowTable } = await import('./sources/write-postgres.js');
    return openRowTable(target, columns, options);
  }
  const kind = /\.(csv|tsv|parquet)$/i.exec(target)?.[1]?.toLowerCase();
  if (kind === undefined)
    throw new DatasetWriteError(
      'usage',
      target,
      'the ending says no format',
      'Name a file that ends in .parquet, .csv or .tsv, or a database: postgres://….',
    );
  if (options.table !== undefined)
    throw new DatasetWriteError('usage', target, 'a file has no tables', 'Leave --table out.');
  await refuseTaken(target, options.overwrite === true);
  return openFile(
    target,
    kind === 'parquet' ? parquetRows(columns) : textRows(columns, kind === 'tsv' ? '\t' : ','),
  );
}

async function refuseTaken(target: string, overwrite: boolean): Promise<void> {
  const found = await stat(target).catch(() => undefined);
  if (found === undefined) return;
  if (found.isDirectory())
    throw new DatasetWriteError('usage', target, 'it is a folder', 'Name a file in it.');
  if (!overwrite)
    throw new DatasetWriteError(
      'usage',
      target,
      'it is there already',
      'Name another file, or replace this one with --overwrite.',
    );
  await access(target, constants.W_OK).catch((error: unknown) => {
    throw writeError(target, error);
  });
}

/** Rows as bytes. */
interface RowEncoder {
  block(columns: readonly TableColumn[]): Uint8Array;
  end(): Uint8Array;
}

/** Written beside its place, in a folder of its own that goes with the process, and renamed when whole. */
async function openFile(target: string, rows: RowEncoder): Promise<RowOutput> {
  const folder = await makePartialFolder(target);
  const partial = join(folder, 'rows');
  const file = await disk.create(partial, privateModes().file).catch((error: unknown) => {
    throw writeError(target, error);
  });
  const put = (bytes: Uint8Array) =>
    file.write(bytes).catch((error: unknown) => {
      throw writeError(target, error);
    });
  let isOpen = true;
  const close = async () => {
    if (isOpen) await file.close();
    isOpen = false;
  };
  const abandon = async () => {
    await close();
    await rm(folder, { recursive: true, force: true });
  };
  return {
    write: (columns) => put(rows.block(columns)),
    async finish() {
      await put(rows.end());
      await file.sync();
      await close();
      await rename(partial, target);
      await disk.syncFolder(dirname(resolve(target)));
      await abandon();
    },
    abandon,
  };
}

/** RFC 4180, with a header. */
function textRows(columns: readonly TableColumn[], separator: string): RowEncoder {
  const field = separator === ',' ? quoted : (text: string) => text.replace(/[\t\r\n]/g, ' ');
  let begin = `${columns.map(({ name }) => name).join(separator)}\n`;
  const taken = () => {
    const bytes = Buffer.from(begin);
    begin = '';
    return bytes;
  };
  return {
    block(block) {
      const count = block[0]?.data.length ?? 0;
      for (let row = 0; row < count; row++)
        begin += `${block.map(({ data }) => field(String(data[row]))).join(separator)}\n`;
      return taken();
    },
    end: taken,
  };
}

/** Rows of one group: some megabytes. */
const rowsPerGroup = 100_000;

/** Blocks are put together to groups, as columns are packed group by group. */
function parquetRows(columns: readonly TableColumn[]): RowEncoder {
  const table = new TableInGroups(columns);
  let waiting: (readonly TableColumn[])[] = [];
  let count = 0;
  const taken = () => {
    const group = columns.map((column, at) =>
      joined(
        column,
        waiting.map((block) => block[at]),
      ),
    );
    waiting = [];
    count = 0;
    return table.group(group);
  };
  return {
    block(block) {
      waiting.push(block);
      count += block[0]?.data.length ?? 0;
      return count < rowsPerGroup ? new Uint8Array() : taken();
    },
    end: () => Buffer.concat([taken(), table.end()]),
  };
}

function joined(column: TableColumn, parts: readonly TableColumn[]): TableColumn {
  const { name, type } = column;
  const values = parts.flatMap(({ data }) => Array.from<number | string>(data));
  switch (type) {
    case 'index':
      return { name, type, data: Uint32Array.from(values as number[]) };
    case 'float32':
      return { name, type, data: Float32Array.from(values as number[]) };
    case 'float64':
      return { name, type, data: Float64Array.from(values as number[]) };
    case 'text':
      return { name, type, data: values as string[] };
  }
}
