import type { ChainHead, LedgerEntry } from './entry.js';

/** What a store holds at one moment. Unchecked: whoever reads it checks the chain. */
export interface LedgerContent {
  readonly entries: readonly LedgerEntry[];
  readonly head: ChainHead;
}

/** Decides what to append, given everything there is. Must not have side effects: a store may call it again. */
export type Decision<Result> = (content: LedgerContent) => {
  readonly append: readonly LedgerEntry[];
  readonly result: Result;
};

/**
 * Where entries live. One contract for every store:
 * - `append` gives the decision exclusive access among all processes: no entry appears between what it read and what
 *   it appends. When it returns, the entries survive the death of the process and of the machine.
 * - If it throws, nothing was appended, unless the connection broke during the commit itself; then the entries may
 *   be there, and repeating a spend with its job key finds out without spending twice.
 * - There is no way to change or remove an entry.
 */
export interface LedgerStore {
  readonly location: string;
  read(): Promise<LedgerContent>;
  append<Result>(decide: Decision<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** How long to wait for another process before giving up, in milliseconds. */
export const defaultPatience = 30_000;
