import { readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BadDataError } from '../bad-data-error.js';

/**
 * Tables that keep old versions: which of their Parquet files hold rows of today, and which rows in them, is
 * written in a log of their own. Read as plain files they give back what was removed.
 */
export type TableKind = 'Delta' | 'Iceberg' | 'Hudi';

const isParquet = (name: string) => /\.(?:parquet|pq)$/i.test(name);

/** What whoever names files of such a table is told. */
export function versionedTableError(source: string, kind: TableKind | undefined, folder: string) {
  const table = kind === undefined ? 'a Delta, Iceberg or Hudi table' : `${article(kind)} ${kind} table`;
  return new BadDataError(
    { file: source },
    `it belongs to ${table} (${folder}), whose Parquet files still hold rows that were removed from it, also those of people who were erased`,
    'Let Spark read the table: table:CATALOG.SCHEMA.NAME or delta:PATH with --engine sc://… (docs/cluster.md). Or export its current rows into a folder of their own.',
  );
}

const article = (word: string) => (/^[AEIOU]/.test(word) ? 'an' : 'a');

/**
 * Refuses Parquet files of a table that keeps old versions, whether its folder, one of its folders or one of
 * its files is named. The log lies in the table's own folder, which may be any folder above: partitions are
 * folders in folders.
 *
 * @throws BadDataError
 */
export async function refuseVersionedTable(source: string, format?: string): Promise<void> {
  const path = await realpath(source).catch(() => undefined);
  if (path === undefined) return;
  const isFolder = (await stat(path)).isDirectory();
  if (format !== 'parquet' && !(isFolder ? await mayBeTable(path) : isParquet(source) || isParquet(path)))
    return;
  for (const folder of withFoldersAbove(isFolder ? path : dirname(path))) {
    const kind = await tableKind(folder);
    if (kind !== undefined) throw versionedTableError(source, kind, folder);
  }
}

function* withFoldersAbove(folder: string): Generator<string> {
  yield folder;
  if (dirname(folder) !== folder) yield* withFoldersAbove(dirname(folder));
}

/** A folder with Parquet in it, or with folders alone, as the folder of an Iceberg table is. */
async function mayBeTable(folder: string): Promise<boolean> {
  const files = (await readdir(folder, { withFileTypes: true })).filter((entry) => !entry.isDirectory());
  const visible = files.filter(({ name }) => !name.startsWith('.'));
  return visible.length === 0 || visible.some(({ name }) => isParquet(name));
}

async function tableKind(folder: string): Promise<TableKind | undefined> {
  if (await isThere(join(folder, '_delta_log'))) return 'Delta';
  if (await isThere(join(folder, '.hoodie'))) return 'Hudi';
  const metadata = join(folder, 'metadata');
  const names = await readdir(metadata).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return [];
    throw new BadDataError(
      { file: metadata },
      'it cannot be read, so that nobody can tell whether the Parquet beside it belongs to an Iceberg table',
      'Check the permissions.',
      { cause },
    );
  });
  return names.some((name) => /\.metadata\.json(?:\.gz)?$/.test(name)) ? 'Iceberg' : undefined;
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
