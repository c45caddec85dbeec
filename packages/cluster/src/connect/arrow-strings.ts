/** What came back is not the table of strings that was asked for. */
export class ArrowError extends Error {
  override readonly name = 'ArrowError';
}

const UTF8 = 5;
const SCHEMA = 1;
const RECORD_BATCH = 3;

/**
 * Rows of an Apache Arrow stream whose columns are all strings: all that our statements return. Reads the
 * encapsulated messages of the IPC format (schema, then record batches, neither compressed nor with
 * dictionaries) and refuses everything else.
 */
export function stringRows(stream: Uint8Array): string[][] {
  const bytes = Buffer.from(stream.buffer, stream.byteOffset, stream.byteLength);
  const rows: string[][] = [];
  let columns = 0;
  for (let at = 0; at + 8 <= bytes.length; ) {
    const size = bytes.readInt32LE(at + 4);
    if (bytes.readInt32LE(at) !== -1)
      throw new ArrowError('The server sent something that is no Arrow stream.');
    if (size === 0) break;
    const metadata = bytes.subarray(at + 8, at + 8 + size);
    const header = table(metadata, metadata.readUInt32LE(0));
    const kind = header.byte(1);
    const bodyLength = header.long(3);
    const body = bytes.subarray(at + 8 + size, at + 8 + size + bodyLength);
    if (body.length !== bodyLength) throw new ArrowError('An Arrow message of the server is cut short.');
    if (kind === SCHEMA) {
      const fields = header.table(2).tables(1);
      columns = fields.length;
      if (fields.some((field) => field.byte(2) !== UTF8))
        throw new ArrowError('The server sent a column that is no text.');
    } else if (kind === RECORD_BATCH) {
      for (const row of batchRows(header.table(2), body, columns)) rows.push(row);
    } else throw new ArrowError('The server sent an Arrow message of a kind that was not asked for.');
    at += 8 + size + bodyLength;
  }
  return rows;
}

function* batchRows(batch: Table, body: Buffer, columns: number): Generator<string[]> {
  if (batch.has(3)) throw new ArrowError('The server sent a compressed Arrow batch.');
  const count = batch.long(0);
  const buffers = batch.structs(2, 16);
  if (buffers.length !== 3 * columns)
    throw new ArrowError('The server sent another table than was asked for.');
  const texts: string[][] = [];
  for (let column = 0; column < columns; column++) {
    const [valid, offsets, data] = buffers.slice(3 * column, 3 * column + 3).map((struct) => {
      const begin = Number(struct.readBigInt64LE(0));
      return body.subarray(begin, begin + Number(struct.readBigInt64LE(8)));
    });
    const own: string[] = [];
    for (let row = 0; row < count; row++) {
      const isNull = valid.length > 0 && ((valid[row >> 3] >> (row & 7)) & 1) === 0;
      own.push(
        isNull ? '' : data.toString('utf8', offsets.readInt32LE(4 * row), offsets.readInt32LE(4 * row + 4)),
      );
    }
    texts.push(own);
  }
  for (let row = 0; row < count; row++) yield texts.map((own) => own[row]);
}

/** A table of the FlatBuffers encoding: fields by their number in the schema. */
interface Table {
  has(field: number): boolean;
  byte(field: number): number;
  long(field: number): number;
  table(field: number): Table;
  tables(field: number): Table[];
  structs(field: number, size: number): Buffer[];
}

function table(bytes: Buffer, at: number): Table {
  const shape = at - bytes.readInt32LE(at);
  const shapeSize = bytes.readUInt16LE(shape);
  const place = (field: number): number => {
    const slot = 4 + 2 * field;
    const offset = slot < shapeSize ? bytes.readUInt16LE(shape + slot) : 0;
    return offset === 0 ? 0 : at + offset;
  };
  const follow = (from: number) => from + bytes.readUInt32LE(from);
  const vector = (field: number) => {
    const from = place(field);
    if (from === 0) return { begin: 0, length: 0 };
    const begin = follow(from);
    return { begin: begin + 4, length: bytes.readUInt32LE(begin) };
  };
  return {
    has: (field) => place(field) !== 0,
    byte: (field) => (place(field) === 0 ? 0 : bytes.readUInt8(place(field))),
    long: (field) => (place(field) === 0 ? 0 : Number(bytes.readBigInt64LE(place(field)))),
    table: (field) => table(bytes, follow(place(field))),
    tables: (field) => {
      const { begin, length } = vector(field);
      return Array.from({ length }, (_, each) => table(bytes, follow(begin + 4 * each)));
    },
    structs: (field, size) => {
      const { begin, length } = vector(field);
      return Array.from({ length }, (_, each) =>
        bytes.subarray(begin + size * each, begin + size * (each + 1)),
      );
    },
  };
}
