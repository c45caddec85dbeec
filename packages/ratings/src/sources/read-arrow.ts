import { BadDataError } from '../bad-data-error.js';
import type { FormatRequest } from '../formats/rating-format.js';
import type { RatingScale } from '../rating-matrix.js';
import {
  type ArrowBatch,
  ArrowError,
  type ArrowField,
  type ArrowMessage,
  bodyLength,
  parseFooter,
  parseMessage,
} from './arrow-messages.js';
import type { EncodedRows } from './encoded-rows.js';
import { EventFilter } from './event-filter.js';
import { exactText } from './exact-text.js';
import type { NamedColumns } from './named-columns.js';
import { RowCollector } from './row-collector.js';
import { parseTime, parseVote, secondsFromNumber } from './row-rules.js';
import { readingError, type SourceFile } from './source-file.js';
import { sampledRows } from './unused-columns.js';

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
  await visitBatches(file, ({ fields, columns, length }) => {
    names = fields.map(({ name }) => name);
    for (const { name } of fields.filter(isReadable)) {
      const cell = columns(name);
      sample.set(
        name,
        Array.from({ length: Math.min(length, sampledRows) }, (_, row) => textOf(cell(row))),
      );
    }
    return length > 0;
  });
  return { names, sample };
}

/** Reads ratings row by row. Memory: one batch of rows and the dictionaries. */
export async function readArrow(
  file: SourceFile,
  { user, item, rating, time, event }: NamedColumns,
  options: FormatRequest & { readonly scale: RatingScale },
): Promise<EncodedRows> {
  const events = options.events && new EventFilter(options.events.keep);
  const collector = new RowCollector(options.scale, time !== undefined, options.catalogue, events);
  let line = 0;
  await visitBatches(file, ({ columns, length }) => {
    options.signal?.throwIfAborted();
    const at = (name: string | undefined) => (name === undefined ? undefined : columns(name));
    const [users, items] = [columns(user), columns(item)];
    const [ratings, times, kinds] = [at(rating), at(time), at(event)];
    for (let row = 0; row < length; row++) {
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
    return false;
  });
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

const isReadable = ({ kind }: ArrowField) => kind !== 'other';

interface OpenBatch {
  readonly fields: readonly ArrowField[];
  readonly length: number;
  columns(name: string): Column;
}

/** Shows the columns without rows, then batch after batch until one is enough. */
async function visitBatches(file: SourceFile, isEnough: (batch: OpenBatch) => boolean): Promise<void> {
  let fields: readonly ArrowField[] | undefined;
  const dictionaries = new Map<bigint, Cell[]>();
  try {
    for await (const message of messagesOf(file)) {
      if (message.kind === 'schema') {
        fields = message.fields;
        // An empty table has columns, too.
        if (isEnough({ fields, length: 0, columns: () => () => undefined })) return;
        continue;
      }
      if (fields === undefined) throw new ArrowError('it does not begin with its columns');
      const { batch } = message;
      if (message.kind === 'dictionary') {
        const { id } = message;
        const coded = allFields(fields).find(({ dictionary }) => dictionary?.id === id);
        if (coded === undefined || !isReadable(coded)) continue;
        const { dictionary: _, ...values } = coded;
        const cells = columnOf(values, batch, 0, 0, dictionaries);
        const before = message.isMore ? (dictionaries.get(id) ?? []) : [];
        dictionaries.set(id, [...before, ...Array.from({ length: batch.length }, (_, row) => cells(row))]);
        continue;
      }
      const places = placesOf(fields, batch);
      const known = fields;
      const shown = {
        fields,
        length: batch.length,
        columns(name: string) {
          const index = known.findIndex((field) => field.name === name);
          const { buffer, views } = places[index];
          if (!isReadable(known[index]))
            throw new BadDataError(
              { file: file.displayName },
              `the column "${name.slice(0, 40)}" holds lists, structures or others that are no text and no number`,
              'Write it as text or as a number.',
            );
          return columnOf(known[index], batch, buffer, views, dictionaries);
        },
      };
      if (isEnough(shown)) return;
    }
    if (fields === undefined) throw new ArrowError('it is empty');
  } catch (cause) {
    throw cause instanceof BadDataError || (cause instanceof Error && cause.name === 'AbortError')
      ? cause
      : damaged(file, cause);
  }
}

/**
 * Messages one after the other: those of a stream as they stand, those of a file by its footer. Some writers
 * (polars) begin a file with columns that are no message, so that it cannot be read as a stream.
 */
async function* messagesOf(file: SourceFile): AsyncGenerator<ArrowMessage> {
  const bytes = await wholeFile(file);
  if (bytes.toString('latin1', 0, 6) !== 'ARROW1') {
    for (let at = 0; at < bytes.length; ) {
      const { message, end } = messageAt(bytes, at);
      if (end === at) return;
      if (message !== undefined) yield message;
      at = end;
    }
    return;
  }
  const end = bytes.length - 10;
  if (bytes.length < 20 || bytes.toString('latin1', bytes.length - 6) !== 'ARROW1')
    throw new ArrowError('it ends before its data does');
  const start = end - bytes.readInt32LE(end);
  if (start < 8 || start >= end) throw new ArrowError('its footer is damaged');
  const { fields, starts } = parseFooter(bytes.subarray(start, end));
  yield { kind: 'schema', fields };
  // No byte is read twice, however often the footer names its place.
  let left = start;
  for (const at of starts) {
    if (at > start - 8) throw new ArrowError('a message lies outside of the file');
    const found = messageAt(bytes.subarray(0, start), at);
    left -= found.end - at;
    if (left < 0) throw new ArrowError('its messages are longer than the file');
    if (found.message === undefined || found.message.kind === 'schema')
      throw new ArrowError('its footer is damaged');
    yield found.message;
  }
}

/** The message at a place, and where the next one begins: here, where there is none. */
function messageAt(bytes: Buffer, at: number): { readonly message?: ArrowMessage; readonly end: number } {
  const isMarked = bytes.readInt32LE(at) === -1;
  const length = bytes.readInt32LE(at + (isMarked ? 4 : 0));
  if (length === 0) return { end: at };
  const start = at + (isMarked ? 8 : 4);
  if (length < 0 || start + length > bytes.length) throw new ArrowError('it ends before its data does');
  const description = bytes.subarray(start, start + length);
  const body = start + length;
  const end = body + bodyLength(description);
  if (end > bytes.length) throw new ArrowError('it ends before its data does');
  const message = parseMessage(description, bytes.subarray(body, end));
  return { ...(message !== undefined && { message }), end };
}

async function wholeFile(file: SourceFile): Promise<Buffer> {
  const parts: Buffer[] = [];
  try {
    for await (const part of file.stream() as AsyncIterable<Buffer>) parts.push(part);
  } catch (error) {
    throw readingError(file, undefined, error);
  }
  return Buffer.concat(parts);
}

const allFields = (fields: readonly ArrowField[]): ArrowField[] =>
  fields.flatMap((field) => [field, ...allFields(field.children)]);

/** Where the buffers of each column begin. */
function placesOf(fields: readonly ArrowField[], batch: ArrowBatch) {
  let [buffer, views] = [0, 0];
  const walk = (field: ArrowField): void => {
    const isCoded = field.dictionary !== undefined;
    if (!isCoded && (field.type === 23 || field.type === 24)) buffer += 2 + (batch.viewBuffers[views++] ?? 0);
    else buffer += isCoded ? 2 : (buffersOf[field.type] ?? 2);
    if (!isCoded) field.children.forEach(walk);
  };
  return fields.map((field) => {
    const place = { buffer, views };
    walk(field);
    return place;
  });
}

/** Buffers of a column by its type, children not counted; 2 for all others. Unions have no validity. */
const buffersOf: Readonly<Record<number, number>> = {
  ...{ 1: 0, 4: 3, 5: 3, 13: 1, 14: 1, 16: 1, 19: 3, 20: 3, 22: 0, 25: 3, 26: 3 },
};

function columnOf(
  field: ArrowField,
  batch: ArrowBatch,
  first: number,
  views: number,
  dictionaries: ReadonlyMap<bigint, readonly Cell[]>,
): Column {
  const { dictionary } = field;
  const validity = batch.buffer(first);
  const isNull = (row: number) => validity.length > 0 && ((validity[row >> 3] >> (row & 7)) & 1) === 0;
  const needed = (bits: number) => {
    if (batch.buffer(first + 1).length * 8 < bits * batch.length)
      throw new ArrowError('a column is shorter than its batch');
  };
  if (validity.length > 0 && validity.length * 8 < batch.length)
    throw new ArrowError('a column is shorter than its batch');
  if (dictionary !== undefined) {
    needed(dictionary.width);
    const values = dictionaries.get(dictionary.id) ?? [];
    const index = integers(batch.buffer(first + 1), dictionary);
    return (row) => (isNull(row) ? undefined : values[Number(index(row))]);
  }
  const cell = valuesOf(field, batch, first, views, needed);
  return (row) => (isNull(row) ? undefined : cell(row));
}

function valuesOf(
  field: ArrowField,
  batch: ArrowBatch,
  first: number,
  views: number,
  needed: (bits: number) => void,
): Column {
  const data = batch.buffer(first + 1);
  switch (field.kind) {
    case 'bool':
      needed(1);
      return (row) => ((data[row >> 3] >> (row & 7)) & 1) === 1;
    case 'int':
      needed(field.width);
      return integers(data, field);
    case 'float':
      needed(field.width);
      if (field.width === 64) return (row) => data.readDoubleLE(8 * row);
      if (field.width === 32) return (row) => data.readFloatLE(4 * row);
      return (row) => halfFloat(data.readUInt16LE(2 * row));
    case 'decimal': {
      if (![32, 64, 128, 256].includes(field.width))
        throw new ArrowError(`decimals have ${field.width} bits`);
      needed(field.width);
      const [bytes, unit] = [field.width / 8, 10 ** field.digits];
      return (row) => {
        const value = decimalAt(data, row * bytes, bytes);
        return field.digits === 0 ? value : Number(value) / unit;
      };
    }
    case 'date':
    case 'timestamp': {
      const width = field.kind === 'date' && field.perSecond < 1 ? 32 : 64;
      needed(width);
      const units = integers(data, { width, isSigned: true });
      return (row) => ({ seconds: Number(units(row)) / field.perSecond });
    }
    case 'text':
    case 'long text': {
      const width = field.kind === 'text' ? 32 : 64;
      const ends = integers(data, { width, isSigned: true });
      const texts = batch.buffer(first + 2);
      if (batch.length > 0 && data.length * 8 < width * (batch.length + 1))
        throw new ArrowError('a column is shorter than its batch');
      return (row) => textIn(texts, Number(ends(row)), Number(ends(row + 1)));
    }
    case 'text view': {
      needed(128);
      const count = batch.viewBuffers[views] ?? 0;
      return viewedTexts(
        data,
        Array.from({ length: count }, (_, k) => batch.buffer(first + 2 + k)),
      );
    }
    default:
      throw new ArrowError(`the column ${field.name} is of a type that no rating has`);
  }
}

/** Texts of at most 12 bytes stand in the view itself, longer ones in one of the parts. */
function viewedTexts(views: Buffer, parts: readonly Buffer[]): Column {
  return (row) => {
    const [at, length] = [16 * row, views.readInt32LE(16 * row)];
    if (length <= 12) return textIn(views, at + 4, at + 4 + length);
    const [part, start] = [parts[views.readInt32LE(at + 8)], views.readInt32LE(at + 12)];
    return textIn(part ?? Buffer.alloc(0), start, start + length);
  };
}

function textIn(bytes: Buffer, start: number, end: number): string | undefined {
  if (start < 0 || end < start || end > bytes.length)
    throw new ArrowError('a text lies outside of its buffer');
  return exactText.stringFromBytes(bytes.subarray(start, end));
}

function integers(
  data: Buffer,
  { width, isSigned }: { readonly width: number; readonly isSigned: boolean },
): (row: number) => number | bigint {
  switch (width) {
    case 8:
      return isSigned ? (row) => data.readInt8(row) : (row) => data.readUInt8(row);
    case 16:
      return isSigned ? (row) => data.readInt16LE(2 * row) : (row) => data.readUInt16LE(2 * row);
    case 32:
      return isSigned ? (row) => data.readInt32LE(4 * row) : (row) => data.readUInt32LE(4 * row);
    case 64:
      return isSigned ? (row) => data.readBigInt64LE(8 * row) : (row) => data.readBigUInt64LE(8 * row);
    default:
      throw new ArrowError(`integers have ${width} bits`);
  }
}

/** A whole number in two's complement, the least byte first. */
function decimalAt(data: Buffer, at: number, bytes: number): bigint {
  let value = 0n;
  for (let k = bytes - 4; k >= 0; k -= 4) value = (value << 32n) | BigInt(data.readUInt32LE(at + k));
  return BigInt.asIntN(8 * bytes, value);
}

function halfFloat(bits: number): number {
  const [sign, exponent, fraction] = [bits >> 15 === 1 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return Number.NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
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
