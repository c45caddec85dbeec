import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { RatingScale } from '../rating-matrix.js';
import type { DelimitedLayout } from './delimited-layout.js';
import { encodeWithDuckDb } from './duckdb-rows.js';
import { isFullDisk, openDuckDb, sqlText } from './duckdb-session.js';
import type { EncodedRows } from './encoded-rows.js';
import { isPlainText } from './foreign-text.js';
import { readingError, type SourceFile } from './source-file.js';

/**
 * Reads clean text files fast. Undefined where DuckDB is not to be had or where the file is not clean (a quote or another
 * byte that readers take in two ways, a row it cannot parse, a rule broken, not UTF-8, packed data that is damaged): `readDelimited` then gives the same rows, or the error with its line.
 *
 * Packed files are unpacked beside the dataset first: DuckDB takes a gzip file whose end is missing for whole.
 */
export async function readDelimitedWithDuckDb(
  file: SourceFile,
  layout: DelimitedLayout,
  options: {
    readonly scale: RatingScale;
    readonly workFolder: string;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<EncodedRows | undefined> {
  const session = await openDuckDb(join(options.workFolder, 'spill'), options.signal);
  if (session === undefined) return undefined;
  try {
    const path = file.plainPath ?? (await unpack(file, join(options.workFolder, 'unpacked'), options.signal));
    if (!(await isPlainText(path, options.signal))) return undefined;
    const names = Array.from({ length: layout.fieldCount }, (_, position) => `c${position}`);
    const quote = layout.quoted ? `'"'` : `''`;
    const csv = `read_csv(${sqlText(path)}, delim = ${sqlText(layout.separator)}, header = ${layout.header},
      quote = ${quote}, escape = ${quote}, auto_detect = false, strict_mode = true, compression = 'none',
      columns = {${names.map((name) => `'${name}': 'VARCHAR'`).join(', ')}})`;
    const number = (position: number) =>
      `CASE WHEN contains(c${position}, '_') THEN NULL ELSE TRY_CAST(c${position} AS DOUBLE) END`;
    const { user, item, rating, time } = layout;
    const select = `(SELECT c${user} AS u, c${item} AS i${rating === undefined ? '' : `, ${number(rating)} AS r`}${
      time === undefined ? '' : `, ${number(time)} AS t`
    } FROM ${csv})`;
    return await encodeWithDuckDb(
      session,
      select,
      { rating: rating !== undefined, time: time !== undefined },
      options.scale,
    );
  } catch (error) {
    options.signal?.throwIfAborted();
    if (isFullDisk(error)) throw error;
    return undefined;
  } finally {
    session.close();
  }
}

async function unpack(file: SourceFile, target: string, signal: AbortSignal | undefined): Promise<string> {
  try {
    await pipeline(file.stream(), createWriteStream(target), signal === undefined ? {} : { signal });
  } catch (error) {
    throw readingError(file, undefined, error);
  }
  return target;
}
