import { hash as sha256 } from 'node:crypto';
import { canonicalJson } from '@hushrec/model/signing';
import type { DeltaInput, EpsilonInput, PrivacyUnit, Relation } from '@hushrec/privacy';
import type { Charge } from './charge.js';
import type { GrantPeriod } from './grant-period.js';

/** Whom a budget or a run protects. */
export interface Protection {
  readonly unit: PrivacyUnit;
  readonly relation: Relation;
}

export function sameProtection(a: Protection, b: Protection): boolean {
  return a.unit === b.unit && a.relation === b.relation;
}

/** What happened. Kinds are never removed and never change meaning. */
export type LedgerEvent =
  /** From here on the account is called this. For people: it changes no sum. */
  | { readonly kind: 'account'; readonly name: string }
  /**
   * From here on the total for this account is (ε, δ) for this protection, whatever was granted before: once
   * and for all (`period` null), or anew in each period.
   */
  | {
      readonly kind: 'grant';
      readonly epsilon: EpsilonInput;
      readonly delta: DeltaInput;
      readonly protection: Protection;
      readonly period: GrantPeriod | null;
      readonly note: string;
    }
  /** From here on nothing may be spent on this account, until another grant. */
  | { readonly kind: 'refusal'; readonly note: string }
  /**
   * A run was paid for. It counts from this moment, whether or not the run ever finished. `job` is a random
   * name: which data and settings it was stands in a job row (see `job-row.ts`), so that no entry, and no
   * hash of one, depends on ratings.
   */
  | {
      readonly kind: 'spend';
      readonly job: string;
      readonly method: string;
      readonly protection: Protection;
      readonly charge: Charge;
      readonly note: string;
    }
  /**
   * A run without a finite proved cost for the people of the account was made all the same, because someone
   * said so. Where it protects something weaker (single ratings), `protection` and `charge` say what, for
   * budgets of that kind.
   */
  | {
      readonly kind: 'unprotected';
      readonly job: string;
      readonly method: string;
      readonly why: string;
      readonly protection: Protection | null;
      readonly charge: Charge | null;
      readonly note: string;
    }
  /** The run of an earlier spend finished. For people: it changes no sum. */
  | { readonly kind: 'completion'; readonly spend: string; readonly note: string }
  /**
   * From here on the people of account `other` are those of this one: what both spent counts together, the
   * stricter grant holds until another is made, and either id stands for this account.
   */
  | { readonly kind: 'merge'; readonly other: string; readonly note: string }
  /** Someone said that the people of account `other` only have ids that look like these. Holds both ways. */
  | { readonly kind: 'different'; readonly other: string; readonly note: string }
  /** Entries that a data set of this account had seen are gone, and someone said what happened. */
  | { readonly kind: 'loss'; readonly lost: ChainHead; readonly note: string };

/** One row of the ledger. `hash` covers everything else, `previous` chains it to the row before. */
export interface LedgerEntry {
  /** 1, 2, 3 … without gaps. */
  readonly number: number;
  /** Time of writing, ISO 8601 in UTC; never before that of an earlier entry. */
  readonly at: string;
  /** Random id of the account: the people behind a data set, over all its snapshots. */
  readonly account: string;
  readonly event: LedgerEvent;
  readonly previous: string;
  readonly hash: string;
}

/** An entry as it is stored: exactly the bytes that its hash covers. Unchecked. */
export interface StoredEntry {
  readonly number: number;
  readonly content: Uint8Array;
  readonly hash: string;
}

/**
 * The newest entry's number and hash. Kept beside the entries, so that cutting off the end is noticed too.
 */
export interface ChainHead {
  readonly number: number;
  readonly hash: string;
}

/** The bytes that are stored and hashed: canonical JSON of the entry without its hash. */
export function entryContent(entry: Omit<LedgerEntry, 'hash'>): string {
  const { number, at, account, event, previous } = entry;
  return canonicalJson({ number, at, account, event, previous });
}

/** The entry that follows a head. */
export function nextEntry(head: ChainHead, at: string, account: string, event: LedgerEvent): LedgerEntry {
  const entry = { number: head.number + 1, at, account, event, previous: head.hash };
  return { ...entry, hash: sha256('sha256', entryContent(entry)) };
}

/** Why a stored entry is not the one that follows `before`; the entry where it is. */
export function followingEntry(stored: StoredEntry, before: ChainHead): LedgerEntry | string {
  if (stored.number !== before.number + 1) return `the next entry is number ${stored.number}`;
  const read = readEntry(stored);
  if (typeof read === 'string') return read;
  return read.previous === before.hash ? read : 'it does not follow from the entry before it';
}

/** A stored entry by itself; why it is damaged where it is. */
export function readEntry(stored: StoredEntry): LedgerEntry | string {
  if (sha256('sha256', stored.content) !== stored.hash) return 'its content is not what was written';
  let entry: LedgerEntry;
  try {
    entry = JSON.parse(Buffer.from(stored.content).toString('utf8')) as LedgerEntry;
  } catch {
    return 'its content cannot be read';
  }
  return entry.number === stored.number ? { ...entry, hash: stored.hash } : 'it is in another’s place';
}
