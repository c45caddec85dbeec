import { Readable } from 'node:stream';
import { Decompress } from 'fzstd';

/** The compressed data cannot be what a packer wrote; `isCut` where it only ends too early. */
export class ZstdError extends Error {
  override readonly name = 'ZstdError';
  readonly isCut: boolean;
  constructor(message: string, isCut = false) {
    super(message);
    this.isCut = isCut;
  }
}

/** Of a frame that asks for more memory than `zstd -d` gives it unasked (128 MiB), nothing is unpacked. */
const largestWindow = 1 << 27;
const largestBlock = 1 << 17;
const frameMagic = 0xfd2fb528;

/**
 * Unpacks zstd (RFC 8878) block by block, so that memory follows from the window, which is checked before
 * anything is allocated. Frames may follow each other. Checksums of the content are not compared.
 */
export function unpackedZstd(packed: Readable): Readable {
  const unpacked = Readable.from(blocksOf(packed), { objectMode: false });
  packed.on('error', (error) => unpacked.destroy(error));
  return unpacked;
}

async function* blocksOf(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const bytes = new ByteQueue(packed);
  for (let frames = 0; ; frames++) {
    const magic = await bytes.take(4, frames > 0);
    if (magic === undefined) return;
    const number = magic.readUInt32LE();
    if (number >>> 4 === 0x184d2a5) {
      // A frame that holds no data.
      let left = (await bytes.take(4)).readUInt32LE();
      for (; left > 0; left -= Math.min(left, largestBlock)) await bytes.take(Math.min(left, largestBlock));
    } else if (number === frameMagic) yield* frameOf(bytes, magic);
    else throw new ZstdError('what follows is no zstd frame');
  }
}

async function* frameOf(bytes: ByteQueue, magic: Buffer): AsyncGenerator<Buffer> {
  const header = await frameHeader(bytes);
  const unpacked: Buffer[] = [];
  // The decoder goes on using what it hands out.
  const decoder = new Decompress((part) => unpacked.push(Buffer.from(part)));
  const push = (part: Uint8Array, isLast: boolean) => {
    try {
      decoder.push(part, isLast);
    } catch (cause) {
      throw new ZstdError(cause instanceof Error ? cause.message : 'unreadable');
    }
  };
  push(Buffer.concat([magic, header.bytes]), false);
  for (let isLast = false; !isLast; ) {
    const head = await bytes.take(3);
    const [word, kind] = [head.readUIntLE(0, 3), (head[0] >> 1) & 3];
    const size = word >>> 3;
    if (kind === 3 || size > largestBlock) throw new ZstdError('a block is of no known kind');
    isLast = (word & 1) === 1;
    const body = await bytes.take(kind === 1 ? 1 : size);
    const checksum = isLast && header.hasChecksum ? await bytes.take(4) : Buffer.alloc(0);
    push(Buffer.concat([head, body, checksum]), isLast);
    yield* unpacked.splice(0);
  }
}

/** What a frame says of itself, as far as it matters here. */
async function frameHeader(bytes: ByteQueue): Promise<{ bytes: Buffer; hasChecksum: boolean }> {
  const first = await bytes.take(1);
  const header = Buffer.concat([first, await bytes.take(headerLength(first[0]) - 1)]);
  checkHeader(header);
  return { bytes: header, hasChecksum: (first[0] & 4) !== 0 };
}

/** Window, number of a dictionary and size of the content, as the first byte says. */
function headerParts(first: number): readonly [window: number, dictionary: number, size: number] {
  const isWhole = (first & 0x20) !== 0;
  return [isWhole ? 0 : 1, [0, 1, 2, 4][first & 3], [isWhole ? 1 : 0, 2, 4, 8][first >> 6]];
}

const headerLength = (first: number) => headerParts(first).reduce((sum, part) => sum + part, 1);

/** @throws ZstdError for a frame that needs what is not there: a dictionary, or too much memory */
function checkHeader(header: Buffer): void {
  const [window, dictionary] = headerParts(header[0]);
  const [number, size] = [
    header.subarray(1 + window, 1 + window + dictionary),
    header.subarray(1 + window + dictionary),
  ];
  if ((header[0] & 8) !== 0 || number.some((byte) => byte !== 0))
    throw new ZstdError('it was packed with a dictionary');
  const needed = window === 0 ? littleEndian(size) : windowOf(header[1]);
  if (needed > largestWindow)
    throw new ZstdError(`it needs ${Math.round(needed / 2 ** 20)} MiB at once to be unpacked`);
}

const windowOf = (byte: number) => 2 ** (10 + (byte >> 3)) * (1 + (byte & 7) / 8);
const littleEndian = (bytes: Buffer) => bytes.reduceRight((sum, byte) => sum * 256 + byte, 0);

/** Bytes of a stream, so many at a time. */
class ByteQueue {
  readonly #source: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<Buffer>;
  async take(count: number, mayEnd: boolean): Promise<Buffer | undefined>;
  async take(count: number, mayEnd = false): Promise<Buffer | undefined> {
    while (this.#held.length < count) {
      const { done, value } = await this.#source.next();
      if (done === true) {
        if (mayEnd && this.#held.length === 0) return undefined;
        throw new ZstdError('it ends before its data does', true);
      }
      this.#held = this.#held.length === 0 ? value : Buffer.concat([this.#held, value]);
    }
    const taken = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    return taken;
  }
}
