import type { DeltaInput } from '@hushrec/privacy';
import type { AccountState, Grant, SpendGroup } from './account-state.js';
import { type CountedCharge, type EpsilonOfEvent, type TotalCost, totalCost } from './charge.js';
import type { Protection } from './entry.js';
import { periodAt } from './grant-period.js';
import { chargeAgainst } from './protection-change.js';

/** Where an account stands. */
export interface Balance {
  readonly account: string;
  /** As it was last called; `null` where nobody named it in this ledger. */
  readonly name: string | null;
  /** `null`: no limit was set, spends are recorded only. */
  readonly grant: Grant | null;
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

export type ProtectedCost = TotalCost & { readonly protection: Protection };

/** Computed from the state of one account alone. `delta` serves where no grant names one. */
export function balanceOf(
  account: string,
  state: AccountState,
  now: string,
  delta: DeltaInput,
  accountant: EpsilonOfEvent,
): Balance {
  const { grant, spends } = state;
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

export function sameProtection(a: Protection, b: Protection): boolean {
  return a.unit === b.unit && a.relation === b.relation;
}

function distinct(protections: readonly Protection[]): Protection[] {
  return protections.filter(
    (each, at) => protections.findIndex((other) => sameProtection(other, each)) === at,
  );
}
