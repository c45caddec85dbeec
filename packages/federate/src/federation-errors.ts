/**
 * A charter that must not be followed: changed, unsigned, not what the code says, or beyond what its reader
 * allows.
 */
export class CharterError extends Error {
  override readonly name = 'CharterError';
  readonly kind = 'privacy';
  readonly reason: string;
  readonly #advice: string;
  /** @param file where the charter lies, for whoever has several */
  constructor(reason: string, advice = 'Do not take part; ask whoever sent it.', file?: string) {
    super(`The charter${file === undefined ? '' : ` ${file}`} is refused: ${reason} ${advice}`);
    this.reason = reason;
    this.#advice = advice;
  }

  /** The same about a charter in a file. */
  in(file: string): CharterError {
    return new CharterError(this.reason, this.#advice, file);
  }
}

/** A log that does not follow from its charter, or is not what its aggregators signed. */
export class LogError extends Error {
  override readonly name = 'LogError';
  readonly kind = 'data';
  readonly exchange: number;
  constructor(exchange: number, message: string) {
    super(`Log, exchange ${exchange + 1}: ${message}`);
    this.exchange = exchange;
  }
}

/** The run is over before its end. What it has cost stays charged. */
export class RunOverError extends Error {
  override readonly name = 'RunOverError';
  readonly exchange: number;
  constructor(exchange: number, reason: string) {
    super(
      `The run ended at exchange ${exchange + 1}: ${reason} It cannot be continued and stays charged; start a new one.`,
    );
    this.exchange = exchange;
  }
}

/** An aggregator's or a board's No, with the status of the HTTP interface. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly kind = 'privacy';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Somebody who is needed did not answer. Nothing was lost; the same command goes on where it stopped. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  readonly who: string;
  constructor(
    who: string,
    cause: unknown,
    what = 'did not answer',
    advice = 'Nothing is lost: start the same command again to go on.',
  ) {
    super(`${who} ${what} (${cause instanceof Error ? cause.message : String(cause)}). ${advice}`, { cause });
    this.who = who;
  }
}

/**
 * Somebody who is needed has a certificate that is not the agreed one, or is out of date. Asking again
 * changes nothing.
 */
export class CertificateRefusedError extends UnreachableError {
  constructor(who: string, cause: unknown) {
    super(
      who,
      cause,
      'has a certificate that is not accepted',
      'Nothing was sent to it. Certificates stand in the charter: where one is out of date, make new identities and a new charter; set clocks by NTP.',
    );
  }
}
