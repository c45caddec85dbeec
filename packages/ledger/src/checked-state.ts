import { emptyState, type LedgerState, stateAfter } from './account-state.js';
import { checkpointState } from './checkpoint.js';
import { type ChainHead, followingEntry, type LedgerEntry, type StoredEntry } from './entry.js';
import { LedgerCorruptError } from './ledger-errors.js';
import { chainStart, type LedgerKey } from './ledger-key.js';
import type { LedgerContent } from './store.js';

/** What was read, after checking it. */
export interface CheckedState {
  readonly head: ChainHead;
  readonly state: LedgerState;
  /** The entries that were read, in order. */
  readonly entries: readonly LedgerEntry[];
}

/**
 * Checks that the entries are exactly those that were appended, from the checkpoint (or the first) to the
 * head, and folds them. Undefined where the checkpoint is not this ledger's: then the whole chain must be
 * read.
 */
export function checkedState(
  location: string,
  key: LedgerKey,
  content: LedgerContent,
): CheckedState | undefined {
  const { checkpoint, head } = content;
  const before = checkpoint === undefined ? emptyState : checkpointState(key, checkpoint);
  if (before === undefined) return undefined;
  const start: ChainHead = checkpoint ?? { number: 0, hash: chainStart(key) };
  const entries = checkedChain(location, start, content.entries);
  const last = entries.at(-1) ?? start;
  if (last.number !== head.number || last.hash !== head.hash)
    throw new LedgerCorruptError(
      location,
      last.number + 1,
      last.number === head.number
        ? 'the entry before it, or the ledger’s key, is not the one that was written last'
        : `the ledger ends at entry ${last.number} and should end at entry ${head.number}`,
    );
  return { head, state: stateAfter(before, entries), entries };
}

/** The entries that follow `start`, checked. */
function checkedChain(location: string, start: ChainHead, stored: readonly StoredEntry[]): LedgerEntry[] {
  let before: ChainHead = start;
  return stored.map((each) => {
    const entry = followingEntry(each, before);
    if (typeof entry === 'string') throw new LedgerCorruptError(location, before.number + 1, entry);
    before = entry;
    return entry;
  });
}
