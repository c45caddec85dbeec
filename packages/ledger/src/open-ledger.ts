import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { tightestEpsilon } from '@hushrec/privacy';
import type { EpsilonOfEvent } from './charge.js';
import { Ledger } from './ledger.js';
import { LedgerLostError, LedgerMissingError } from './ledger-errors.js';
import { readMark } from './ledger-mark.js';
import { PostgresStore } from './postgres-store.js';
import { SqliteStore } from './sqlite-store.js';
import { defaultPatience } from './store.js';

/** How a ledger is opened. */
export interface LedgerOptions {
  /** How runs compose; by default the tightest valid accountant for what was spent. */
  readonly accountant?: EpsilonOfEvent;
  /** How long to wait for other processes, in milliseconds. */
  readonly patience?: number;
  /** A data set folder: what it remembers of its ledger is checked first, and moved on with every entry. */
  readonly markIn?: string;
  /** Open the ledger although the data set remembers entries that are not in it; for `acceptLoss` alone. */
  readonly acceptingLoss?: boolean;
  /** The clock, and the random names of jobs; tests fix them. */
  readonly now?: () => Date;
  readonly randomName?: () => string;
  /** Make an empty ledger where there is none. Otherwise `LedgerMissingError`: see there. */
  readonly create?: boolean;
}

/**
 * Opens the ledger at a `postgres://` address or in a SQLite file. Throws `LedgerMissingError` where there is
 * none and none is to be made, `LedgerLostError` where there is none, or another, and the data set of
 * `markIn` remembers one.
 */
export async function openLedger(location: string, options: LedgerOptions = {}): Promise<Ledger> {
  const { patience = defaultPatience, accountant = tightestEpsilon, acceptingLoss = false } = options;
  const { markIn, now, randomName } = options;
  const open = isPostgres(location) ? PostgresStore.open : SqliteStore.open;
  const mark = markIn === undefined || acceptingLoss ? undefined : await readMark(markIn);
  // A data set that has used a ledger must not get a fresh one in silence.
  const create = options.create === true && mark === undefined;
  const store = await open(location, { patience, create, onlyOne: acceptingLoss }).catch((error: unknown) => {
    if (mark === undefined || !(error instanceof LedgerMissingError)) throw error;
    throw new LedgerLostError(
      error.location,
      `there is no ledger, but this data set has used one, up to entry ${mark.number} (${mark.ledger})`,
    );
  });
  const ledger = new Ledger(store, {
    accountant,
    ...(markIn !== undefined && { markIn }),
    ...(now && { now }),
    ...(randomName && { randomName }),
  });
  try {
    if (mark !== undefined) await ledger.expectMark(mark);
  } catch (error) {
    await ledger.close();
    throw error;
  }
  return ledger;
}

/**
 * Where the ledger is unless someone says otherwise: one for all accounts of a user of the machine, so that
 * no budget is forgotten because the data was copied or imported to another folder.
 */
export function defaultLedgerLocation(environment: NodeJS.ProcessEnv = process.env): string {
  const state =
    process.platform === 'win32'
      ? (environment['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local'))
      : (absolute(environment['XDG_STATE_HOME']) ?? join(homedir(), '.local', 'state'));
  return join(state, 'hushrec', 'ledger.sqlite');
}

/** The XDG specification asks to ignore relative paths. */
function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

/**
 * The place someone named (`--ledger`, `HUSHREC_LEDGER`), or the default one, which alone is made when it is
 * missing.
 */
export function ledgerPlace(named: string | undefined): {
  readonly location: string;
  readonly isDefault: boolean;
} {
  const given = named || process.env['HUSHREC_LEDGER'] || undefined;
  return given === undefined
    ? { location: defaultLedgerLocation(), isDefault: true }
    : { location: given, isDefault: false };
}

export function isPostgres(location: string): boolean {
  return /^postgres(ql)?:\/\//.test(location);
}
