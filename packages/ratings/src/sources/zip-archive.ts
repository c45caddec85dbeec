import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { BadDataError } from '../bad-data-error.js';

/** One file in an archive. */
export interface ZipEntry {
  readonly name: string;
  readonly size: number;
  /** The unpacked bytes; fails if they do not match the recorded check sum. */
  stream(): Readable;
}

interface CentralRecord {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly headerOffset: number;
}

/**
 * The files of a zip archive, read from its central directory (PKWARE APPNOTE 6.3.10 §4.3.12, with the Zip64
 * fields of §4.5.3), so that one large entry can be streamed without unpacking the others.
 */
export async function readZipDirectory(path: string, displayName: string): Promise<ZipEntry[]> {
  const file = await open(path, 'r');
  try {
    return await directoryOf(file, path, displayName);
  } catch (error) {
    // A place or a length that points out of the file, wherever it was read.
    throw error instanceof RangeError ? damaged(displayName) : error;
  } finally {
    await file.close();
  }
}

async function directoryOf(file: FileHandle, path: string, displayName: string): Promise<ZipEntry[]> {
  const { size } = await file.stat();
  const { offset, length, count } = await findDirectory(file, size, displayName);
  if (offset + length > size) throw damaged(displayName);
  const directory = await readAt(file, offset, length);
  const entries: ZipEntry[] = [];
  let at = 0;
  for (let k = 0; k < count; k++) {
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== 0x02014b50) throw damaged(displayName);
    const record = centralRecord(directory, at);
    at +=
      46 +
      directory.readUInt16LE(at + 28) +
      directory.readUInt16LE(at + 30) +
      directory.readUInt16LE(at + 32);
    if (record.name.endsWith('/')) continue;
    const header = await readAt(file, record.headerOffset, 30);
    if (header.length < 30 || header.readUInt32LE(0) !== 0x04034b50) throw damaged(displayName);
    const start = record.headerOffset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
    if (start + record.packed > size) throw damaged(displayName);
    entries.push({
      name: record.name,
      size: record.size,
      stream: () => entryStream(path, displayName, record, start),
    });
  }
  return entries;
}

function centralRecord(directory: Buffer, at: number): CentralRecord {
  const nameLength = directory.readUInt16LE(at + 28);
  const extraStart = at + 46 + nameLength;
  const extraEnd = extraStart + directory.readUInt16LE(at + 30);
  let packed = directory.readUInt32LE(at + 20);
  let size = directory.readUInt32LE(at + 24);
  let headerOffset = directory.readUInt32LE(at + 42);
  for (let e = extraStart; e + 4 <= extraEnd; e += 4 + directory.readUInt16LE(e + 2)) {
    if (directory.readUInt16LE(e) !== 1) continue;
    let field = e + 4;
    const next = () => {
      field += 8;
      return Number(directory.readBigUInt64LE(field - 8));
    };
    if (size === 0xffffffff) size = next();
    if (packed === 0xffffffff) packed = next();
    if (headerOffset === 0xffffffff) headerOffset = next();
  }
  return {
    name: directory.toString('utf8', at + 46, at + 46 + nameLength),
    method: directory.readUInt16LE(at + 10),
    crc: directory.readUInt32LE(at + 16),
    packed,
    size,
    headerOffset,
  };
}

async function findDirectory(file: FileHandle, size: number, displayName: string) {
  const tailStart = Math.max(0, size - 65_557);
  const tail = await readAt(file, tailStart, size - tailStart);
  let end = tail.length - 22;
  while (end >= 0 && tail.readUInt32LE(end) !== 0x06054b50) end--;
  if (end < 0) throw damaged(displayName);
  let count = tail.readUInt16LE(end + 10);
  let length = tail.readUInt32LE(end + 12);
  let offset = tail.readUInt32LE(end + 16);
  if (end >= 20 && tail.readUInt32LE(end - 20) === 0x07064b50) {
    const zip64 = await readAt(file, Number(tail.readBigUInt64LE(end - 12)), 56);
    if (zip64.length < 56 || zip64.readUInt32LE(0) !== 0x06064b50) throw damaged(displayName);
    count = Number(zip64.readBigUInt64LE(32));
    length = Number(zip64.readBigUInt64LE(40));
    offset = Number(zip64.readBigUInt64LE(48));
  }
  return { offset, length, count };
}

function entryStream(path: string, displayName: string, record: CentralRecord, start: number): Readable {
  if (record.packed === 0) return Readable.from([]);
  if (record.method !== 0 && record.method !== 8)
    throw new BadDataError(
      { file: `${displayName}/${record.name}` },
      `it is packed with zip method ${record.method}, which is not supported`,
      'Pack it again with the usual "deflate" method.',
    );
  const packed = createReadStream(path, { start, end: start + record.packed - 1, highWaterMark: 1 << 18 });
  const check = checksum(record, displayName);
  if (record.method === 0) return packed.on('error', (error) => check.destroy(error)).pipe(check);
  const inflate = createInflateRaw();
  packed.on('error', (error) => check.destroy(error));
  inflate.on('error', (error) => check.destroy(error));
  return packed.pipe(inflate).pipe(check);
}

function checksum(record: CentralRecord, displayName: string): Transform {
  let crc = 0;
  let length = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      crc = crc32(chunk, crc);
      length += chunk.length;
      done(null, chunk);
    },
    flush(done) {
      done(crc === record.crc && length === record.size ? null : damaged(`${displayName}/${record.name}`));
    },
  });
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function damaged(file: string): BadDataError {
  return new BadDataError({ file }, 'the zip archive is damaged or cut short', 'Fetch or pack it again.');
}
