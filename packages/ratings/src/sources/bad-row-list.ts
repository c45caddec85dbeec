import { BadDataError, type BadRow } from '../bad-data-error.js';

const shown = 5;

/** Counts refused rows and keeps the first ones for the message. */
export class BadRowList {
  readonly first: BadRow[] = [];
  count = 0;

  add(line: number, reason: string): void {
    this.count++;
    if (this.first.length < shown) this.first.push({ line, reason });
  }

  /** Fails when more rows are bad than the import may leave out. */
  check(file: string, allowed: number): void {
    const [first, ...others] = this.first;
    if (first === undefined || this.count <= allowed) return;
    const more =
      this.count === 1
        ? ''
        : ` (${this.count} bad rows; next: ${others.map(({ line, reason }) => `line ${line}: ${reason}`).join('; ')})`;
    throw new BadDataError(
      { file, line: first.line },
      `${first.reason}${more}`,
      `Correct the ${this.count === 1 ? 'row' : 'rows'}, check --columns, --header and --scale, or leave bad rows out with --skip-bad-rows ${this.count}.`,
      { badRows: this.first },
    );
  }
}
