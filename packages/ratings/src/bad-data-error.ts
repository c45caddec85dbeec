import { withoutPassword } from './without-password.js';

/** One row that was refused. The reason names the field and the rule, never the value. */
export interface BadRow {
  /** Line of a text file, or row of a table; the first is 1. */
  readonly line: number;
  readonly reason: string;
}

/** Data that cannot be used as it is: says where, why, and what to do. Holds no rating and no user id. */
export class BadDataError extends Error {
  override readonly name = 'BadDataError';
  readonly kind = 'data';
  readonly file: string;
  readonly line: number | undefined;
  readonly reason: string;
  readonly advice: string;
  /** The first refused rows, when rows were the reason. */
  readonly badRows: readonly BadRow[];

  constructor(
    where: { readonly file: string; readonly line?: number | undefined },
    reason: string,
    advice: string,
    options: { readonly badRows?: readonly BadRow[]; readonly cause?: unknown } = {},
  ) {
    const file = withoutPassword(where.file);
    const place = where.line === undefined ? file : `${file}, line ${where.line}`;
    super(
      `${place}: ${reason}. ${advice}`,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.file = file;
    this.line = where.line;
    this.reason = reason;
    this.advice = advice;
    this.badRows = options.badRows ?? [];
  }
}

/** An import option that is missing, contradicts another, or cannot be read. */
export class ImportOptionError extends RangeError {
  override readonly name = 'ImportOptionError';
  readonly kind = 'usage';
  readonly option: string;
  constructor(option: string, message: string) {
    super(message);
    this.option = option;
  }
}
