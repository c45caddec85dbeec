import { type Accountant, type Charge, type TotalCost, totalCost } from './charge.js';
import type { LedgerEntry, LedgerEvent, Protection } from './entry.js';
import { chargeAgainst } from './protection-change.js';

export type Grant = Extract<LedgerEvent, { kind: 'grant' }>;

/** Where an account stands. */
export interface Balance {
  readonly account: string;
  /** `null`: no limit was set, spends are recorded only. */
  readonly grant: Omit<Grant, 'kind'> | null;
  /** Spending was refused after the last grant. */
  readonly refused: boolean;
  readonly runs: number;
  /** Runs that were paid for and never reported completion: running, crashed or given up. They count all the same. */
  readonly unfinishedRuns: number;
  /** Runs without a finite proved cost that were made because someone said so. No sum below covers them. */
  readonly unprotectedRuns: number;
  /** Against the grant's protection and δ; without a grant, one line per protection at the δ asked for. */
  readonly spent: readonly (TotalCost & { readonly protection: Protection })[];
}

/** Computed from the entries of one account alone, in order. `delta` serves where no grant names one. */
export function balanceOf(
  account: string,
  entries: readonly LedgerEntry[],
  delta: number,
  accountant: Accountant,
): Balance {
  const { grant, refused } = standingOf(entries);
  const spends = spendsOf(entries);
  const finished = new Set(
    entries.map(({ event }) => (event.kind === 'completion' ? event.spend : undefined)),
  );
  const protections =
    grant === null ? distinct(spends.map(({ event }) => event.protection)) : [grant.protection];
  return {
    account,
    grant,
    refused,
    runs: spends.length,
    unfinishedRuns: spends.filter(({ hash }) => !finished.has(hash)).length,
    unprotectedRuns: entries.filter(({ event }) => event.kind === 'unprotected').length,
    spent: protections.map((protection) => {
      const counted = spends
        .map(({ event }) => event)
        .filter((event) => grant !== null || sameProtection(event.protection, protection));
      return { protection, ...spentAgainst(counted, protection, grant?.delta ?? delta, accountant) };
    }),
  };
}

/** The last grant, and whether spending was refused since. */
export function standingOf(entries: readonly LedgerEntry[]): {
  readonly grant: Omit<Grant, 'kind'> | null;
  readonly refused: boolean;
} {
  let grant: Omit<Grant, 'kind'> | null = null;
  let refused = false;
  for (const { event } of entries) {
    if (event.kind === 'grant') {
      const { kind: _kind, ...rest } = event;
      grant = rest;
      refused = false;
    } else if (event.kind === 'refusal') refused = true;
  }
  return { grant, refused };
}

/** The runs that were paid for, with the hashes of their entries. */
export function spendsOf(entries: readonly LedgerEntry[]) {
  return entries.flatMap(({ event, hash }) => (event.kind === 'spend' ? [{ event, hash }] : []));
}

/** ε of runs together, each converted to one protection; `Infinity` where one of them has no finite cost for it. */
export function spentAgainst(
  spends: readonly { readonly charge: Charge; readonly protection: Protection }[],
  protection: Protection,
  delta: number,
  accountant: Accountant,
): TotalCost {
  const charges: Charge[] = [];
  for (const spend of spends) {
    const charge = chargeAgainst(spend.charge, spend.protection, protection);
    if (charge === undefined) {
      const why = `a ${spend.protection.unit} run has no finite cost here`;
      return { epsilon: Infinity, delta, accountant: why };
    }
    charges.push(charge);
  }
  return totalCost(charges, delta, accountant);
}

function sameProtection(a: Protection, b: Protection): boolean {
  return a.unit === b.unit && a.relation === b.relation;
}

function distinct(protections: readonly Protection[]): Protection[] {
  return protections.filter(
    (each, at) => protections.findIndex((other) => sameProtection(other, each)) === at,
  );
}
