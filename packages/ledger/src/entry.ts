import { createHash } from 'node:crypto';
import { canonicalJson } from '@hushrec/model';
import type { PrivacyUnit, Relation } from '@hushrec/privacy';
import type { Charge } from './charge.js';
import { LedgerCorruptError } from './ledger-errors.js';

/** Whom a budget or a run protects. */
export interface Protection {
  readonly unit: PrivacyUnit;
  readonly relation: Relation;
}

/** What happened. Kinds are never removed and never change meaning. */
export type LedgerEvent =
  /** From here on the total for this account is (ε, δ) for this protection, whatever was granted before. */
  | {
      readonly kind: 'grant';
      readonly epsilon: number;
      readonly delta: number;
      readonly protection: Protection;
      readonly note: string;
    }
  /** From here on nothing may be spent on this account, until another grant. */
  | { readonly kind: 'refusal'; readonly note: string }
  /** A run was paid for. It counts from this moment, whether or not the run ever finished. */
  | {
      readonly kind: 'spend';
      readonly jobKey: string;
      readonly method: string;
      readonly protection: Protection;
      readonly charge: Charge;
      readonly note: string;
    }
  /**
   * A run without a finite proved cost for the people of the account was made all the same, because someone said so. Where
   * it protects something weaker (single ratings), `protection` and `charge` say what, for budgets of that kind.
   */
  | {
      readonly kind: 'unprotected';
      readonly jobKey: string;
      readonly method: string;
      readonly why: string;
      readonly protection: Protection | null;
      readonly charge: Charge | null;
      readonly note: string;
    }
  /** The run of an earlier spend finished. For people: it changes no sum. */
  | { readonly kind: 'completion'; readonly spend: string; readonly note: string };

/** One row of the ledger, as stored. `hash` covers everything else, `previous` chains it to the row before. */
export interface LedgerEntry {
  /** 1, 2, 3 … without gaps. */
  readonly number: number;
  /** Time of writing, ISO 8601 in UTC. */
  readonly at: string;
  /** Random id of the account: the people behind a data set, over all its snapshots. */
  readonly account: string;
  readonly event: LedgerEvent;
  readonly previous: string;
  readonly hash: string;
}

/** `previous` of the first entry. */
export const chainStart = '0'.repeat(64);

/** The newest entry's number and hash. Kept beside the entries, so that cutting off the end is noticed too. */
export interface ChainHead {
  readonly number: number;
  readonly hash: string;
}

export const emptyHead: ChainHead = { number: 0, hash: chainStart };

/** SHA-256 of the canonical JSON of the entry without its hash. */
export function entryHash(entry: Omit<LedgerEntry, 'hash'>): string {
  const { number, at, account, event, previous } = entry;
  return createHash('sha256').update(canonicalJson({ number, at, account, event, previous })).digest('hex');
}

/** The entry that follows a head. */
export function nextEntry(head: ChainHead, at: string, account: string, event: LedgerEvent): LedgerEntry {
  const entry = { number: head.number + 1, at, account, event, previous: head.hash };
  return { ...entry, hash: entryHash(entry) };
}

/** Throws unless the entries are exactly those that were appended, from the first to the head. O(n). */
export function checkChain(entries: readonly LedgerEntry[], head: ChainHead): void {
  let previous = emptyHead;
  for (const entry of entries) {
    const expected = previous.number + 1;
    if (entry.number !== expected) {
      throw new LedgerCorruptError(expected, `the next entry is number ${entry.number}.`);
    }
    if (entry.previous !== previous.hash) {
      throw new LedgerCorruptError(expected, 'it does not follow from the entry before it.');
    }
    if (entryHash(entry) !== entry.hash) {
      throw new LedgerCorruptError(expected, 'its content is not what was written.');
    }
    previous = entry;
  }
  if (previous.number !== head.number || previous.hash !== head.hash) {
    throw new LedgerCorruptError(
      previous.number + 1,
      `the ledger ends at entry ${previous.number} and should end at entry ${head.number}.`,
    );
  }
}
