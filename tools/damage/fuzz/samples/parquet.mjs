import { gzipSync } from 'node:zlib';
import { compressors } from 'hyparquet-compressors';
import { parquetWriteBuffer } from 'hyparquet-writer';

/** The same table as several writers would give it: packed or not, ids as text or as numbers. */
export async function parquetSamples(rows) {
  const column = (k, map = (each) => each) => rows.map((row) => map(row[k]));
  const number = (text) => Number(text.replace(/\D/g, ''));
  const tables = [
    [
      { name: 'user', data: column(0), type: 'STRING' },
      { name: 'item', data: column(1), type: 'STRING' },
      { name: 'rating', data: column(2), type: 'DOUBLE' },
      { name: 'time', data: column(3, BigInt), type: 'INT64' },
    ],
    [
      { name: 'user_id', data: column(0, number), type: 'INT32' },
      { name: 'item_id', data: column(1, number), type: 'INT32' },
      { name: 'rating', data: column(2), type: 'FLOAT' },
    ],
  ];
  const packings = [
    { codec: 'UNCOMPRESSED' },
    { codec: 'SNAPPY' },
    { codec: 'GZIP', compressors: { ...compressors, GZIP: (bytes) => gzipSync(bytes) } },
  ];
  return tables.flatMap((columnData) =>
    packings.map((packing) => Buffer.from(parquetWriteBuffer({ columnData, rowGroupSize: 50, ...packing }))),
  );
}
