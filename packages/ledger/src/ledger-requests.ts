import type { DeltaInput, EpsilonInput } from '@hushrec/privacy';
import type { Charge, EpsilonOfEvent } from './charge.js';
import type { Protection } from './entry.js';
import type { GrantPeriod } from './grant-period.js';

/** What may be spent on an account. */
export interface GrantRequest {
  readonly epsilon: EpsilonInput;
  readonly delta: DeltaInput;
  readonly protection: Protection;
  /** The total starts anew in each period; once and for all unless given. */
  readonly period?: GrantPeriod;
  readonly note?: string;
}

/** What a run asks the ledger for, before its first release. */
export interface SpendRequest {
  readonly account: string;
  /** See `jobKeyOf`. A key that was paid for is never charged again. */
  readonly jobKey: string;
  readonly method: string;
  readonly protection: Protection;
  readonly charge: Charge;
  /** Content hash of the data trained on. The ledger keeps a keyed hash of it, never the hash itself. */
  readonly snapshot?: string;
  readonly note?: string;
}

/**
 * A run without a finite proved cost: no noise, a seed that anyone may know, or a guarantee for less than a
 * person.
 */
export interface UnprotectedRun {
  readonly account: string;
  readonly jobKey: string;
  readonly method: string;
  /** In words, for the refusal and the record. */
  readonly why: string;
  /** What it protects all the same, where it does. */
  readonly protection?: Protection;
  readonly charge?: Charge;
  readonly snapshot?: string;
  readonly note?: string;
}

/** Proof that a run is paid for. `entry` goes into the certificate. */
export interface Receipt {
  readonly entry: string;
  readonly number: number;
  /** The same job was paid for before; nothing was charged now. */
  readonly resumed: boolean;
}

/** Another account whose people are in a data set too. */
export interface SharedPeople {
  readonly account: string;
  readonly name: string | null;
  /** Estimated share of the data set's people who are in that account. */
  readonly share: number;
  /** Estimated share of that account's people who are in the data set. */
  readonly accountShare: number;
  /**
   * The same with those of its people who came into other accounts before, by parts that were too small to be
   * noticed.
   */
  readonly shareInParts: number;
  /** It has a limit: a grant, or spending on it was stopped. */
  readonly hasGrant: boolean;
  /** Nothing was granted to it or spent on it. */
  readonly isIdle: boolean;
}

/** The people of a data set who are in other accounts too. */
export interface PeopleElsewhere {
  /** Accounts that share anyone, the most alike first. */
  readonly accounts: readonly SharedPeople[];
  /** Estimated share of the data set's people who are in any of them. */
  readonly share: number;
  /**
   * Accounts that must be merged with the one the people are to be in, or be declared different, before its
   * budget means anything: they share more than `sharedLimit`, each or together, and have a limit, or have
   * spent where that account has a limit. Those with a limit come first.
   */
  readonly atStake: readonly SharedPeople[];
  /** Those at stake share enough only together. */
  readonly isSpread: boolean;
  /** Estimated share of the data set's people who are in accounts with a limit, or that count as above. */
  readonly shareAtStake: number;
}

/** How a ledger is used. */
export interface LedgerUse {
  readonly accountant: EpsilonOfEvent;
  /** A data set folder whose mark is moved on with every entry. */
  readonly markIn?: string;
  readonly now?: () => Date;
  /** Random names of jobs. */
  readonly randomName?: () => string;
}
