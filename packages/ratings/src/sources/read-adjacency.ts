import { BadDataError } from '../bad-data-error.js';
import { implicitScale } from '../rating-scale.js';
import type { EncodedRows } from './encoded-rows.js';
import { readLinesInEitherEncoding } from './line-reader.js';
import type { ReadOptions } from './read-delimited.js';
import { RowCollector } from './row-collector.js';
import type { SourceFile } from './source-file.js';

/**
 * Reads `user item item …`, one user a line, separated by blanks or tabs: implicit feedback without times.
 */
export async function readAdjacency(
  file: SourceFile,
  options: Omit<ReadOptions, 'scale'>,
): Promise<EncodedRows> {
  const begin = () => {
    const collector = new RowCollector(implicitScale, false, options.catalogue);
    return {
      collector,
      onLine(text: string, line: number) {
        const [user, ...items] = text.trim().split(/[ \t]+/);
        for (const item of items) collector.addText(line, user!, item, undefined, undefined);
      },
    };
  };
  const { sink } = await readLinesInEitherEncoding(file, begin, options.signal);
  sink.collector.bad.check(file.displayName, options.skipBadRows);
  const rows = sink.collector.finish();
  if (rows.users.length === 0)
    throw new BadDataError(
      { file: file.displayName },
      'it has no interactions',
      'Give a file with lines of the form: user item item …',
    );
  return rows;
}
