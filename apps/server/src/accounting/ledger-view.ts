import { existsSync } from 'node:fs';
import {
  type Charge,
  chargeAgainst,
  isPostgres,
  type Ledger,
  LedgerCorruptError,
  type LedgerEntry,
  LedgerFormatError,
  LedgerLockedError,
  LedgerLostError,
  LedgerMissingError,
  LedgerUnavailableError,
  ledgerPlace,
  openLedger,
  type Protection,
  readMark,
  totalCost,
} from '@hushrec/ledger';
import type { Budget, LedgerView } from '@hushrec/page/contract';
import { tightestEpsilon } from '@hushrec/privacy';
import type { DatasetEntry } from '../catalogue/dataset-catalogue.js';
import { ProblemError } from '../problem.js';
import type { Role } from '../protection/access.js';
import { dayOf } from '../protection/day-of.js';

/** At which spends are said where no grant names a δ. */
export const deltaWithoutGrant = 1e-6;
const mostEntries = 200;
const mostCosts = 24;

/**
 * Opens the ledger a training run on this data set would use; undefined when there is none yet, and there was
 * none.
 */
export async function openLedgerOf(
  dataset: DatasetEntry,
  location: string | undefined,
): Promise<Ledger | undefined> {
  const place = ledgerPlace(location).location;
  if (!isPostgres(place) && !existsSync(place) && (await readMark(dataset.path)) === undefined)
    return undefined;
  return openLedger(place, { patience: 2000, markIn: dataset.path });
}

/**
 * The state of one data set's budget, or undefined where nothing was ever written. Notes of runs say who
 * started them, and times how long they took, which depends on the ratings: both are for operators. Viewers
 * get days, and no completions.
 */
export async function ledgerView(
  dataset: DatasetEntry,
  location: string | undefined,
  reader: Role,
): Promise<LedgerView | undefined> {
  const { name, account } = dataset.manifest;
  const base = { dataset: dataset.id, name, account: account.id };
  let ledger: Ledger | undefined;
  try {
    ledger = await openLedgerOf(dataset, location);
    if (!(await ledger?.accounts())?.has(account.id)) return undefined;
    return ledger && { ...base, ...(await accountView(ledger, account.id, reader)), problem: null };
  } catch (error) {
    return { ...base, ...nothingKnown, problem: problemInWords(error) };
  } finally {
    await ledger?.close();
  }
}

type AccountView = Omit<LedgerView, 'dataset' | 'name' | 'account' | 'problem'>;

const nothingKnown: AccountView = {
  grant: null,
  refused: false,
  runs: 0,
  unfinishedRuns: 0,
  spent: [],
  entries: [],
};

async function accountView(ledger: Ledger, account: string, reader: Role): Promise<AccountView> {
  const { grant, refused, runs, unfinishedRuns, spent } = await ledger.balance(account, deltaWithoutGrant);
  const entries = await ledger.recentEntries(account, mostEntries);
  const finished = new Set(
    entries.flatMap(({ event }) => (event.kind === 'completion' ? [event.spend] : [])),
  );
  const isOperator = reader === 'operator';
  const shown = isOperator ? entries : entries.filter(({ event }) => event.kind !== 'completion');
  const costs = costsOfRuns(entries, runs, grant?.protection, grant?.delta ?? deltaWithoutGrant);
  return {
    grant: grant && {
      epsilon: finite(grant.epsilon),
      delta: grant.delta,
      unit: grant.protection.unit,
      period: grant.period,
    },
    refused,
    runs,
    unfinishedRuns: isOperator ? unfinishedRuns : null,
    spent: spent.map(({ epsilon, delta, accountant, protection }) => ({
      epsilon: finite(epsilon),
      delta,
      accountant,
      unit: protection.unit,
    })),
    entries: shown.toReversed().map((entry) => ({
      number: entry.number,
      at: isOperator ? entry.at : dayOf(entry.at),
      kind: entry.event.kind,
      detail: detailOf(entry, reader),
      hash: entry.hash,
      finished: isOperator && entry.event.kind === 'spend' ? finished.has(entry.hash) : null,
      cost: costs.get(entry.hash) ?? null,
    })),
  };
}

/**
 * ε of each run alone and of the account after it, for the latest runs: each is an accountant's work. The
 * latter only where all runs are at hand; runs that protect otherwise than the grant says have neither.
 */
function costsOfRuns(
  entries: readonly LedgerEntry[],
  runs: number,
  granted: Protection | undefined,
  delta: number,
) {
  const spends = entries.flatMap(({ event, hash }) => (event.kind === 'spend' ? [{ event, hash }] : []));
  const against = granted ?? spends[0]?.event.protection;
  const costs = new Map<string, { readonly epsilon: number | null; readonly after: number | null }>();
  if (against === undefined) return costs;
  const charges = spends.map(({ event }) => chargeAgainst(event.charge, event.protection, against));
  const cost = (some: readonly (Charge | undefined)[]) =>
    some.every((each) => each !== undefined) ? finite(totalCost(some, delta, tightestEpsilon).epsilon) : null;
  for (let run = Math.max(0, spends.length - mostCosts); run < spends.length; run++)
    costs.set(spends[run].hash, {
      epsilon: cost([charges[run]]),
      after: spends.length === runs ? cost(charges.slice(0, run + 1)) : null,
    });
  return costs;
}

/** What all runs cost now and with one more; null where no ledger exists and nothing was granted. */
export async function budgetWith(
  dataset: DatasetEntry,
  location: string | undefined,
  charge: Charge,
  protection: Protection,
  delta: number,
): Promise<Budget | null> {
  return withLedgerOf(dataset, location, null, async (ledger) => {
    const run = { charge, protection };
    const account = dataset.manifest.account.id;
    const { granted, spent, after } = await ledger.preview(account, run, delta);
    const grant = (await ledger.accounts()).get(account)?.grant;
    const ofAccount = grant?.delta ?? delta;
    const counted = chargeAgainst(charge, protection, grant?.protection ?? protection);
    const own = counted && totalCost([counted], ofAccount, tightestEpsilon).epsilon;
    return {
      granted,
      spent: finite(spent),
      after: finite(after),
      delta: ofAccount,
      own: finite(own ?? Infinity),
    };
  });
}

/** Whether a budget is set for the people of a data set, or spending on them was stopped. */
export async function hasGrant(dataset: DatasetEntry, location: string | undefined): Promise<boolean> {
  return withLedgerOf(dataset, location, false, async (ledger) => {
    const account = (await ledger.accounts()).get(dataset.manifest.account.id);
    return account !== undefined && (account.grant !== null || account.refused);
  });
}

const unreadable = [
  LedgerCorruptError,
  LedgerFormatError,
  LedgerLockedError,
  LedgerLostError,
  LedgerMissingError,
  LedgerUnavailableError,
];

/**
 * Asks the ledger of a data set; `none` where there is no ledger yet. One that cannot be read is no empty
 * one: training would refuse it, so whoever plans is told now.
 */
async function withLedgerOf<Result>(
  dataset: DatasetEntry,
  location: string | undefined,
  none: Result,
  ask: (ledger: Ledger) => Promise<Result>,
): Promise<Result> {
  let ledger: Ledger | undefined;
  try {
    ledger = await openLedgerOf(dataset, location);
    return ledger === undefined ? none : await ask(ledger);
  } catch (error) {
    if (!unreadable.some((kind) => error instanceof kind)) throw error;
    // One that is away or busy may be back in a moment; the others need somebody to act.
    const isAway = error instanceof LedgerUnavailableError || error instanceof LedgerLockedError;
    throw new ProblemError(
      isAway ? 503 : 409,
      'The budget of these people cannot be read.',
      problemInWords(error),
    );
  } finally {
    await ledger?.close();
  }
}

function detailOf({ event }: LedgerEntry, reader: Role): string {
  const ofRun = (note: string) => (reader === 'operator' && note !== '' ? `: ${note}` : '');
  switch (event.kind) {
    case 'grant':
      return `ε = ${event.epsilon}, δ = ${shortDelta(event.delta)}, ${protects(event)}${event.note === '' ? '' : `: ${event.note}`}`;
    case 'account':
      return `called ${event.name}`;
    case 'loss':
      return `entries up to ${event.lost.number} were lost: ${event.note}`;
    case 'refusal':
      return event.note || 'spending stopped';
    case 'spend':
      return `${event.method}, ${protects(event)}${ofRun(event.note)}`;
    case 'unprotected':
      return `${event.why.startsWith(event.method) ? '' : `${event.method}: `}${event.why}${ofRun(event.note)}`;
    case 'merge':
      return `account ${event.other} was merged into it${ofRun(event.note)}`;
    case 'different':
      return `its people are not those of account ${event.other}${ofRun(event.note)}`;
    case 'completion':
      return `run of entry ${event.spend.slice(0, 12)}… finished`;
    default:
      return event satisfies never;
  }
}

/** 1e-6 rather than 0.000001. */
function shortDelta(delta: number): string {
  return delta > 0 && delta < 1e-3 ? delta.toExponential() : String(delta);
}

const unitWords = {
  user: 'protects whole people',
  'rating-presence': 'protects single ratings',
  'rating-value': 'protects values of ratings',
} as const;

function protects({ protection }: { readonly protection: Protection }): string {
  return unitWords[protection.unit];
}

/** Without the place of the file, which is the operator's business. */
function problemInWords(error: unknown): string {
  if (error instanceof LedgerCorruptError)
    return `The ledger was tampered with or damaged${error.entry === undefined ? '' : ` at entry ${error.entry}`}: ${error.reason}. Nothing is spent until it is restored.`;
  if (error instanceof LedgerLostError)
    return 'The ledger that this data set has used is gone, was exchanged or set back. Nothing is spent until it is restored, or an operator says what happened (`hushrec ledger accept-loss`).';
  if (error instanceof LedgerFormatError) return 'The ledger is of a format that this version does not read.';
  return 'The ledger cannot be read now. Try again in a moment; if it stays so, look whether its database runs.';
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
