import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { AsyncBuffer } from 'hyparquet';
import { BadDataError } from '../bad-data-error.js';

const blockSize = 1 << 20;

/**
 * Lets `use` read a file whose size and SHA-256 were first compared with what was written. The file is read
 * in parts and never held whole; it stays open in between, so what was checked is what is read.
 */
export async function withCheckedFile<Result>(
  path: string,
  expected: { readonly sha256: string; readonly bytes: number },
  use: (file: AsyncBuffer) => Promise<Result>,
): Promise<Result> {
  let handle: FileHandle;
  try {
    handle = await open(path, 'r');
  } catch (cause) {
    throw damaged(path, 'it is missing or cannot be read', cause);
  }
  try {
    if ((await handle.stat()).size !== expected.bytes)
      throw damaged(path, 'it is shorter or longer than when it was written');
    if ((await sha256Of(handle, expected.bytes)) !== expected.sha256)
      throw damaged(path, 'it has changed since it was written');
    return await use({
      byteLength: expected.bytes,
      async slice(start, end = expected.bytes) {
        const part = new Uint8Array(end - start);
        await handle.read(part, 0, part.length, start);
        return part.buffer;
      },
    });
  } finally {
    await handle.close();
  }
}

async function sha256Of(handle: FileHandle, size: number): Promise<string> {
  const hash = createHash('sha256');
  const block = Buffer.allocUnsafe(Math.min(blockSize, size + 1));
  for (let position = 0; ; ) {
    const { bytesRead } = await handle.read(block, 0, block.length, position);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(block.subarray(0, bytesRead));
    position += bytesRead;
  }
}

/** A data set that is not as it was written. */
export function damaged(file: string, reason: string, cause?: unknown): BadDataError {
  return new BadDataError({ file }, reason, 'The data set is damaged; import the source again.', { cause });
}
