import { BadDataError, type BadRow } from '../bad-data-error.js';
import { decimalComma, localDate, percentage, voteInWords } from './row-rules.js';

const shown = 5;

/** What to do about rows that are wrong in a way that whole files are. */
const cures = [
  [decimalComma, 'Write decimals with a point, 4.5 for 4,5.'],
  [percentage, 'Leave the % sign out and declare --scale 0:100:1.'],
  [
    voteInWords,
    'Declare --scale 0:1:1, which reads votes in words (true and false, up and down) as for and against.',
  ],
  [
    localDate,
    'Write dates as 2024-12-31 (ISO 8601), or leave the column out with --columns user,item,rating.',
  ],
] as const;

/** Counts refused rows and keeps the first ones for the message. */
export class BadRowList {
  readonly first: BadRow[] = [];
  count = 0;
  #offScale = 0;

  add(line: number, reason: string): void {
    this.count++;
    if (reason.includes('not on the scale')) this.#offScale++;
    if (this.first.length < shown) this.first.push({ line, reason });
  }

  /** Fails when more rows are bad than the import may leave out, besides `good` ones. */
  check(file: string, allowed: number, good: number): void {
    const [first, ...others] = this.first;
    if (first === undefined || this.count <= allowed) return;
    const more =
      this.count === 1
        ? ''
        : ` (${this.count} bad rows; next: ${others.map(({ line, reason }) => `line ${line}: ${reason}`).join('; ')})`;
    throw new BadDataError(
      { file, line: first.line },
      `${first.reason}${more}`,
      this.#advice(first.reason, good),
      {
        badRows: this.first,
      },
    );
  }

  /**
   * Many ratings off the scale are a wrong scale (or column), and leaving them out would import what is left
   * by chance.
   */
  #advice(reason: string, good: number): string {
    const cure = cures.find(([words]) => reason.includes(words))?.[1];
    if (cure !== undefined) return cure;
    if (this.#offScale > 10 && this.#offScale > 0.9 * this.count)
      return 'So many ratings off the scale mean that the scale is another, or the column: declare it with --scale min:max:step (1:10:1 for ten stars, 0:100:1 for percent, 0:1:1 or -1:1:2 for votes, -10:10:0 for any number between), or name the columns with --columns user,item,rating[,time].';
    // Most rows: the file is read in a wrong way, and what is left would be there by chance.
    if (this.count > 10 ? this.count >= good : this.count > Math.max(1, good))
      return `${this.count > 10 ? 'So many bad rows mean' : 'More bad rows than good ones mean'} that the file is read in a wrong way: check --columns user,item,rating[,time], --separator, --header and --scale.`;
    return `Correct the ${this.count === 1 ? 'row' : 'rows'}, check --columns, --header and --scale, or leave bad rows out with --skip-bad-rows ${this.count}.`;
  }
}
