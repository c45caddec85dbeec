import { isUtf8 } from 'node:buffer';
import { BadDataError } from '../bad-data-error.js';
import { refuseForeignText } from './foreign-text.js';
import { readingError, type SourceFile } from './source-file.js';

/** Longer lines are taken for a file that is not text. */
const longestLine = 1 << 26;

/** Encodings that are told apart: what is not UTF-8 is taken for Latin-1. */
export type TextEncoding = 'utf-8' | 'latin-1';

/** The text is not UTF-8; read it again as Latin-1. */
class NotUtf8 extends Error {
  override readonly name = 'NotUtf8';
}

/** What takes the lines of a file. */
export interface LineSink {
  /** A line that is not blank, with its number (the first is 1). */
  onLine(text: string, line: number): void;
  /**
   * Where given, is asked first, with a block that a line begins in: takes the line and gives the place after
   * its LF (or after the block, where the last line has none), or gives −1 to have it as text. For lines that
   * are common and simple, of which no text need be made.
   */
  tryBytes?(block: Uint8Array, start: number): number;
}

/**
 * Gives every line that is not blank to `sink`. Takes LF and CR LF; drops a byte-order mark. Memory: one
 * block. Throws `NotUtf8` at the first block that is not UTF-8 when that was expected.
 */
async function readLines(
  file: SourceFile,
  encoding: TextEncoding,
  sink: LineSink,
  signal?: AbortSignal,
): Promise<number> {
  let rest: Buffer = Buffer.alloc(0);
  let line = 0;
  let first = true;
  const take = (block: Buffer) => {
    refuseForeignText(file, block, line + 1);
    if (encoding === 'utf-8' && !isUtf8(block)) throw new NotUtf8(file.displayName);
    let start = 0;
    while (start < block.length) {
      const taken = sink.tryBytes?.(block, start) ?? -1;
      if (taken > start) {
        line++;
        start = taken;
        continue;
      }
      let end = block.indexOf(10, start);
      if (end < 0) end = block.length;
      const stop = end > start && block[end - 1] === 13 ? end - 1 : end;
      line++;
      if (stop > start) sink.onLine(decode(block, start, stop, encoding), line);
      start = end + 1;
    }
  };
  const stream = file.stream();
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      signal?.throwIfAborted();
      let block = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
      if (first && block.length >= 3) {
        first = false;
        if (block[0] === 0xef && block[1] === 0xbb && block[2] === 0xbf) block = block.subarray(3);
      }
      const end = block.lastIndexOf(10) + 1;
      if (block.length - end > longestLine)
        throw new BadDataError(
          { file: file.displayName, line: line + 1 },
          'a line is longer than 64 MiB',
          'Check that the file is text with line ends.',
        );
      take(block.subarray(0, end));
      rest = block.subarray(end);
    }
  } catch (error) {
    throw readingError(file, line > 0 ? line : undefined, error);
  } finally {
    stream.destroy();
  }
  take(rest);
  return line;
}

function decode(block: Buffer, start: number, end: number, encoding: TextEncoding): string {
  return block.toString(encoding === 'utf-8' ? 'utf8' : 'latin1', start, end);
}

/**
 * Reads as UTF-8 and, if the text turns out not to be, again from the start as Latin-1. `begin` makes a fresh
 * sink.
 */
export async function readLinesInEitherEncoding<Sink extends LineSink>(
  file: SourceFile,
  begin: () => Sink,
  signal?: AbortSignal,
): Promise<{ readonly sink: Sink; readonly encoding: TextEncoding }> {
  for (const encoding of ['utf-8', 'latin-1'] as const) {
    const sink = begin();
    try {
      await readLines(file, encoding, sink, signal);
      return { sink, encoding };
    } catch (error) {
      if (!(error instanceof NotUtf8)) throw error;
    }
  }
  throw new Error('Latin-1 accepts every byte.');
}
