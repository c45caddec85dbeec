import type { RatingScale } from '../rating-matrix.js';
import { collectRows } from './collect-rows.js';
import type { DelimitedLayout } from './delimited-layout.js';
import type { EncodedRows } from './encoded-rows.js';
import { EventFilter } from './event-filter.js';
import type { LineSink } from './line-reader.js';
import { RowCollector } from './row-collector.js';
import { secondsFromNumber } from './row-rules.js';
import type { SourceFile } from './source-file.js';
import { splitFields } from './split-fields.js';

/** The rules that rows must keep. */
export interface ReadOptions {
  readonly scale: RatingScale;
  readonly skipBadRows: number;
  readonly catalogue?: ReadonlySet<string> | undefined;
  /** Events of which rows are kept; the layout says where they stand. */
  readonly keep?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Reads ratings from lines of text with nothing but TypeScript; knows the line of every bad row. */
export async function readDelimited(
  file: SourceFile,
  layout: DelimitedLayout,
  options: ReadOptions,
): Promise<EncodedRows> {
  return collectRows(
    file,
    () => new DelimitedSink(layout, options),
    options,
    'Give a file with one rating per line.',
  );
}

class DelimitedSink implements LineSink {
  readonly collector: RowCollector;
  readonly #layout: DelimitedLayout;
  #awaitsHeader: boolean;
  /** The separator's bytes, the second −1 where it has one; undefined where it is longer or not ASCII. */
  readonly #separator: readonly [number, number] | undefined;
  /** Where the fields of a line begin and end. */
  readonly #begins: Uint32Array;
  readonly #ends: Uint32Array;

  constructor(layout: DelimitedLayout, { scale, catalogue, keep }: ReadOptions) {
    this.#layout = layout;
    this.#awaitsHeader = layout.header;
    const events = keep && new EventFilter(keep);
    this.collector = new RowCollector(scale, layout.time !== undefined, catalogue, events);
    const [first = 0, second = -1, ...more] = Buffer.from(layout.separator);
    this.#separator = more.length > 0 || Math.max(first, second) > 127 ? undefined : [first, second];
    this.#begins = new Uint32Array(layout.fieldCount);
    this.#ends = new Uint32Array(layout.fieldCount);
  }

  onLine(text: string, line: number): void {
    if (this.#awaitsHeader) {
      this.#awaitsHeader = false;
      return;
    }
    const { separator, quoted, fieldCount, user, item, rating, time, event } = this.#layout;
    const fields = splitFields(text, separator, quoted);
    if (fields === undefined) this.collector.bad.add(line, 'a quote is not closed or is followed by text');
    else if (fields.length !== fieldCount)
      this.collector.bad.add(
        line,
        `there are ${fields.length} fields where the first line has ${fieldCount}`,
      );
    else if (event === undefined || this.collector.events?.takes(fields[event]) !== false)
      this.collector.addText(
        line,
        fields[user],
        fields[item],
        rating === undefined ? undefined : fields[rating],
        time === undefined ? undefined : fields[time],
      );
  }

  /**
   * Lines without quotes whose ids were met before and whose numbers are plain; whatever else there is goes
   * through `onLine`.
   */
  tryBytes(block: Uint8Array, start: number): number {
    // Which event a row is of is told from its text.
    if (this.#awaitsHeader || this.#separator === undefined || this.#layout.event !== undefined) return -1;
    const end = this.#splitBytes(block, start, this.#separator);
    if (end < 0) return -1;
    const { user, item, rating, time } = this.#layout;
    const begins = this.#begins;
    const ends = this.#ends;
    const taken = this.collector.addKnown(
      block,
      begins[user],
      ends[user],
      begins[item],
      ends[item],
      rating === undefined ? 1 : plainNumber(block, begins[rating], ends[rating]),
      time === undefined ? Number.NaN : secondsFromNumber(plainNumber(block, begins[time], ends[time])),
    );
    return taken ? end + 1 : -1;
  }

  /**
   * Finds the fields of a line and gives its end, or −1 where there is a quote or another number of fields.
   */
  #splitBytes(block: Uint8Array, start: number, [first, second]: readonly [number, number]): number {
    const begins = this.#begins;
    const ends = this.#ends;
    const last = this.#layout.fieldCount - 1;
    const quote = this.#layout.quoted ? 0x22 : -1;
    let field = 0;
    let at = start;
    begins[0] = start;
    for (; at < block.length; at++) {
      const byte = block[at];
      if (byte === 10) break;
      if (byte === quote) return -1;
      if (byte !== first || (second >= 0 && block[at + 1] !== second)) continue;
      if (field === last) return -1;
      ends[field++] = at;
      if (second >= 0) at++;
      begins[field] = at + 1;
    }
    if (field !== last) return -1;
    ends[last] = at > begins[last] && block[at - 1] === 13 ? at - 1 : at;
    return at;
  }
}

const powersOfTen = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);

/**
 * A decimal number of at most 15 digits without exponent, or NaN. Digits and power of ten are then exact in
 * float64, and so their quotient is what `Number` makes of the text.
 */
function plainNumber(block: Uint8Array, from: number, to: number): number {
  const negative = block[from] === 0x2d;
  let digits = 0;
  let whole = -1;
  let value = 0;
  for (let k = negative ? from + 1 : from; k < to; k++) {
    const byte = block[k];
    if (byte >= 0x30 && byte <= 0x39) {
      value = 10 * value + byte - 0x30;
      digits++;
    } else if (byte === 0x2e && whole < 0) whole = digits;
    else return Number.NaN;
  }
  if (digits === 0 || digits > 15) return Number.NaN;
  if (whole >= 0) value /= powersOfTen[digits - whole];
  return negative ? -value : value;
}
