import { open } from 'node:fs/promises';
import {
  CompressionType,
  compressionRegistry,
  type Data,
  DataType,
  DateUnit,
  type Field,
  type RecordBatch,
  RecordBatchReader,
  type Vector,
} from 'apache-arrow';
import { BadDataError } from '../bad-data-error.js';
import type { FormatRequest } from '../formats/rating-format.js';
import type { RatingScale } from '../rating-matrix.js';
import type { EncodedRows } from './encoded-rows.js';
import { EventFilter } from './event-filter.js';
import type { NamedColumns } from './named-columns.js';
import { RowCollector } from './row-collector.js';
import { parseTime, parseVote, secondsFromNumber } from './row-rules.js';
import { readingError, type SourceFile } from './source-file.js';
import { unpackLz4 } from './unpack-lz4.js';
import { unpackZstd } from './unpack-zstd.js';
import { sampledRows } from './unused-columns.js';

compressionRegistry.set(CompressionType.LZ4_FRAME, { decode: unpackLz4 });
compressionRegistry.set(CompressionType.ZSTD, { decode: unpackZstd });

/** A cell: text, a number, a truth value, a time in seconds; undefined where it is null. */
type Cell = string | number | bigint | boolean | { readonly seconds: number } | undefined;
type Column = (row: number) => Cell;

/** Columns of an Arrow file (Feather) or stream, and their values in the first rows, as text. */
export async function arrowColumns(file: SourceFile): Promise<{
  readonly names: readonly string[];
  readonly sample: ReadonlyMap<string, readonly string[]>;
}> {
  const sample = new Map<string, readonly string[]>();
  let names: readonly string[] = [];
  for await (const { fields, rows, column } of batchesOf(file)) {
    names = fields.filter(({ type }) => isReadable(type)).map(({ name }) => name);
    if (rows === 0) continue;
    for (const name of names) {
      const cell = column(name);
      sample.set(
        name,
        Array.from({ length: Math.min(rows, sampledRows) }, (_, row) => textOf(cell(row))),
      );
    }
    break;
  }
  return { names, sample };
}

/** Reads ratings row by row. Memory: one batch of rows and the dictionaries; the file where it is packed. */
export async function readArrow(
  file: SourceFile,
  { user, item, rating, time, event }: NamedColumns,
  options: FormatRequest & { readonly scale: RatingScale },
): Promise<EncodedRows> {
  const events = options.events && new EventFilter(options.events.keep);
  const collector = new RowCollector(options.scale, time !== undefined, options.catalogue, events);
  let line = 0;
  for await (const { rows, column } of batchesOf(file)) {
    options.signal?.throwIfAborted();
    if (rows === 0) continue;
    const [users, items] = [column(user), column(item)];
    const [ratings, times, kinds] = [rating, time, event].map((name) =>
      name === undefined ? undefined : column(name),
    );
    for (let row = 0; row < rows; row++) {
      line++;
      if (kinds !== undefined && events?.takes(textOf(kinds(row))) === false) continue;
      collector.add(
        line,
        idOf(users(row)),
        idOf(items(row)),
        ratings === undefined ? 1 : ratingOf(ratings(row), options.scale),
        times === undefined ? Number.NaN : secondsOf(times(row)),
      );
    }
  }
  collector.bad.check(file.displayName, options.skipBadRows, collector.count);
  const rows = collector.finish();
  if (rows.users.length === 0)
    throw new BadDataError(
      { file: file.displayName },
      (line > 0 ? events?.none : undefined) ?? 'it has no ratings',
      'Give a table with one rating per row.',
    );
  return rows;
}

interface OpenBatch {
  readonly fields: readonly Field[];
  readonly rows: number;
  column(name: string): Column;
}

/** The columns without rows, then batch after batch. */
async function* batchesOf(file: SourceFile): AsyncGenerator<OpenBatch> {
  const handle = file.plainPath === undefined ? undefined : await open(file.plainPath);
  try {
    const reader =
      handle === undefined
        ? RecordBatchReader.from(await wholeFile(file))
        : await RecordBatchReader.from(handle);
    await reader.open();
    const { fields } = reader.schema;
    yield { fields, rows: 0, column: () => () => undefined };
    let count = 0;
    for (;;) {
      const { done, value } = await reader.next();
      if (done === true) break;
      const batch = value as RecordBatch;
      yield { fields, rows: batch.numRows, column: (name) => columnOf(batch, name) };
      count++;
    }
    if (reader.isFile() && count < reader.numRecordBatches)
      throw new Error(`${count} of ${reader.numRecordBatches} batches of rows can be read`);
  } catch (cause) {
    const isOwn = cause instanceof BadDataError || (cause instanceof Error && cause.name === 'AbortError');
    throw isOwn ? cause : damaged(file, cause);
  } finally {
    await handle?.close();
  }
}

async function wholeFile(file: SourceFile): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  try {
    for await (const part of file.stream() as AsyncIterable<Buffer>) parts.push(part);
  } catch (error) {
    throw readingError(file, undefined, error);
  }
  return Buffer.concat(parts);
}

const isText = (type: DataType) =>
  DataType.isUtf8(type) || DataType.isLargeUtf8(type) || DataType.isUtf8View(type);
const isTime = (type: DataType) => DataType.isTimestamp(type) || DataType.isDate(type);

function isReadable(type: DataType): boolean {
  if (DataType.isDictionary(type)) return isReadable(type.dictionary as DataType);
  return (
    isText(type) || isTime(type) || DataType.isInt(type) || DataType.isFloat(type) || DataType.isBool(type)
  );
}

/** The cells of a column, none of which lies outside of the bytes that there are. */
function columnOf(batch: RecordBatch, name: string): Column {
  const vector = batch.getChild(name) as Vector;
  for (const data of vector.data) checkLength(data, batch.numRows);
  const coded = vector.data[0].dictionary;
  for (const data of coded?.data ?? []) checkLength(data, data.length);
  const type = (coded?.type ?? vector.type) as DataType;
  if (isTime(type))
    return (row) => {
      const milliseconds: unknown = vector.get(row);
      return milliseconds === null ? undefined : { seconds: Number(milliseconds) / 1000 };
    };
  return (row) => (vector.get(row) as Cell | null) ?? undefined;
}

/** A reader of damaged lengths would go on for 2³¹ rows that are all undefined. */
function checkLength(data: Data, rows: number): void {
  const { type, length, nullBitmap, valueOffsets, values } = data;
  const bytes = values?.byteLength ?? 0;
  const isLong =
    length >= rows &&
    (nullBitmap === undefined || nullBitmap.length === 0 || nullBitmap.length * 8 >= rows) &&
    (DataType.isUtf8(type) || DataType.isLargeUtf8(type)
      ? valueOffsets.length > rows && Number(valueOffsets[rows]) <= bytes
      : bytes * 8 >= rows * bitsOf(type));
  if (rows > 0 && !isLong) throw new Error('a column is shorter than its batch');
}

function bitsOf(type: DataType): number {
  if (DataType.isDictionary(type)) return type.indices.bitWidth;
  if (DataType.isUtf8View(type)) return 128;
  if (DataType.isBool(type)) return 1;
  if (DataType.isInt(type)) return type.bitWidth;
  if (DataType.isFloat(type)) return 16 << type.precision;
  return DataType.isDate(type) && type.unit === DateUnit.DAY ? 32 : 64;
}

function textOf(cell: Cell): string {
  return cell === undefined || typeof cell === 'object' ? '' : String(cell);
}

/** Texts and whole numbers; '' otherwise, which is a bad row. */
function idOf(cell: Cell): string {
  if (typeof cell === 'string') return cell;
  return typeof cell === 'bigint' || (typeof cell === 'number' && Number.isSafeInteger(cell))
    ? String(cell)
    : '';
}

function ratingOf(cell: Cell, scale: RatingScale): number {
  if (typeof cell === 'number' || typeof cell === 'bigint') return Number(cell);
  return typeof cell === 'string' || typeof cell === 'boolean' ? parseVote(String(cell), scale) : Number.NaN;
}

function secondsOf(cell: Cell): number {
  if (typeof cell === 'object') return cell.seconds;
  if (typeof cell === 'string') return parseTime(cell);
  return typeof cell === 'number' || typeof cell === 'bigint' ? secondsFromNumber(Number(cell)) : Number.NaN;
}

function damaged(file: SourceFile, cause: unknown): BadDataError {
  return new BadDataError(
    { file: file.displayName },
    `it is not a whole Arrow file (${cause instanceof Error ? cause.message.slice(0, 200) : 'unreadable'})`,
    'Write or fetch it again.',
    { cause },
  );
}
