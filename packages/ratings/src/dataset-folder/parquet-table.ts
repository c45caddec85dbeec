import { gunzipSync, gzipSync } from 'node:zlib';
import { type AsyncBuffer, parquetMetadata, parquetRead, parquetSchema } from 'hyparquet';
import { type ColumnSource, parquetWriteBuffer } from 'hyparquet-writer';

/** A column of a dataset file. Index columns are written as signed 32-bit, which every Parquet reader knows. */
export type TableColumn =
  | { readonly name: string; readonly type: 'index'; readonly data: Uint32Array }
  | { readonly name: string; readonly type: 'float32'; readonly data: Float32Array }
  | { readonly name: string; readonly type: 'float64'; readonly data: Float64Array }
  | { readonly name: string; readonly type: 'text'; readonly data: readonly string[] };

/** Where a column's values go when read: a typed array of the right length, or a list of texts. */
export type ColumnTarget = Uint32Array | Float32Array | Float64Array | string[];

const rowsPerGroup = 1_000_000;
/** Level 1: three times faster than the default level and within 15 % of its size on rating tables. */
const gzipLevel = 1;

/** A table as the bytes of a Parquet file. Indices must be below 2³¹. */
export function encodeTable(columns: readonly TableColumn[]): Uint8Array {
  const buffer = parquetWriteBuffer({
    columnData: columns.map(columnSource),
    codec: 'GZIP',
    compressors: { GZIP: (bytes) => gzipSync(bytes, { level: gzipLevel }) },
    statistics: false,
    rowGroupSize: rowsPerGroup,
  });
  return new Uint8Array(buffer);
}

function columnSource({ name, type, data }: TableColumn): ColumnSource {
  switch (type) {
    case 'index':
      return {
        name,
        data: new Int32Array(data.buffer, data.byteOffset, data.length),
        type: 'INT32',
        nullable: false,
      };
    case 'float32':
      return { name, data, type: 'FLOAT', nullable: false };
    case 'float64':
      return { name, data, type: 'DOUBLE', nullable: false, encoding: 'PLAIN' };
    case 'text':
      return { name, data: data as string[], type: 'STRING', nullable: false };
  }
}

/**
 * Copies columns of a Parquet file into their targets, page by page, so that only one row group is unpacked at a
 * time. Gives the number of rows.
 */
export async function decodeTable(
  bytes: Uint8Array,
  targets: Readonly<Record<string, ColumnTarget>>,
): Promise<number> {
  const file: AsyncBuffer = {
    byteLength: bytes.byteLength,
    slice: (start, end) => copyOf(bytes, start, end),
  };
  let rows = 0;
  await parquetRead({
    file,
    columns: Object.keys(targets),
    compressors: { GZIP: (packed) => gunzipSync(packed) },
    onPage({ pathInSchema, columnData, rowStart, rowEnd }) {
      const target = targets[pathInSchema[0]!]!;
      if (Array.isArray(target))
        for (let k = 0; k < columnData.length; k++) target[rowStart + k] = String(columnData[k]);
      else target.set(columnData as ArrayLike<number>, rowStart);
      rows = Math.max(rows, rowEnd);
    },
  });
  return rows;
}

/** Columns and number of rows of a Parquet file, from its footer. */
export function describeTable(bytes: Uint8Array): {
  readonly columns: readonly string[];
  readonly rows: number;
} {
  const metadata = parquetMetadata(copyOf(bytes, 0));
  return {
    columns: parquetSchema(metadata).children.map((child) => child.element.name),
    rows: Number(metadata.num_rows),
  };
}

/** A Node `Buffer` shares memory when sliced; the reader wants a buffer of its own. */
function copyOf(bytes: Uint8Array, start: number, end?: number): ArrayBuffer {
  return new Uint8Array(bytes.subarray(start, end)).buffer;
}
