import { BadDataError } from '../bad-data-error.js';
import type { SourceFile } from './source-file.js';

/**
 * Refuses bytes of a text that no text in UTF-8 or Latin-1 has: those of UTF-16, and NUL. `line` is that of
 * the first byte.
 */
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
