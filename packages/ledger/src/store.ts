import type { Checkpoint } from './checkpoint.js';
import type { ChainHead, LedgerEntry, StoredEntry } from './entry.js';
import type { JobRow } from './job-row.js';
import type { LedgerKey } from './ledger-key.js';
import type { PeopleRow } from './people-sketch.js';

/** What of the ledger to read besides its newest entries. */
export interface Lookup {
  /** Keyed name of a job (`jobName`). */
  readonly job?: string;
  /** Hash of a spend whose completion is asked for. */
  readonly completionOf?: string;
  /** Read every entry, whatever checkpoints there are. */
  readonly whole?: boolean;
}

/** What a store holds at one moment. Unchecked: whoever reads it checks seals and chain. */
export interface LedgerContent {
  readonly head: ChainHead;
  /**
   * The newest checkpoint that has `alwaysChecked` entries after it; none in a shorter ledger, or when all
   * was asked for.
   */
  readonly checkpoint: Checkpoint | undefined;
  /** The entries after the checkpoint, in order. */
  readonly entries: readonly StoredEntry[];
  /** The job that was looked up, with the entry that paid for it. */
  readonly job: { readonly row: JobRow; readonly entry: StoredEntry | undefined } | undefined;
  readonly isCompleted: boolean;
}

/** What a decision writes, all or nothing. */
export interface NewRows {
  readonly entries: readonly LedgerEntry[];
  readonly jobs: readonly JobRow[];
  readonly checkpoint: Checkpoint | undefined;
}

/**
 * Where entries live. One contract for every store:
 * - `append` writes only if the newest entry is still `head`, in one short transaction, exclusive among all
 * processes; it returns false, and writes nothing, if another process was faster.
 * - `appendDeciding` makes the decision inside that transaction: slower for everyone else, but nobody can be
 * faster.
 * - When they return, the rows survive the death of the process and of the machine. If they throw, nothing
 * was written, unless the connection broke during the commit itself; then the rows may be there, and
 * repeating a spend with its job key finds out without spending twice.
 * - There is no way to change or remove an entry.
 */
export interface LedgerStore {
  readonly location: string;
  readonly key: LedgerKey;
  read(lookup: Lookup): Promise<LedgerContent>;
  /** One entry by its number. */
  entry(number: number): Promise<StoredEntry | undefined>;
  append(head: ChainHead, rows: NewRows): Promise<boolean>;
  appendDeciding<Result>(
    lookup: Lookup,
    decide: (content: LedgerContent) => { readonly rows: NewRows; readonly result: Result },
  ): Promise<Result>;
  jobs(): Promise<readonly JobRow[]>;
  /** Sketches of the people of all accounts; see `people-sketch.ts`. */
  people(): Promise<readonly PeopleRow[]>;
  /** Replaces the sketch of one account by what `merge` makes of it. */
  updatePeople(account: string, merge: (before: PeopleRow | undefined) => PeopleRow): Promise<void>;
  close(): Promise<void>;
}

/**
 * How long to wait for a ledger on which nothing moves before giving up, in milliseconds. Longer than a
 * process that holds it may have to wait for a processor or a disk on a machine under load; a ledger that
 * moves is waited for without end.
 */
export const defaultPatience = 120_000;
