import { createHash } from 'node:crypto';

/**
 * How rows go to a script and come back. Without Hive the separator is \u0001 unless it is named, on both
 * sides.
 */
const rowFormat = "ROW FORMAT DELIMITED FIELDS TERMINATED BY '\\t'";

/** A name between backticks. */
function quotedName(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}

function quotedText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

const folder = (path: string) => `parquet.${quotedName(path)}`;

/** Where rows come from, as it stands behind FROM. Made here alone, so that every name in it is quoted. */
export interface Relation {
  readonly sql: string;
}

/** Parquet files, or a folder of them. */
export const parquetFiles = (path: string): Relation => ({ sql: folder(path) });

/** A table of a catalogue, by the parts of its name. */
export const catalogueTable = (name: readonly string[]): Relation => ({
  sql: name.map(quotedName).join('.'),
});

/** A table in a folder, read by the reader of its kind. */
export const deltaFolder = (path: string): Relation => ({ sql: `delta.${quotedName(path)}` });

/** A table as it was at a version (a whole number), whatever is written to it meanwhile. */
export const asOfVersion = ({ sql }: Relation, version: bigint): Relation => ({
  sql: `${sql} VERSION AS OF ${version}`,
});

/** What a catalogue knows about a table. A path is no table, as it is behind FROM. */
export const describeTableStatement = ({ sql }: Relation) => `DESCRIBE TABLE EXTENDED ${sql}`;

/** The last thing that was done to a Delta table: `version`, `timestamp` and more. */
export const deltaHistoryStatement = ({ sql }: Relation) => `DESCRIBE HISTORY ${sql} LIMIT 1`;

/** The snapshot that an Iceberg table is at. */
export const icebergSnapshotStatement = ({ sql }: Relation) =>
  `SELECT string(snapshot_id) AS snapshot FROM ${sql}.refs WHERE name = 'main'`;

/** Blocks that hold someone: a task that found bad rows alone leaves one without a name. */
const withPeople = (blocks: string) => `${folder(blocks)} WHERE name <> ''`;

/**
 * The program in the executors: the command that starts Node there, or the folder that an archive with it was
 * unpacked into, and the name of the worker's file.
 */
export interface WorkerProgram {
  readonly node: string | { readonly folder: string };
  readonly file: string;
}

/**
 * The shell command of a worker. Files of a session lie in a folder whose name only the server knows, and
 * folders of earlier sessions stay beside it: the first file of the name is taken, and names tell contents,
 * so any is right.
 */
function workerCommand({ node, file }: WorkerProgram, mode: string, argument = ''): string {
  const isFile = argument.includes('.');
  // Archives of Node's own site have one folder around everything.
  const found = (folder: string) =>
    `for n in ./*/${folder}/bin/node ./*/${folder}/*/bin/node; do if [ -x "$n" ]; then break; fi; done;`;
  return [
    typeof node === 'string' ? `n=${node};` : found(node.folder),
    `for w in ./*/${file}; do break; done;`,
    isFile ? `for a in ./*/${argument}; do break; done;` : `a=${argument};`,
    `exec "$n" "$w" ${mode} "$a"`,
  ].join(' ');
}

function transform(fields: string, command: string, columns: readonly string[], from: string): string {
  const typed = columns.map((column) => `${column} STRING`).join(', ');
  return `SELECT TRANSFORM(${fields}) ${rowFormat} USING ${quotedText(command)} AS (${typed}) ${rowFormat} FROM ${from}`;
}

/** Runs the probe in `tasks` tasks. */
export function probeStatement(program: WorkerProgram, tasks: number): string {
  return transform(
    'id',
    workerCommand(program, 'probe'),
    ['node', 'kernel', 'rest'],
    `(SELECT string(id) AS id FROM range(0, ${tasks}, 1, ${tasks}))`,
  );
}

/** How many tasks Spark makes of a statement that leaves it the choice: one a core. */
export const parallelismStatement =
  'SELECT string(1 + max(task)) AS tasks FROM (SELECT spark_partition_id() AS task FROM range(0, 100000))';

export interface MapStatement {
  /** Folder of the blocks. */
  readonly blocks: string;
  readonly program: WorkerProgram;
  readonly question: string;
  /** At most so many tasks, each of which starts a worker. */
  readonly tasks: number;
}

export interface SumStatement extends MapStatement {
  readonly blockCount: number;
  readonly reducers: number;
}

const partColumns = ['key', 'covered', 'data'];

const viewOf = (blocks: string) =>
  `hushrec_${createHash('sha256').update(blocks).digest('hex').slice(0, 16)}`;

/**
 * Makes blocks known to a session, which it must be told before it is asked for sums. Spark then neither
 * lists the files nor looks for their columns in every statement; a file that is gone is an error, and blocks
 * are checked against their names.
 */
export function viewStatement(blocks: string): string {
  return `CREATE OR REPLACE TEMPORARY VIEW ${viewOf(blocks)} (name STRING, block BINARY) USING parquet OPTIONS (path ${quotedText(blocks)})`;
}

/** The map side of a sum: every task sends a partial sum in pieces. */
export function mapStatement({ blocks, program, question, tasks }: MapStatement): string {
  const command = workerCommand(program, 'map', question);
  const shares = `(SELECT /*+ COALESCE(${tasks}) */ name, block FROM ${viewOf(blocks)} WHERE name <> '')`;
  return transform('name, base64(block)', command, partColumns, shares);
}

/** Sums one statistic over all blocks: every reducer adds the pieces of its keys. */
export function sumStatement(statement: SumStatement): string {
  const { program, blockCount, reducers } = statement;
  return transform(
    partColumns.join(', '),
    workerCommand(program, 'reduce', String(blockCount)),
    partColumns,
    `(SELECT /*+ REPARTITION(${reducers}, key) */ key, covered, data FROM (${mapStatement(statement)}))`,
  );
}

/** Brings the blocks of some people. */
export function selectStatement(blocks: string, program: WorkerProgram, options: string): string {
  const command = workerCommand(program, 'select', options);
  return transform('name, base64(block)', command, ['block', 'name', 'rest'], withPeople(blocks));
}

/** Columns of a source of ratings; no rating where a row is a choice. */
export interface SourceColumns {
  readonly user: string;
  readonly item: string;
  readonly rating?: string;
  readonly time?: string;
}

/**
 * Looks for the log of a table (Delta, Hudi, Iceberg) in a folder, which may be a pattern. Its answer does
 * not matter: where there is no log, Spark answers that it found no path.
 */
export function tableLogStatement(folder: string): string {
  const logs = '{_delta_log,.hoodie,metadata/*.metadata.json*}';
  return `DESCRIBE QUERY SELECT * FROM text.${quotedName(`${folder}/${logs}`)}`;
}

/** Names and types of the columns of a source. */
export function describeStatement(source: Relation): string {
  return `DESCRIBE QUERY SELECT * FROM ${source.sql}`;
}

/** Ids of all people, in base64. */
export function peopleStatement(source: Relation, { user }: SourceColumns): string {
  const id = quotedName(user);
  return `SELECT DISTINCT base64(string(${id})) AS person FROM ${source.sql} WHERE ${id} IS NOT NULL`;
}

/** How many people there are. */
export function peopleCountStatement(source: Relation, { user }: SourceColumns): string {
  return `SELECT string(count(DISTINCT ${quotedName(user)})) AS people FROM ${source.sql}`;
}

/** Ids of all items, in base64. */
export function itemsStatement(source: Relation, { item }: SourceColumns): string {
  const id = quotedName(item);
  return `SELECT DISTINCT base64(string(${id})) AS item FROM ${source.sql} WHERE ${id} IS NOT NULL`;
}

/** Files of a source: names, sizes and times, which change when the data does. */
export function filesStatement(source: Relation): string {
  const fields = ['file_path', 'file_size', 'unix_micros(file_modification_time)'];
  const columns = fields.map((field, at) => `string(${field.replace('file_', '_metadata.file_')}) AS c${at}`);
  return `SELECT DISTINCT ${columns.join(', ')} FROM ${source.sql}`;
}

export interface PrepareStatement {
  readonly source: Relation;
  readonly columns: SourceColumns;
  readonly blocks: string;
  readonly program: WorkerProgram;
  readonly options: string;
  readonly shares: number;
}

/** What packing writes: names of columns, the block last. */
const blockColumns = ['name', 'people', 'entries', 'bad', 'repeated', 'unclear', 'block'] as const;

/**
 * Packs a source into blocks of whole people. Distributed by user itself: Spark hashes what it is given, and
 * a hash of a hash falls unevenly. Ids go through the script in base64, because they may hold tabs or line
 * ends. Nothing is cast to a number here: a failed cast prints the value.
 */
export function prepareStatement({
  source,
  columns,
  blocks,
  program,
  options,
  shares,
}: PrepareStatement): string {
  const { user, item, rating, time } = columns;
  const rows = [
    `base64(string(${quotedName(user)})) AS user`,
    `base64(string(${quotedName(item)})) AS item`,
    rating === undefined ? "'1' AS rating" : `string(${quotedName(rating)}) AS rating`,
    time === undefined ? "'' AS time" : `${quotedName(time)} AS time`,
  ].join(', ');
  const dealt = `(SELECT /*+ REPARTITION(${shares}, user) */ * FROM (SELECT ${rows} FROM ${source.sql}))`;
  const packed = transform(
    'user, item, rating, string(time)',
    workerCommand(program, 'pack', options),
    blockColumns,
    `(SELECT * FROM ${dealt} SORT BY user, item, time)`,
  );
  const written = blockColumns.map((column) => (column === 'block' ? 'unbase64(block) AS block' : column));
  return `INSERT OVERWRITE DIRECTORY ${quotedText(blocks)} USING parquet OPTIONS ('compression' 'zstd') SELECT ${written.join(', ')} FROM (${packed})`;
}

/** Names and counts of the blocks that are there. */
export function manifestStatement(blocks: string): string {
  const columns = blockColumns.filter((column) => column !== 'block');
  return `SELECT ${columns.join(', ')} FROM ${folder(blocks)}`;
}

/** Leaves an empty folder where blocks were. */
export function emptyStatement(blocks: string): string {
  return `INSERT OVERWRITE DIRECTORY ${quotedText(blocks)} USING parquet SELECT '' AS name WHERE false`;
}
