import type { DeltaInput } from '@hushrec/privacy';
import {
  type AccountState,
  type Grant,
  type LedgerState,
  rootOf,
  type SpendGroup,
  stateOf,
} from './account-state.js';
import { type CountedCharge, type EpsilonOfEvent, type TotalCost, totalCost } from './charge.js';
import { type Protection, sameProtection } from './entry.js';
import { periodAt } from './grant-period.js';
import { chargeAgainst } from './protection-change.js';

/** Where an account stands. */
export interface Balance {
  readonly account: string;
  /** As it was last called; `null` where nobody named it in this ledger. */
  readonly name: string | null;
  /** `null`: no limit was set, spends are recorded only. */
  readonly grant: Grant | null;
  /** Further limits that hold beside `grant` since accounts were merged, until a new grant is made. */
  readonly alsoGranted: readonly Grant[];
  /** Accounts that were merged into this one; their ids and names stand for it. */
  readonly merged: readonly NamedAccount[];
  /** Accounts that were declared to hold other people, whose ids only look alike. */
  readonly different: readonly NamedAccount[];
  /**
   * Where the newest entry is dated more than a day after this machine's clock: both times. Times in the
   * ledger never go back, so the period of a grant goes by the newest entry until the clock catches up.
   */
  readonly clock: ClockAhead | null;
  /** The days that `spent` counts, where the grant starts anew in each period; `until` excluded. */
  readonly period: { readonly from: string; readonly until: string } | null;
  /** Spending was refused after the last grant. */
  readonly refused: boolean;
  readonly runs: number;
  /**
   * Runs that were paid for and never reported completion: running, crashed or given up. They count all the
   * same.
   */
  readonly unfinishedRuns: number;
  /** Runs without a finite proved cost that were made because someone said so. No sum below covers them. */
  readonly unprotectedRuns: number;
  /** How often entries were lost and someone said what happened. No sum below covers what was in them. */
  readonly losses: number;
  /**
   * Against the grant's protection and δ, in its period; without a grant, one line per protection at the δ
   * asked for.
   */
  readonly spent: readonly ProtectedCost[];
  /** The same over all time: what someone who was there from the beginning has spent. */
  readonly spentEver: readonly ProtectedCost[];
}

export interface NamedAccount {
  readonly account: string;
  readonly name: string | null;
}

export interface ClockAhead {
  readonly newest: string;
  readonly now: string;
}

export type ProtectedCost = TotalCost & { readonly protection: Protection };

/** Computed from the checked state. `delta` serves where no grant names one. */
export function balanceOf(
  named: string,
  { accounts }: LedgerState,
  time: { readonly now: string; readonly clock: ClockAhead | null },
  delta: DeltaInput,
  accountant: EpsilonOfEvent,
): Balance {
  const account = rootOf(accounts, named);
  const state = stateOf(accounts, named);
  const { now, clock } = time;
  const { grant, spends } = state;
  const nameOf = (id: string): NamedAccount => ({ account: id, name: accounts.get(id)?.name ?? null });
  const roots = new Set((state.differentFrom ?? []).map((id) => rootOf(accounts, id)));
  roots.delete(account);
  const protections =
    grant === null
      ? distinct(spends.flatMap((each) => (each.unprotected ? [] : [each.protection])))
      : [grant.protection];
  const costs = (groups: readonly SpendGroup[]) =>
    protections.map((protection) => {
      const counted = groups.filter((each) => grant !== null || sameProtection(each.protection, protection));
      return { protection, ...spentAgainst(counted, protection, grant?.delta ?? delta, accountant) };
    });
  return {
    account,
    name: state.name,
    grant,
    alsoGranted: state.alsoGranted ?? [],
    merged: [...accounts.keys()]
      .filter((id) => id !== account && rootOf(accounts, id) === account)
      .map(nameOf),
    different: [...roots].map(nameOf),
    clock,
    period: grant?.period ? periodAt(grant.at, grant.period, now) : null,
    refused: state.refused,
    runs: state.runs,
    unfinishedRuns: state.runs - state.finished,
    unprotectedRuns: state.unprotected,
    losses: state.losses,
    spent: costs(spendsInPeriod(spends, grant, now)),
    spentEver: costs(spends),
  };
}

/** The spends that a grant counts at a moment: all, or those of its period. */
export function spendsInPeriod(
  spends: readonly SpendGroup[],
  grant: Grant | null,
  now: string,
): readonly SpendGroup[] {
  if (!grant?.period) return spends;
  const { from } = periodAt(grant.at, grant.period, now);
  return spends.filter(({ day }) => day >= from);
}

/**
 * ε of runs together, each converted to one protection; `Infinity` where one of them has no finite cost for
 * it.
 */
export function spentAgainst(
  spends: readonly (CountedCharge & { readonly protection: Protection; readonly unprotected?: true })[],
  protection: Protection,
  delta: DeltaInput,
  accountant: EpsilonOfEvent,
): TotalCost {
  const charges: CountedCharge[] = [];
  for (const spend of spends) {
    const charge = chargeAgainst(spend.charge, spend.protection, protection);
    if (charge !== undefined) charges.push({ charge, count: spend.count });
    else if (!spend.unprotected) {
      const why = `a ${spend.protection.unit} run has no finite cost here`;
      return { epsilon: Infinity, delta, accountant: why };
    }
  }
  return totalCost(charges, delta, accountant);
}

/**
 * ε for one protection of all runs that have one, and how many others have none: those protect less (single
 * ratings, where it is about people), or were made without protection.
 */
export function spentByAll(
  { spends, unprotected }: Pick<AccountState, 'spends' | 'unprotected'>,
  protection: Protection,
  delta: DeltaInput,
  accountant: EpsilonOfEvent,
): { readonly spent: TotalCost; readonly uncovered: number } {
  const covers = (each: SpendGroup) => chargeAgainst(each.charge, each.protection, protection) !== undefined;
  const less = spends.filter((each) => !each.unprotected && !covers(each));
  return {
    spent: spentAgainst(spends.filter(covers), protection, delta, accountant),
    uncovered: less.reduce((sum, { count }) => sum + count, unprotected),
  };
}

function distinct(protections: readonly Protection[]): Protection[] {
  return protections.filter(
    (each, at) => protections.findIndex((other) => sameProtection(other, each)) === at,
  );
}
