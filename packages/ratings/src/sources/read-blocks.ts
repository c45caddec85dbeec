import { createReadStream, type ReadStream, statSync } from 'node:fs';

const smallestBlock = 1 << 12;

/**
 * The bytes of a file in blocks of at most `largest`, and of no more than a small file has: Node makes room
 * for two whole blocks before it looks, which for a file of a few lines is most of the work of reading it.
 */
export function readBlocks(path: string, largest: number): ReadStream {
  return createReadStream(path, {
    highWaterMark: Math.min(largest, Math.max(smallestBlock, sizeOf(path) ?? largest)),
  });
}

/** Undefined for what is no file, or cannot be looked at: whoever reads the stream is told why. */
function sizeOf(path: string): number | undefined {
  try {
    const info = statSync(path);
    return info.isFile() ? info.size : undefined;
  } catch {
    return undefined;
  }
}
