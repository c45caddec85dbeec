import { decompress } from 'fzstd';

/** Arrow's types by their numbers in `Schema.fbs`, as far as a rating may be one. */
const typeNames: Readonly<Record<number, ArrowKind>> = {
  ...{ 2: 'int', 3: 'float', 5: 'text', 6: 'bool', 7: 'decimal', 8: 'date', 10: 'timestamp' },
  ...{ 20: 'long text', 24: 'text view' },
};
export type ArrowKind =
  | 'int'
  | 'float'
  | 'text'
  | 'long text'
  | 'text view'
  | 'bool'
  | 'decimal'
  | 'date'
  | 'timestamp'
  | 'other';

export interface ArrowField {
  readonly name: string;
  readonly kind: ArrowKind;
  /** Number of the type in Arrow's own list. */
  readonly type: number;
  /** Bits of an integer, a float or a decimal. */
  readonly width: number;
  /** Digits of a decimal after the point. */
  readonly digits: number;
  readonly isSigned: boolean;
  /** Units a second of a time; a day is 1/86400. */
  readonly perSecond: number;
  /** Number of the dictionary that the values are in, and the integers that point into it. */
  readonly dictionary?: { readonly id: bigint; readonly width: number; readonly isSigned: boolean };
  readonly children: readonly ArrowField[];
}

export interface ArrowBatch {
  readonly length: number;
  readonly nodes: number;
  /** Unpacked. */
  buffer(index: number): Buffer;
  /** For each column of views, in order: how many buffers of text it has. */
  readonly viewBuffers: readonly number[];
}

export type ArrowMessage =
  | { readonly kind: 'schema'; readonly fields: readonly ArrowField[] }
  | { readonly kind: 'rows'; readonly batch: ArrowBatch }
  | {
      readonly kind: 'dictionary';
      readonly id: bigint;
      readonly batch: ArrowBatch;
      readonly isMore: boolean;
    };

/** A message of the format cannot be what a writer wrote. */
export class ArrowError extends Error {
  override readonly name = 'ArrowError';
}

/**
 * A message of Arrow's IPC format (`Message.fbs`): its description is a flatbuffer, its numbers lie in the
 * body. Lengths that it claims are compared with the bytes that there are.
 */
export function parseMessage(description: Buffer, body: Buffer): ArrowMessage | undefined {
  const message = rootOf(description);
  const header = message.table(2);
  switch (message.byte(1)) {
    case 1:
      if (header.short(0) !== 0) throw new ArrowError('its numbers are big-endian');
      return { kind: 'schema', fields: header.tables(1).map(fieldOf) };
    case 2:
      return {
        kind: 'dictionary',
        id: header.long(0),
        batch: batchOf(header.table(1), body),
        isMore: header.byte(2) !== 0,
      };
    case 3:
      return { kind: 'rows', batch: batchOf(header, body) };
    default:
      return undefined;
  }
}

/** Columns and places of all messages, as the footer of a file has them (`File.fbs`). */
export function parseFooter(footer: Buffer): { fields: readonly ArrowField[]; starts: readonly number[] } {
  const root = rootOf(footer);
  const schema = root.table(1);
  if (schema.short(0) !== 0) throw new ArrowError('its numbers are big-endian');
  // Dictionaries first: rows point into them.
  const blocks = [...root.structs(2, 24), ...root.structs(3, 24)];
  return { fields: schema.tables(1).map(fieldOf), starts: blocks.map((block) => plain(block.long())) };
}

/** How long the body of a message is. */
export function bodyLength(description: Buffer): number {
  return plain(rootOf(description).long(3));
}

function fieldOf(field: FlatTable): ArrowField {
  const type = field.byte(2);
  const details = field.table(3, true);
  const coded = field.table(4, true);
  const index = coded?.table(1, true);
  return {
    ...{ name: field.text(0), type, kind: typeNames[type] ?? 'other' },
    width:
      type === 3
        ? [16, 32, 64][details?.short(0) ?? 0]
        : type === 7
          ? details?.int(2) || 128
          : (details?.int(0) ?? 0),
    digits: type === 7 ? (details?.int(1) ?? 0) : 0,
    isSigned: type === 2 && details?.byte(1) !== 0,
    perSecond:
      type === 8
        ? (details?.short(0, 1) ?? 1) === 0
          ? 1 / 86400
          : 1000
        : [1, 1e3, 1e6, 1e9][details?.short(0) ?? 0],
    ...(coded && {
      dictionary: {
        id: coded.long(0),
        width: index?.int(0) ?? 32,
        isSigned: index === undefined || index.byte(1) !== 0,
      },
    }),
    children: field.tables(5).map(fieldOf),
  };
}

/** Buffers may be unpacked to so many times their bytes, or to 64 MiB; see parquet-limits.ts. */
const [largestRatio, alwaysAllowed] = [1024, 1 << 26];

function batchOf(batch: FlatTable, body: Buffer): ArrowBatch {
  const codec = batch.table(3, true)?.byte(0);
  const places = batch.structs(2, 16);
  return {
    length: plain(batch.long(0)),
    nodes: batch.structs(1, 16).length,
    viewBuffers: batch.structs(4, 8).map((at) => plain(at.long())),
    buffer(index) {
      const place = places[index];
      if (place === undefined) throw new ArrowError('a buffer is missing');
      const [offset, length] = [plain(place.long()), plain(place.long(8))];
      if (offset + length > body.length) throw new ArrowError('a buffer lies outside of its message');
      const bytes = body.subarray(offset, offset + length);
      return codec === undefined || length === 0 ? bytes : unpacked(bytes, codec);
    },
  };
}

function unpacked(bytes: Buffer, codec: number): Buffer {
  const claimed = bytes.readBigInt64LE(0);
  const packed = bytes.subarray(8);
  if (claimed === -1n) return packed;
  const size = plain(claimed);
  if (size > alwaysAllowed && size > largestRatio * packed.length)
    throw new ArrowError('a buffer claims more than its bytes can hold');
  if (codec === 0) return unpackLz4(packed, size);
  const made = decompress(packed, new Uint8Array(size));
  if (made.length !== size) throw new ArrowError('a buffer is shorter than it says');
  return Buffer.from(made.buffer, made.byteOffset, made.length);
}

/** An LZ4 frame: blocks that may point back into what was unpacked before. */
function unpackLz4(frame: Buffer, size: number): Buffer {
  const out = Buffer.alloc(size);
  if (frame.readUInt32LE(0) !== 0x184d2204) throw new ArrowError('a buffer is no LZ4 frame');
  const flags = frame[4];
  let at = 7 + (flags & 8 ? 8 : 0) + (flags & 1 ? 4 : 0);
  let end = 0;
  for (;;) {
    const word = frame.readUInt32LE(at);
    if (word === 0) break;
    const length = word & 0x7fffffff;
    const block = frame.subarray(at + 4, at + 4 + length);
    if (block.length < length) throw new ArrowError('an LZ4 block is cut short');
    if (word >>> 31 === 1) end += copied(block, out, end);
    else end = unpackBlock(block, out, end);
    at += 4 + length + (flags & 16 ? 4 : 0);
  }
  if (end !== size) throw new ArrowError('a buffer is shorter than it says');
  return out;
}

function copied(from: Buffer, to: Buffer, at: number): number {
  if (at + from.length > to.length) throw new ArrowError('a buffer is longer than it says');
  return from.copy(to, at);
}

function unpackBlock(block: Buffer, out: Buffer, start: number): number {
  let [at, end] = [0, start];
  const lengthFrom = (first: number) => {
    let length = first;
    if (first === 15)
      for (let more = 255; more === 255; length += more) {
        if (at >= block.length) throw new ArrowError('an LZ4 block is cut short');
        more = block[at++];
      }
    return length;
  };
  while (at < block.length) {
    const token = block[at++];
    const literals = lengthFrom(token >> 4);
    if (at + literals > block.length) throw new ArrowError('an LZ4 block is cut short');
    end += copied(block.subarray(at, at + literals), out, end);
    at += literals;
    if (at >= block.length) break;
    const distance = block.readUInt16LE(at);
    at += 2;
    const length = lengthFrom(token & 15) + 4;
    if (distance === 0 || distance > end || end + length > out.length)
      throw new ArrowError('an LZ4 block points outside of its data');
    for (let k = 0; k < length; k++, end++) out[end] = out[end - distance];
  }
  return end;
}

/** A length or a place: not below 0, and a number that is exact. */
function plain(value: bigint): number {
  if (value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER)) throw new ArrowError('a length is out of range');
  return Number(value);
}

/** A table of a flatbuffer. Reading beyond its end throws a RangeError. */
class FlatTable {
  readonly #bytes: Buffer;
  readonly #at: number;
  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** Place of a field; 0 where it is absent. */
  #place(field: number): number {
    const fields = this.#at - this.#bytes.readInt32LE(this.#at);
    const slot = 4 + 2 * field;
    const offset = slot < this.#bytes.readUInt16LE(fields) ? this.#bytes.readUInt16LE(fields + slot) : 0;
    return offset === 0 ? 0 : this.#at + offset;
  }

  byte(field: number): number {
    const place = this.#place(field);
    return place === 0 ? 0 : this.#bytes.readUInt8(place);
  }

  short(field: number, otherwise = 0): number {
    const place = this.#place(field);
    return place === 0 ? otherwise : this.#bytes.readInt16LE(place);
  }

  int(field: number): number {
    const place = this.#place(field);
    return place === 0 ? 0 : this.#bytes.readInt32LE(place);
  }

  long(field: number): bigint {
    const place = this.#place(field);
    return place === 0 ? 0n : this.#bytes.readBigInt64LE(place);
  }

  text(field: number): string {
    const place = this.#place(field);
    if (place === 0) return '';
    const at = place + this.#bytes.readUInt32LE(place);
    return this.#bytes.toString('utf8', at + 4, at + 4 + this.#bytes.readUInt32LE(at));
  }

  table(field: number): FlatTable;
  table(field: number, mayLack: true): FlatTable | undefined;
  table(field: number, mayLack = false): FlatTable | undefined {
    const place = this.#place(field);
    if (place !== 0) return new FlatTable(this.#bytes, place + this.#bytes.readUInt32LE(place));
    if (mayLack) return undefined;
    throw new ArrowError('a part of its description is missing');
  }

  tables(field: number): FlatTable[] {
    return this.structs(field, 4).map(
      ({ at }) => new FlatTable(this.#bytes, at + this.#bytes.readUInt32LE(at)),
    );
  }

  /** Elements of a vector, each of so many bytes. */
  structs(field: number, size: number): { readonly at: number; long(offset?: number): bigint }[] {
    const place = this.#place(field);
    if (place === 0) return [];
    const start = place + this.#bytes.readUInt32LE(place);
    const count = this.#bytes.readUInt32LE(start);
    if (count * size > this.#bytes.length) throw new ArrowError('a list is longer than its message');
    return Array.from({ length: count }, (_, k) => {
      const at = start + 4 + k * size;
      return { at, long: (offset = 0) => this.#bytes.readBigInt64LE(at + offset) };
    });
  }
}

function rootOf(bytes: Buffer): FlatTable {
  return new FlatTable(bytes, bytes.readUInt32LE(0));
}
