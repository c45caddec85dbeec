import { join } from 'node:path';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, parquetSchema } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { BadDataError } from '../bad-data-error.js';
import type { FormatRequest } from '../formats/rating-format.js';
import type { RatingScale } from '../rating-matrix.js';
import { encodeWithDuckDb } from './duckdb-rows.js';
import { type DuckDbSession, isFullDisk, openDuckDb, sqlText } from './duckdb-session.js';
import type { EncodedRows } from './encoded-rows.js';
import { EventFilter } from './event-filter.js';
import { exactText } from './exact-text.js';
import type { NamedColumns } from './named-columns.js';
import { checkParquetClaims } from './parquet-limits.js';
import { checkRuns } from './parquet-runs.js';
import { RowCollector } from './row-collector.js';
import { parseTime, parseVote, ratingTextProblem, secondsFromNumber } from './row-rules.js';
import type { SourceFile } from './source-file.js';
import { sampledRows } from './unused-columns.js';

/** What was asked for, with the scale of the ratings. */
type ParquetOptions = FormatRequest & { readonly scale: RatingScale };

/** Column names of a Parquet file, or a clear refusal of a file that is none. */
export async function parquetColumns(file: SourceFile): Promise<string[]> {
  const { metadata } = await parquetMetadata(file);
  try {
    const names = parquetSchema(metadata)
      .children.filter(({ children }) => children.length === 0)
      .map((child) => child.element.name as unknown);
    if (!names.every((name) => typeof name === 'string')) throw new Error('a column has no name');
    return names;
  } catch (cause) {
    throw damaged(file, cause);
  }
}

/** Larger columns are texts, in which nobody votes; they are not read to see what they hold. */
const largestSampled = 1 << 26;

/** Values of columns in the first rows, as text. */
export async function sampleParquet(
  file: SourceFile,
  columns: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { buffer, metadata } = await parquetMetadata(file);
  const [group] = metadata.row_groups;
  const sizeOf = (name: string) =>
    Number(
      group?.columns.find(({ meta_data }) => meta_data?.path_in_schema.join('.') === name)?.meta_data
        ?.total_uncompressed_size ?? Infinity,
    );
  const small = columns.filter((name) => sizeOf(name) <= largestSampled);
  if (small.length === 0) return new Map();
  try {
    await checkParquetClaims(buffer, metadata, small, (page) => checkRuns(buffer, metadata, page));
    const rowEnd = Math.min(sampledRows, Number(group.num_rows));
    const rows = await parquetReadObjects({
      ...{ file: buffer, metadata, compressors, parsers: exactText, columns: small, rowStart: 0, rowEnd },
    });
    return new Map(small.map((name) => [name, rows.map((row) => plainText(row[name]))]));
  } catch (cause) {
    throw damaged(file, cause);
  }
}

/** Truth values, numbers and texts as text; '' for anything else. */
function plainText(value: unknown): string {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value) ? String(value) : '';
}

/** Reads ratings from one or more Parquet files with the same columns, in the order given. */
export async function readParquet(
  files: readonly SourceFile[],
  columns: NamedColumns,
  options: ParquetOptions,
): Promise<{ readonly rows: EncodedRows; readonly reader: 'duckdb' | 'typescript' }> {
  const names = [...new Set(Object.values(columns).filter((column) => column !== undefined))];
  for (const file of files) {
    const { buffer, metadata } = await parquetMetadata(file);
    await checkParquetClaims(buffer, metadata, names).catch((cause: unknown) => {
      throw damaged(file, cause);
    });
  }
  if (options.reader !== 'typescript') {
    const rows = await readWithDuckDb(files, columns, options);
    if (rows?.itemIds.every((id) => options.catalogue?.has(id) ?? true)) return { rows, reader: 'duckdb' };
  }
  return { rows: await readRowByRow(files, columns, options), reader: 'typescript' };
}

async function readWithDuckDb(files: readonly SourceFile[], columns: NamedColumns, options: ParquetOptions) {
  const session = await openDuckDb(join(options.workFolder, 'spill'), options.signal);
  if (session === undefined) return undefined;
  try {
    const { user, item, rating, time, event } = columns;
    const types = await commonTypes(session, files);
    const isId = (column: string) =>
      /^(?:VARCHAR|U?(?:TINY|SMALL|BIG)?INT(?:EGER)?)$/.test(types?.get(column) ?? '');
    const isNumber = (column: string | undefined) =>
      column === undefined || /INT|FLOAT|DOUBLE|DECIMAL/.test(types?.get(column) ?? '');
    // Which event a row is of is told from its text, as TypeScript writes it.
    if (event !== undefined || !isId(user) || !isId(item) || !isNumber(rating) || !isNumber(time))
      return undefined;
    const name = (column: string) => `"${column.replaceAll('"', '""')}"`;
    const selected = [`${name(user)} AS u`, `${name(item)} AS i`];
    if (rating !== undefined) selected.push(`${name(rating)}::DOUBLE AS r`);
    if (time !== undefined) selected.push(`${name(time)}::DOUBLE AS t`);
    return await encodeWithDuckDb(
      session,
      `(SELECT ${selected.join(', ')} FROM ${tableOf(files)})`,
      { rating: rating !== undefined, time: time !== undefined },
      options.scale,
    );
  } catch (error) {
    options.signal?.throwIfAborted();
    if (isFullDisk(error)) throw error;
    return undefined;
  } finally {
    session.close();
  }
}

/**
 * The types of columns, which every file must have alike: where they differ DuckDB turns all values into
 * those of the first file, and the person "007" of one would be the person 7 of another. Undefined where they
 * differ.
 */
async function commonTypes(
  { connection }: DuckDbSession,
  files: readonly SourceFile[],
): Promise<ReadonlyMap<string, string> | undefined> {
  const types = new Map<string, string>();
  for (const file of files) {
    const described = await (await connection.run(`DESCRIBE SELECT * FROM ${tableOf([file])}`)).getRowsJS();
    for (const [column, type] of described) {
      if ((types.get(String(column)) ?? type) !== type) return undefined;
      types.set(String(column), String(type));
    }
  }
  return types;
}

function tableOf(files: readonly SourceFile[]): string {
  return `read_parquet([${files.map((file) => sqlText(file.plainPath!)).join(', ')}])`;
}

async function readRowByRow(files: readonly SourceFile[], columns: NamedColumns, options: ParquetOptions) {
  const events = options.events && new EventFilter(options.events.keep);
  const collector = new RowCollector(options.scale, columns.time !== undefined, options.catalogue, events);
  let line = 0;
  for (const file of files) {
    const { buffer, metadata } = await parquetMetadata(file);
    const wanted = Object.values(columns).filter((column) => column !== undefined);
    await checkParquetClaims(buffer, metadata, wanted, (page) => checkRuns(buffer, metadata, page)).catch(
      (cause: unknown) => {
        throw damaged(file, cause);
      },
    );
    let start = 0;
    for (const group of metadata.row_groups) {
      options.signal?.throwIfAborted();
      const end = start + Number(group.num_rows);
      const rows = await parquetReadObjects({
        file: buffer,
        metadata,
        compressors,
        parsers: exactText,
        columns: [...new Set(wanted)],
        rowStart: start,
        rowEnd: end,
      }).catch((cause: unknown) => {
        throw damaged(file, cause);
      });
      for (const row of rows) {
        line++;
        if (columns.event !== undefined && events?.takes(plainText(row[columns.event])) === false) continue;
        const rating = columns.rating === undefined ? 1 : ratingOf(row[columns.rating], options.scale);
        if (typeof rating === 'string') {
          collector.bad.add(line, rating);
          continue;
        }
        collector.add(
          line,
          idText(row[columns.user]),
          idText(row[columns.item]),
          rating,
          columns.time === undefined ? Number.NaN : seconds(row[columns.time]),
        );
      }
      start = end;
    }
  }
  const name = files[0].displayName;
  collector.bad.check(name, options.skipBadRows, collector.count);
  const encoded = collector.finish();
  if (encoded.users.length === 0)
    throw new BadDataError(
      { file: name },
      events?.none ?? 'it has no ratings',
      'Give a table with one rating per row.',
    );
  return encoded;
}

/** A number, or a vote on a scale of two grades; why it is neither. */
function ratingOf(value: unknown, scale: RatingScale): number | string {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  const text = plainText(value);
  const vote = parseVote(text, scale);
  return Number.isNaN(vote) ? ratingTextProblem(text) : vote;
}

function idText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value)))
    return String(value);
  return '';
}

function seconds(value: unknown): number {
  if (value instanceof Date) return value.getTime() / 1000;
  if (typeof value === 'string') return parseTime(value);
  return typeof value === 'number' || typeof value === 'bigint'
    ? secondsFromNumber(Number(value))
    : Number.NaN;
}

async function parquetMetadata(file: SourceFile) {
  if (file.plainPath === undefined)
    throw new BadDataError(
      { file: file.displayName },
      'it is a Parquet file inside another packing',
      'Unpack it; Parquet is compressed already.',
    );
  try {
    const buffer = await asyncBufferFromFile(file.plainPath);
    return { buffer, metadata: await parquetMetadataAsync(buffer) };
  } catch (cause) {
    throw damaged(file, cause);
  }
}

function damaged(file: SourceFile, cause: unknown): BadDataError {
  return new BadDataError(
    { file: file.displayName },
    `it is not a whole Parquet file (${cause instanceof Error ? cause.message.slice(0, 200) : 'unreadable'})`,
    'Write or fetch it again.',
    { cause },
  );
}
