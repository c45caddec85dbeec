import { isUtf8 } from 'node:buffer';
import { refuseForeignText } from './foreign-text.js';
import { readingError, type SourceFile } from './source-file.js';

/**
 * The whole of a small text file (titles, features), as UTF-8 if it is that, else as Latin-1; no byte-order
 * mark.
 */
export async function readWholeText(file: SourceFile): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of file.stream() as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch (error) {
    throw readingError(file, undefined, error);
  }
  const bytes = Buffer.concat(chunks);
  refuseForeignText(file, bytes, 1);
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1').replace(/^\ufeff/, '');
}
