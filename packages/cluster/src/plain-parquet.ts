import { versionedTableError } from '@hushrec/ratings';
import { SparkError, SparkSessionLostError } from './connect/spark-errors.js';
import type { SparkSession } from './connect/spark-session.js';
import { tableLogStatement } from './statements.js';

/** Whoever runs a query: a connection or a session. */
export type Asked = Pick<SparkSession, 'rows' | 'answers'>;

/**
 * Up to how many folders below a source are looked at one by one. Partitions of one table have its log above
 * them; a log below means that every partition is a table of its own.
 */
const MOST_FOLDERS = 200;

/**
 * Refuses Parquet that belongs to a table which keeps old versions (Delta, Iceberg, Hudi): its files still
 * hold rows of people who were erased. The table's log lies in one of the folders that the files are in, or
 * in any folder above them.
 *
 * @param files addresses of the files that Spark found for the source; none before it was asked
 * @throws BadDataError for files of a table; SparkError where it cannot be told for the source itself
 */
export async function refuseTableFiles(
  spark: Asked,
  source: string,
  files: readonly string[] | undefined,
  signal?: AbortSignal,
): Promise<void> {
  for (const { folder, mustBeKnown } of files === undefined
    ? [{ folder: source.replace(/\/+$/, ''), mustBeKnown: true }]
    : foldersOf(files)) {
    try {
      await spark.rows(tableLogStatement(folder), {
        name: 'looking for a table’s log',
        ...(signal && { signal }),
      });
    } catch (error) {
      if (!(error instanceof SparkError) || error instanceof SparkSessionLostError) throw error;
      if (error.condition === 'PATH_NOT_FOUND') continue;
      if (mustBeKnown) throw error;
      // Far above the source is storage that we may not look into.
      return;
    }
    throw versionedTableError(source, undefined, folder.replaceAll('\\', ''));
  }
}

/** As a pattern of Hadoop that means these letters alone. */
const asPattern = (name: string) => name.replaceAll(/[\\{}[\]*?,]/g, '\\$&');

/**
 * Folders of files as patterns: those below the folder of all of them, then that one, then those above it.
 * Known must be what is reached by partitions (`day=1`) and `data`, as tables lay out their files.
 */
function foldersOf(files: readonly string[]): { readonly folder: string; readonly mustBeKnown: boolean }[] {
  if (files.length === 0) return [];
  const paths = files.map((file) => file.split('/').slice(0, -1).map(decoded));
  let common = paths[0];
  for (const path of paths) {
    const end = common.findIndex((name, at) => name !== path[at]);
    if (end >= 0) common = common.slice(0, end);
  }
  const pattern = (path: readonly string[]) => path.map(asPattern).join('/');
  const below = new Set<string>();
  for (const path of paths)
    for (let length = path.length; length > common.length && below.size < MOST_FOLDERS; length--)
      below.add(pattern(path.slice(0, length)));
  // `s3a:`, '' and the name of the bucket begin an address and are no folders.
  const shortest = common[0]?.endsWith(':') && common[1] === '' ? 3 : 1;
  const above: { readonly folder: string; readonly mustBeKnown: boolean }[] = [];
  for (let length = common.length, mustBeKnown = true; length >= shortest; length--) {
    above.push({ folder: pattern(common.slice(0, length)), mustBeKnown });
    mustBeKnown &&= /=|^data$/.test(common[length - 1]);
  }
  return [...[...below].map((folder) => ({ folder, mustBeKnown: true })), ...above];
}

/** Spark names files as addresses, with percent signs before codes. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
