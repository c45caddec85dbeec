import { constants, gunzipSync, gzipSync } from 'node:zlib';
import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
} from 'hyparquet';
import {
  ByteWriter,
  type ColumnSource,
  ParquetWriter,
  parquetWrite,
  schemaFromColumnData,
} from 'hyparquet-writer';
import { exactText } from '../sources/exact-text.js';
import type { TableColumn } from './table-column.js';

/**
 * Where a column's values go when read: an array of the right length, or a function that takes them in row
 * order.
 */
export type ColumnTarget =
  | Uint32Array
  | Float32Array
  | Float64Array
  | string[]
  | ((values: ArrayLike<unknown>) => void);

/** Small enough that unpacking one column of one group is a few megabytes. */
const rowsPerGroup = 250_000;
/**
 * How numbers are packed. The bytes of floats are laid out apart, all first ones, all second ones, …, so that
 * runs of equal bytes arise, which is all that this strategy looks for: on rating tables faster than looking
 * for longer repetitions, and no larger.
 */
const gzipRuns = { level: 1, strategy: constants.Z_RLE };
/** Level 1: three times faster than the default level and within 15 % of its size on rating tables. */
const gzipText = { level: 1 };

/** A table as the bytes of a Parquet file, where they fit into one array: fewer than 2³² with Node 20. */
export function encodeTable(columns: readonly TableColumn[]): Uint8Array {
  const parts = encodeInParts(columns);
  return parts.length === 1 ? parts[0] : Buffer.concat(parts);
}

/** Bytes of a file that are held in one array. */
const bytesPerPart = 2 ** 28;

/** Puts full arrays aside instead of making one that grows: growing ends before 2³² bytes. */
class PartsWriter extends ByteWriter {
  readonly parts: Uint8Array[] = [];
  readonly #most: number;
  constructor(most: number) {
    super();
    this.#most = most;
  }

  override ensure(size: number): void {
    if (this.index > 0 && this.index + size > this.#most) this.finish();
    super.ensure(size);
  }

  /** Puts aside what was written since the last time. */
  override finish(): void {
    this.parts.push(new Uint8Array(this.buffer.slice(0, this.index)));
    this.index = 0;
  }
}

/**
 * A table as the bytes of a Parquet file of any length, in parts of at most `most` bytes, or of one page
 * where that is longer. Indices must be below 2³¹.
 */
export function encodeInParts(columns: readonly TableColumn[], most = bytesPerPart): Uint8Array[] {
  const writer = new PartsWriter(most);
  parquetWrite({
    writer,
    columnData: columns.map(columnSource),
    codec: 'GZIP',
    compressors: {
      GZIP: (bytes) => gzipSync(bytes, columns.every(isNumeric) ? gzipRuns : gzipText),
    },
    statistics: false,
    rowGroupSize: rowsPerGroup,
  });
  return writer.parts;
}

/** A table that is not in memory as a whole: bytes of a Parquet file, one group of rows after another. */
export class TableInGroups {
  readonly #bytes = new ByteWriter();
  readonly #writer: ParquetWriter;

  /** @param columns names and types; their rows come with `group` */
  constructor(columns: readonly TableColumn[]) {
    this.#writer = new ParquetWriter({
      writer: this.#bytes,
      schema: schemaFromColumnData({ columnData: columns.map(columnSource) }),
      codec: 'GZIP',
      compressors: { GZIP: (bytes) => gzipSync(bytes, gzipText) },
      statistics: false,
    });
  }

  group(columns: readonly TableColumn[]): Uint8Array {
    const rows = columns[0]?.data.length ?? 0;
    // The types stand in the schema.
    const columnData = columns.map(columnSource).map(({ type: _, nullable: __, ...data }) => data);
    if (rows > 0) void this.#writer.write({ columnData, rowGroupSize: rows });
    return this.#taken();
  }

  end(): Uint8Array {
    void this.#writer.finish();
    return this.#taken();
  }

  #taken(): Uint8Array {
    const bytes = this.#bytes.getBytes().slice();
    this.#bytes.index = 0;
    return bytes;
  }
}

function isNumeric({ type }: TableColumn): boolean {
  return type !== 'text';
}

/**
 * Indices as differences of neighbours in as few bits as they need: smaller than packed ones, and ready at
 * once.
 */
function columnSource({ name, type, data }: TableColumn): ColumnSource {
  switch (type) {
    case 'index':
      return {
        name,
        data: new Int32Array(data.buffer, data.byteOffset, data.length),
        type: 'INT32',
        nullable: false,
        encoding: 'DELTA_BINARY_PACKED',
        codec: 'UNCOMPRESSED',
      };
    case 'float32':
      return { name, data, type: 'FLOAT', nullable: false, encoding: 'BYTE_STREAM_SPLIT' };
    case 'float64':
      return { name, data, type: 'DOUBLE', nullable: false, encoding: 'BYTE_STREAM_SPLIT' };
    case 'text':
      return { name, data: data as string[], type: 'STRING', nullable: false };
  }
}

/**
 * Copies columns of a Parquet file into their targets, one column of one row group at a time, so that no more
 * than that is in memory besides the targets. Gives the number of rows.
 */
export async function decodeTable(
  file: AsyncBuffer,
  targets: Readonly<Record<string, ColumnTarget>>,
): Promise<number> {
  const metadata = await parquetMetadataAsync(file);
  let start = 0;
  for (const group of metadata.row_groups) {
    const end = start + Number(group.num_rows);
    await decodeRows({ file, metadata, start, end }, targets, 0);
    start = end;
  }
  return start;
}

/** A group of rows: numbers by the names of their columns. */
export type RowGroup<Name extends string> = Readonly<Record<Name, Float64Array>>;

/** Columns of numbers of a Parquet file, one group of rows after another, and no more in memory. */
export async function* decodeGroups<Name extends string>(
  file: AsyncBuffer,
  columns: readonly Name[],
): AsyncGenerator<RowGroup<Name>> {
  const metadata = await parquetMetadataAsync(file);
  let start = 0;
  for (const group of metadata.row_groups) {
    const rows = Number(group.num_rows);
    const targets = Object.fromEntries(columns.map((name) => [name, new Float64Array(rows)]));
    await decodeRows({ file, metadata, start, end: start + rows }, targets, start);
    yield targets as RowGroup<Name>;
    start += rows;
  }
}

interface RowRange {
  readonly file: AsyncBuffer;
  readonly metadata: FileMetaData;
  readonly start: number;
  readonly end: number;
}

/** Copies rows [start, end) of columns into targets that begin with row `first`. */
async function decodeRows(
  { file, metadata, start, end }: RowRange,
  targets: Readonly<Record<string, ColumnTarget>>,
  first: number,
): Promise<void> {
  for (const [column, target] of Object.entries(targets)) {
    await parquetRead({
      file,
      metadata,
      columns: [column],
      rowStart: start,
      rowEnd: end,
      compressors: { GZIP: (packed) => gunzipSync(packed) },
      parsers: exactText,
      onPage: ({ columnData, rowStart }) => copyPage(columnData, rowStart - first, target),
    });
  }
}

function copyPage(values: ArrayLike<unknown>, start: number, target: ColumnTarget): void {
  if (typeof target === 'function') target(values);
  else if (Array.isArray(target))
    for (let k = 0; k < values.length; k++) target[start + k] = String(values[k]);
  else target.set(values as ArrayLike<number>, start);
}

/** Columns and number of rows of a Parquet file, from its footer. */
export async function describeTable(file: AsyncBuffer): Promise<{
  readonly columns: readonly string[];
  readonly rows: number;
}> {
  const metadata = await parquetMetadataAsync(file);
  return {
    columns: parquetSchema(metadata).children.map((child) => child.element.name),
    rows: Number(metadata.num_rows),
  };
}
