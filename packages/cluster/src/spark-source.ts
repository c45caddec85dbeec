import { createHash } from 'node:crypto';
import { SparkError } from './connect/spark-errors.js';
import { type Asked, refuseTableFiles } from './plain-parquet.js';
import {
  asOfVersion,
  catalogueTable,
  deltaFolder,
  deltaHistoryStatement,
  describeTableStatement,
  filesStatement,
  icebergSnapshotStatement,
  parquetFiles,
  type Relation,
} from './statements.js';

/** What someone names as ratings on a cluster. */
export type SparkSource =
  | { readonly kind: 'parquet'; readonly path: string }
  | { readonly kind: 'delta'; readonly path: string }
  /** Of a catalogue, by the parts of its name. */
  | { readonly kind: 'table'; readonly name: readonly string[] };

/** A source whose name cannot be read. */
export class SparkSourceError extends Error {
  override readonly name = 'SparkSourceError';
  readonly kind = 'usage';
}

/**
 * Reads `table:catalog.schema.name` (parts with a dot in them between backticks, as in SQL), `delta:PATH`, or
 * the path of Parquet.
 *
 * @throws SparkSourceError
 */
export function readSparkSource(source: string): SparkSource {
  const [, kind, text] = /^(table|delta|iceberg):(.*)$/s.exec(source) ?? [];
  if (kind === undefined) return { kind: 'parquet', path: source };
  if (kind === 'iceberg')
    throw new SparkSourceError(
      'Spark finds Iceberg tables by their names: give table:CATALOG.SCHEMA.NAME instead of a path.',
    );
  if (kind === 'delta') {
    if (text.trim() === '') throw new SparkSourceError('delta: needs the path of a Delta table.');
    return { kind, path: text };
  }
  const part = '`(?:[^`]|``)+`|[^.`\\s]+';
  if (!new RegExp(`^(?:${part})(?:\\.(?:${part}))*$`).test(text))
    throw new SparkSourceError(
      'A table is named as in SQL: table:CATALOG.SCHEMA.NAME, with backticks around a part that has a dot or a blank in it.',
    );
  const parts = text.match(new RegExp(part, 'g')) ?? [];
  return {
    kind: 'table',
    name: parts.map((each) => (each.startsWith('`') ? each.slice(1, -1).replaceAll('``', '`') : each)),
  };
}

/** What a folder for a source is called: the last part of its name. */
export function sourceName(source: string): string {
  const read = readSparkSource(source);
  const last =
    read.kind === 'table' ? read.name.at(-1) : read.path.split('/').findLast((name) => name !== '');
  const plain = read.kind === 'parquet' ? last?.replace(/(?<=.)\.[^.]*$/, '') : last;
  return plain?.replaceAll(/[/\\\0]/g, '-') ?? 'ratings';
}

/** A source as it is now. */
export interface SourceNow {
  /** Reads what is there now, also later where the source keeps versions. */
  readonly relation: Relation;
  /** Stays while the source does; undefined where nobody can tell, as with views. */
  readonly state: string | undefined;
  /** What was read, in the words of the table's kind; absent where it keeps no versions. */
  readonly version?: string;
}

/**
 * Looks at a source: plain files by their names, sizes and times, tables by the version that they are at.
 *
 * @throws BadDataError where files belong to a table that keeps old versions
 */
export async function lookAtSource(spark: Asked, source: string, signal?: AbortSignal): Promise<SourceNow> {
  const read = readSparkSource(source);
  const asked = (name: string) => ({ name, ...(signal && { signal }) });
  const files = (relation: Relation) => spark.rows(filesStatement(relation), asked('listing files'));
  if (read.kind === 'parquet') {
    await refuseTableFiles(spark, source, undefined, signal);
    const relation = parquetFiles(read.path);
    const rows = await files(relation);
    await refuseTableFiles(spark, source, rows.map(firstOf), signal);
    return { relation, state: hashOf(rows) };
  }
  const relation = read.kind === 'delta' ? deltaFolder(read.path) : catalogueTable(read.name);
  // Behind FROM a name of two parts may be a path (parquet.`/some/folder`); here it is not.
  const facts = await spark.rows(describeTableStatement(relation), asked(`looking at ${source}`));
  const details = detailsOf(facts);
  const provider = details.get('Provider')?.toLowerCase();
  if (provider === 'delta') {
    const columns = ['string(version)', 'string(timestamp)'];
    const history = deltaHistoryStatement(relation);
    const [last] = await spark.answers(history, columns, asked('reading the table’s history'));
    return atVersion(relation, 'Delta version', last);
  }
  if (provider === 'iceberg') {
    const statement = icebergSnapshotStatement(relation);
    const [last] = await spark.rows(statement, asked('reading the table’s snapshot'));
    return atVersion(relation, 'Iceberg snapshot', last);
  }
  if (provider === 'parquet' || provider === 'hive') {
    // What lies in the folder of such a table is its content, so it must not be the folder of another kind.
    const place = details.get('Location');
    if (place !== undefined) await refuseTableFiles(spark, source, [`${place}/`], signal);
  }
  const rows = await files(relation).catch((error: Error) => {
    // Views, and tables of other databases, have no files.
    if (error instanceof SparkError && error.condition.startsWith('UNRESOLVED_COLUMN')) return undefined;
    throw error;
  });
  return { relation, state: rows && hashOf(rows) };
}

/** What the catalogue says of a table besides its columns, which may have any name. */
function detailsOf(facts: readonly (readonly string[])[]): ReadonlyMap<string, string> {
  const begin = facts.findIndex(([name]) => name.startsWith('# Detailed Table Information'));
  return new Map(facts.slice(begin + 1).map(([name, value]) => [name, value]));
}

/** A table at the last version that it has; one without any is empty. */
function atVersion(relation: Relation, words: string, last: readonly string[] | undefined): SourceNow {
  if (last === undefined) return { relation, state: hashOf([[words]]) };
  const version = BigInt(last[0]);
  return {
    relation: asOfVersion(relation, version),
    state: hashOf([[words, ...last]]),
    version: `${words} ${version}`,
  };
}

const firstOf = ([first]: readonly string[]) => first;

function hashOf(rows: readonly (readonly string[])[]): string {
  const lines = rows.map((row) => row.join('\t')).sort();
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}
