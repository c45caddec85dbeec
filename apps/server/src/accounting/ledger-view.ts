import { existsSync } from 'node:fs';
import {
  type Charge,
  isPostgres,
  type Ledger,
  type LedgerEntry,
  ledgerPlace,
  openLedger,
  type Protection,
  readMark,
} from '@hushrec/ledger';
import type { DatasetEntry } from '../catalogue/dataset-catalogue.js';

/** The budget of one data set, as the page shows it. ε is null where it is not finite. */
export interface LedgerView {
  readonly dataset: string;
  readonly name: string;
  /** Random id of the account. */
  readonly account: string;
  readonly grant: { readonly epsilon: number | null; readonly delta: number; readonly unit: string } | null;
  readonly refused: boolean;
  readonly runs: number;
  readonly unfinishedRuns: number;
  readonly spent: {
    readonly epsilon: number | null;
    readonly delta: number;
    readonly unit: string;
    readonly accountant: string;
  }[];
  readonly entries: {
    readonly number: number;
    readonly at: string;
    readonly kind: string;
    readonly detail: string;
    readonly hash: string;
  }[];
  /** Why the ledger cannot be trusted or read; null when it can. */
  readonly problem: string | null;
}

const deltaWithoutGrant = 1e-6;
const mostEntries = 200;

/** Opens the ledger a training run on this data set would use; undefined when there is none yet, and there was none. */
export async function openLedgerOf(
  dataset: DatasetEntry,
  location: string | undefined,
): Promise<Ledger | undefined> {
  const place = ledgerPlace(location).location;
  if (!isPostgres(place) && !existsSync(place) && (await readMark(dataset.path)) === undefined)
    return undefined;
  return openLedger(place, { patience: 2000, markIn: dataset.path });
}

/** The state of one data set's budget, or undefined where nothing was ever written. */
export async function ledgerView(
  dataset: DatasetEntry,
  location: string | undefined,
): Promise<LedgerView | undefined> {
  const { name } = dataset.manifest;
  const account = dataset.manifest.account.id;
  const base = { dataset: dataset.id, name, account };
  let ledger: Ledger | undefined;
  try {
    ledger = await openLedgerOf(dataset, location);
    if (ledger === undefined) return undefined;
    const balance = await ledger.balance(account, deltaWithoutGrant);
    const entries = await ledger.recentEntries(account, mostEntries);
    if (entries.length === 0) return undefined;
    const { grant } = balance;
    return {
      ...base,
      grant:
        grant === null
          ? null
          : { epsilon: finite(grant.epsilon), delta: grant.delta, unit: grant.protection.unit },
      refused: balance.refused,
      runs: balance.runs,
      unfinishedRuns: balance.unfinishedRuns,
      spent: balance.spent.map(({ epsilon, delta, accountant, protection }) => ({
        epsilon: finite(epsilon),
        delta,
        accountant,
        unit: protection.unit,
      })),
      entries: entries.toReversed().map((entry) => ({
        number: entry.number,
        at: entry.at,
        kind: entry.event.kind,
        detail: detailOf(entry),
        hash: entry.hash,
      })),
      problem: null,
    };
  } catch (error) {
    const problem =
      error instanceof Error &&
      ['LedgerCorruptError', 'LedgerLostError', 'LedgerFormatError'].includes(error.name)
        ? error.message
        : 'The ledger cannot be read now.';
    return {
      ...base,
      grant: null,
      refused: false,
      runs: 0,
      unfinishedRuns: 0,
      spent: [],
      entries: [],
      problem,
    };
  } finally {
    await ledger?.close();
  }
}

/** ε of a data set over all runs: the limit, spent so far, and with one more run. Null where it is not finite, or no limit. */
export interface Budget {
  readonly granted: number | null;
  readonly spent: number | null;
  readonly after: number | null;
}

/** What all runs cost now and with one more; null where no ledger exists and nothing was granted. */
export async function budgetWith(
  dataset: DatasetEntry,
  location: string | undefined,
  charge: Charge,
  protection: Protection,
  delta: number,
): Promise<Budget | null> {
  const ledger = await openLedgerOf(dataset, location).catch(() => undefined);
  if (ledger === undefined) return null;
  try {
    const run = { charge, protection };
    const { granted, spent, after } = await ledger.preview(dataset.manifest.account.id, run, delta);
    return { granted, spent: finite(spent), after: finite(after) };
  } finally {
    await ledger.close();
  }
}

function detailOf({ event }: LedgerEntry): string {
  switch (event.kind) {
    case 'grant':
      return `ε = ${event.epsilon}, δ = ${event.delta}, protects ${event.protection.unit}${event.note === '' ? '' : `: ${event.note}`}`;
    case 'account':
      return `called ${event.name}`;
    case 'loss':
      return `entries up to ${event.lost.number} were lost: ${event.note}`;
    case 'refusal':
      return event.note || 'spending stopped';
    case 'spend':
      return `${event.method}, protects ${event.protection.unit}${event.note === '' ? '' : `: ${event.note}`}`;
    case 'unprotected':
      return `${event.method}: ${event.why}${event.note === '' ? '' : `: ${event.note}`}`;
    case 'completion':
      return `run of entry ${event.spend.slice(0, 12)}… finished`;
    default:
      return event satisfies never;
  }
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
