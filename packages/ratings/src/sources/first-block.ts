import { readingError, type SourceFile } from './source-file.js';

const enough = 1 << 18;

/** The first 256 KiB of a file, unpacked, to recognise its layout by. */
export async function collectFirstBlock(file: SourceFile): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const stream = file.stream();
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= enough) break;
    }
  } catch (error) {
    throw readingError(file, undefined, error);
  } finally {
    stream.destroy();
  }
  return Buffer.concat(chunks);
}
