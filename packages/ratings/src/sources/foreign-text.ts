import { createReadStream } from 'node:fs';
import { BadDataError } from '../bad-data-error.js';
import type { SourceFile } from './source-file.js';

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Refuses bytes of a text that no text in UTF-8 or Latin-1 has: those of UTF-16, and NUL. `line` is that of the first byte. */
export function refuseForeignText(file: SourceFile, block: Buffer, line: number): void {
  const isStart = line === 1;
  if (isStart && ((block[0] === 0xff && block[1] === 0xfe) || (block[0] === 0xfe && block[1] === 0xff)))
    throw new BadDataError({ file: file.displayName }, 'it is UTF-16 text', 'Convert it to UTF-8.');
  const nul = block.indexOf(0);
  if (nul < 0) return;
  throw new BadDataError(
    { file: file.displayName, line: line + linesBefore(block, nul) },
    'there is a NUL byte: the file is UTF-16 text, or no text at all',
    'Convert it to UTF-8.',
  );
}

function linesBefore(block: Buffer, end: number): number {
  let count = 0;
  for (let at = block.indexOf(10); at >= 0 && at < end; at = block.indexOf(10, at + 1)) count++;
  return count;
}

/**
 * Whether a file has nothing that two readers of separated text could take in two ways: no quotes, no NUL, no byte-order
 * mark after the beginning, no CR without LF. Constant memory, about a second for a gigabyte.
 */
export async function isPlainText(path: string, signal?: AbortSignal): Promise<boolean> {
  let before: Buffer = Buffer.alloc(0);
  let isStart = true;
  const stream = createReadStream(path, { highWaterMark: 1 << 20, ...(signal && { signal }) });
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (chunk.includes(0x22) || chunk.includes(0)) return false;
    const seam = Buffer.concat([before, chunk.subarray(0, 2)]);
    const seams = isStart ? [chunk.subarray(1)] : [seam, chunk];
    if (seams.some((each) => each.includes(byteOrderMark))) return false;
    if (before.at(-1) === 13 && chunk[0] !== 10) return false;
    for (let at = chunk.indexOf(13); at >= 0; at = chunk.indexOf(13, at + 1))
      if (at + 1 < chunk.length && chunk[at + 1] !== 10) return false;
    before = chunk.subarray(-2);
    isStart = false;
  }
  return before.at(-1) !== 13;
}
