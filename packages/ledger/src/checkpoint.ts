import type { AccountState, LedgerState } from './account-state.js';
import type { ChainHead } from './entry.js';
import { isKeyedHash, keyedHash, type LedgerKey } from './ledger-key.js';

/**
 * The state of all accounts after an entry, so that a decision need not read the entries before it. A cache:
 * what does not bear the ledger's seal is ignored, and the state is computed from the entries again.
 */
export interface Checkpoint extends ChainHead {
  readonly state: string;
  readonly seal: string;
}

/** A checkpoint is written every so many entries. */
export const checkpointEvery = 256;
/** At least so many of the newest entries are read and checked at every decision; a shorter ledger wholly. */
export const alwaysChecked = 512;
/** How many checkpoints to keep: the newest that has `alwaysChecked` entries after it must be among them. */
export const checkpointsKept = alwaysChecked / checkpointEvery + 2;

export function sealedCheckpoint(key: LedgerKey, head: ChainHead, { accounts, at }: LedgerState): Checkpoint {
  const { number, hash } = head;
  const state = JSON.stringify({ at, accounts: [...accounts] });
  return { number, hash, state, seal: keyedHash(key, 'checkpoint', sealedText(head, state)) };
}

/** The state of a checkpoint, or undefined where it is not one that this ledger wrote. */
export function checkpointState(key: LedgerKey, checkpoint: Checkpoint): LedgerState | undefined {
  if (!isKeyedHash(key, 'checkpoint', sealedText(checkpoint, checkpoint.state), checkpoint.seal))
    return undefined;
  const { at, accounts } = JSON.parse(checkpoint.state) as {
    at: string;
    accounts: [string, AccountState][];
  };
  return { at, accounts: new Map(accounts) };
}

function sealedText({ number, hash }: ChainHead, state: string): string {
  return `${number} ${hash}\n${state}`;
}
