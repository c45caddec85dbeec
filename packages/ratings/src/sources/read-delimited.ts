import { BadDataError } from '../bad-data-error.js';
import type { RatingScale } from '../rating-matrix.js';
import type { DelimitedLayout } from './delimited-layout.js';
import type { EncodedRows } from './encoded-rows.js';
import { readLinesInEitherEncoding } from './line-reader.js';
import { RowCollector } from './row-collector.js';
import type { SourceFile } from './source-file.js';
import { splitFields } from './split-fields.js';

/** The rules that rows must keep. */
export interface ReadOptions {
  readonly scale: RatingScale;
  readonly skipBadRows: number;
  readonly catalogue?: ReadonlySet<string> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Reads ratings from lines of text with nothing but TypeScript; knows the line of every bad row. */
export async function readDelimited(
  file: SourceFile,
  layout: DelimitedLayout,
  options: ReadOptions,
): Promise<EncodedRows> {
  const { sink } = await readLinesInEitherEncoding(
    file,
    () => new DelimitedSink(layout, options),
    options.signal,
  );
  sink.collector.bad.check(file.displayName, options.skipBadRows);
  const rows = sink.collector.finish();
  if (rows.users.length === 0)
    throw new BadDataError(
      { file: file.displayName },
      'it has no ratings',
      'Give a file with one rating per line.',
    );
  return rows;
}

class DelimitedSink {
  readonly collector: RowCollector;
  readonly #layout: DelimitedLayout;
  #awaitsHeader: boolean;

  constructor(layout: DelimitedLayout, { scale, catalogue }: ReadOptions) {
    this.#layout = layout;
    this.#awaitsHeader = layout.header;
    this.collector = new RowCollector(scale, layout.time !== undefined, catalogue);
  }

  onLine(text: string, line: number): void {
    if (this.#awaitsHeader) {
      this.#awaitsHeader = false;
      return;
    }
    const { separator, quoted, fieldCount, user, item, rating, time } = this.#layout;
    const fields = splitFields(text, separator, quoted);
    if (fields === undefined) this.collector.bad.add(line, 'a quote is not closed or is followed by text');
    else if (fields.length !== fieldCount)
      this.collector.bad.add(
        line,
        `there are ${fields.length} fields where the first line has ${fieldCount}`,
      );
    else
      this.collector.addText(
        line,
        fields[user]!,
        fields[item]!,
        rating === undefined ? undefined : fields[rating]!,
        time === undefined ? undefined : fields[time]!,
      );
  }
}
