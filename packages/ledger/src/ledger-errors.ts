import { roundUpEpsilon } from '@hushrec/privacy';

/** The spend would take the data set over what was granted. Nothing was written. */
export class BudgetExceededError extends Error {
  override readonly name = 'BudgetExceededError';
  readonly kind = 'privacy';
  readonly dataset: string;
  readonly granted: number;
  /** ε of everything spent so far together with what was asked for, at the granted δ. */
  readonly wouldBe: number;
  constructor(dataset: string, granted: number, wouldBe: number, delta: number) {
    super(
      `The budget of data set ${dataset.slice(0, 12)}… is ε = ${granted} at δ = ${delta < 1e-3 ? delta.toExponential() : delta}; with this run it would be ` +
        `${Number.isFinite(wouldBe) ? `ε = ${roundUpEpsilon(wouldBe)}` : 'without bound'}. Ask for less, or have a larger total granted.`,
    );
    this.dataset = dataset;
    this.granted = granted;
    this.wouldBe = wouldBe;
  }
}

/** The grant does not allow this spend at all, whatever its size. Nothing was written. */
export class SpendRefusedError extends Error {
  override readonly name = 'SpendRefusedError';
  readonly kind = 'privacy';
  readonly dataset: string;
  constructor(dataset: string, reason: string) {
    super(`Spending on data set ${dataset.slice(0, 12)}… is refused: ${reason}`);
    this.dataset = dataset;
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

/** The ledger's content is not what was written to it: a row was edited, deleted, inserted or reordered. */
export class LedgerCorruptError extends Error {
  override readonly name = 'LedgerCorruptError';
  readonly kind = 'privacy';
  /** Number of the first entry that does not follow from those before it. */
  readonly entry: number;
  constructor(entry: number, reason: string) {
    super(
      `The ledger was tampered with or damaged at entry ${entry}: ${reason} Restore it from a copy before spending.`,
    );
    this.entry = entry;
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
