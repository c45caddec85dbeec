import { BadDataError } from '../bad-data-error.js';
import type { EncodedRows } from './encoded-rows.js';
import { type LineSink, readLinesInEitherEncoding } from './line-reader.js';
import type { RowCollector } from './row-collector.js';
import type { SourceFile } from './source-file.js';

/**
 * The rows that a sink collects from the lines of a text, at least one; `expected` says what the file should
 * hold, `none` what it lacks otherwise. `makeSink` is called again where the text turns out not to be UTF-8.
 */
export async function collectRows(
  file: SourceFile,
  makeSink: () => LineSink & { readonly collector: RowCollector },
  { skipBadRows, signal }: { readonly skipBadRows: number; readonly signal?: AbortSignal | undefined },
  expected: string,
  none = 'it has no ratings',
): Promise<EncodedRows> {
  const { sink } = await readLinesInEitherEncoding(file, makeSink, signal);
  sink.collector.bad.check(file.displayName, skipBadRows, sink.collector.count);
  const rows = sink.collector.finish();
  if (rows.users.length === 0)
    throw new BadDataError({ file: file.displayName }, sink.collector.events?.none ?? none, expected);
  return rows;
}
