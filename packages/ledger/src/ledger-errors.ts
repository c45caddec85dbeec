import { type DeltaInput, type EpsilonInput, roundUpEpsilon } from '@hushrec/privacy';

/** Why a period does not end: a clock was ahead once, and times in the ledger never go back. */
function clockWords({ newest, now }: { readonly newest: string; readonly now: string }): string {
  return (
    `The newest entry of the ledger is dated ${newest}, and the clock of this machine says ${now}: the clock of some machine was ahead, or this one is behind. ` +
    'Times in the ledger never go back, so this period lasts until the clock passes that date. Check the clocks; a larger total, or one that does not start anew (no --per), does not depend on them.'
  );
}

/** The spend would take the account over what was granted. Nothing was written. */
export class BudgetExceededError extends Error {
  override readonly name = 'BudgetExceededError';
  readonly kind = 'privacy';
  readonly account: string;
  readonly granted: number;
  /** ε of everything spent so far together with what was asked for, at the granted δ. */
  readonly wouldBe: number;
  constructor(
    account: string,
    grant: { readonly epsilon: EpsilonInput; readonly delta: DeltaInput; readonly period: string | null },
    wouldBe: number,
    clock: { readonly newest: string; readonly now: string } | null = null,
  ) {
    const { epsilon, delta, period } = grant;
    super(
      `The budget of account ${account.slice(0, 12)}… is ε = ${epsilon}${period === null ? '' : ` a ${period}`} at δ = ${delta < 1e-3 ? delta.toExponential() : delta}; with this run it would be ` +
        `${Number.isFinite(wouldBe) ? `ε = ${roundUpEpsilon(wouldBe)}` : 'unbounded'}. Ask for less, or have a larger total granted.${clock === null || period === null ? '' : ` ${clockWords(clock)}`}`,
    );
    this.account = account;
    this.granted = epsilon;
    this.wouldBe = wouldBe;
  }
}

/** The grant does not allow this spend at all, whatever its size. Nothing was written. */
export class SpendRefusedError extends Error {
  override readonly name = 'SpendRefusedError';
  readonly kind = 'privacy';
  readonly account: string;
  constructor(account: string, reason: string) {
    super(`Spending on account ${account.slice(0, 12)}… is refused: ${reason}`);
    this.account = account;
  }
}

/** The account has a grant, and the run has no finite proved cost against it. Nothing was written. */
export class UnprotectedRunError extends Error {
  override readonly name = 'UnprotectedRunError';
  readonly kind = 'privacy';
  readonly account: string;
  constructor(account: string, why: string) {
    super(
      `Account ${account.slice(0, 12)}… has a budget, and this run has no finite cost against it: ${why}. Anyone who holds its model ` +
        'may learn about the people in the data. If you mean it, give --record-unprotected: the ledger records it.',
    );
    this.account = account;
  }
}

/**
 * Most likely the people of a data set or an account are in another account too, and a budget is at stake.
 * Nothing was written.
 */
export class SharedPeopleError extends Error {
  override readonly name = 'SharedPeopleError';
  readonly kind = 'privacy';
  /** Id and, where it has one, name of the account that shares most. */
  readonly account: string;
  readonly accountName: string | null;
  constructor(message: string, shared: { readonly account: string; readonly name: string | null }) {
    super(message);
    this.account = shared.account;
    this.accountName = shared.name;
  }
}

/** Another process holds the ledger and did not let go in time. Nothing was written. */
export class LedgerLockedError extends Error {
  override readonly name = 'LedgerLockedError';
  readonly kind = 'privacy';
  readonly location: string;
  constructor(location: string, seconds: number, options?: ErrorOptions) {
    super(
      `The ledger ${location} was in use by another process for ${seconds} s. Nothing was spent; try again when it is free.`,
      options,
    );
    this.location = location;
  }
}

/**
 * The ledger's content is not what was written to it: damaged, or a row was edited, deleted, inserted or
 * reordered.
 */
export class LedgerCorruptError extends Error {
  override readonly name = 'LedgerCorruptError';
  readonly kind = 'privacy';
  readonly location: string;
  /**
   * Number of the first entry that does not follow from those before it; undefined where the damage is
   * elsewhere.
   */
  readonly entry: number | undefined;
  readonly reason: string;
  constructor(location: string, place: number | string, reason: string, options?: ErrorOptions) {
    super(
      `The ledger ${location} was tampered with or damaged at ${typeof place === 'number' ? `entry ${place}` : place}: ${reason}. ` +
        'Nothing is spent until it is restored from a copy; without one, move it away and say what happened: `hushrec ledger accept-loss`.',
      options,
    );
    this.location = location;
    this.entry = typeof place === 'number' ? place : undefined;
    this.reason = reason;
  }
}

/**
 * What a data set remembers of its ledger is not in it: the ledger vanished, was exchanged, or is an older
 * copy.
 */
export class LedgerLostError extends Error {
  override readonly name = 'LedgerLostError';
  readonly kind = 'privacy';
  readonly location: string;
  constructor(location: string, what: string) {
    super(
      `${location}: ${what}. Nothing is spent until it is restored, or someone says what happened: ` +
        '`hushrec ledger accept-loss <dataset> --note "…"`.',
    );
    this.location = location;
  }
}

/** A ledger of a format that this version does not read. Nothing in it was touched. */
export class LedgerFormatError extends Error {
  override readonly name = 'LedgerFormatError';
  readonly kind = 'data';
  readonly location: string;
  constructor(location: string, found: string) {
    super(
      `The ledger ${location} is of ${found}, which this version does not read. Keep it: what it shows as spent is spent. ` +
        'Charge that to the account in a new ledger (`hushrec ledger tune <dataset> --runs 1 --epsilon … --delta …`) before granting again.',
    );
    this.location = location;
  }
}

/** There is no ledger where one was named. A mistyped place must not start with a fresh budget. */
export class LedgerMissingError extends Error {
  override readonly name = 'LedgerMissingError';
  readonly kind = 'usage';
  readonly location: string;
  constructor(location: string, why?: string) {
    super(
      `There is no ledger at ${location}${why === undefined ? '' : ` (${why})`}. Check the place (--ledger, HUSHREC_LEDGER); --new-ledger makes an empty one there.`,
    );
    this.location = location;
  }
}

/** The ledger cannot be opened or reached. */
export class LedgerUnavailableError extends Error {
  override readonly name = 'LedgerUnavailableError';
  readonly location: string;
  constructor(location: string, reason: string, options?: ErrorOptions) {
    super(`The ledger ${location} cannot be used: ${reason}`, options);
    this.location = location;
  }
}
