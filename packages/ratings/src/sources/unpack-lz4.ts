/**
 * Unpacks an LZ4 frame. No package that is kept up does it without native code, and the format is small: runs of
 * literals, and copies of what was unpacked before, also by earlier blocks of the frame. A byte gives at most 255,
 * so that a damaged frame cannot ask for much.
 *
 * @throws Error where the frame cannot be what a packer wrote
 */
export function unpackLz4(packed: Uint8Array): Uint8Array {
  const frame = Buffer.from(packed.buffer, packed.byteOffset, packed.length);
  if (frame.length < 11 || frame.readUInt32LE(0) !== 0x184d2204) throw new Error('a buffer is no LZ4 frame');
  const flags = frame[4];
  const blocks: Buffer[] = [];
  const [perBlock, perFrame] = [flags & 16 ? 4 : 0, 7 + (flags & 8 ? 8 : 0) + (flags & 1 ? 4 : 0)];
  for (let at = perFrame; ; ) {
    if (at + 4 > frame.length) throw new Error('an LZ4 frame is cut short');
    const word = frame.readUInt32LE(at);
    if (word === 0) break;
    const [start, length] = [at + 4, word & 0x7fffffff];
    if (start + length > frame.length) throw new Error('an LZ4 block is cut short');
    blocks.push(frame.subarray(start - 4, start + length));
    at = start + length + perBlock;
  }
  const isPlain = (block: Buffer) => block[3] >> 7 === 1;
  const size = blocks.reduce(
    (sum, block) => sum + (isPlain(block) ? block.length - 4 : sizeOf(block.subarray(4))),
    0,
  );
  const out = new Uint8Array(size);
  let end = 0;
  for (const block of blocks)
    if (isPlain(block)) {
      out.set(block.subarray(4), end);
      end += block.length - 4;
    } else end = walk(block.subarray(4), end, out);
  return out;
}

const sizeOf = (block: Buffer) => walk(block, 0, undefined);

/** Goes through a block, unpacks it into `out` if given, and says where it ends there. */
function walk(block: Buffer, start: number, out: Uint8Array | undefined): number {
  let [at, end] = [0, start];
  const lengthFrom = (first: number) => {
    let length = first;
    if (first === 15)
      for (let more = 255; more === 255; length += more) {
        if (at >= block.length) throw new Error('an LZ4 block is cut short');
        more = block[at++];
      }
    return length;
  };
  while (at < block.length) {
    const token = block[at++];
    const literals = lengthFrom(token >> 4);
    if (at + literals > block.length) throw new Error('an LZ4 block is cut short');
    out?.set(block.subarray(at, at + literals), end);
    end += literals;
    at += literals;
    if (at >= block.length) break;
    if (at + 2 > block.length) throw new Error('an LZ4 block is cut short');
    const distance = block.readUInt16LE(at);
    at += 2;
    const length = lengthFrom(token & 15) + 4;
    if (out !== undefined) {
      if (distance === 0 || distance > end) throw new Error('an LZ4 block points outside of its data');
      for (let k = end; k < end + length; k++) out[k] = out[k - distance];
    }
    end += length;
  }
  return end;
}
