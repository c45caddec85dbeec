import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { tightestEpsilon } from '@hushrec/privacy';
import type { Accountant } from './charge.js';
import { Ledger } from './ledger.js';
import { LedgerMissingError } from './ledger-errors.js';
import { PostgresStore } from './postgres-store.js';
import { SqliteStore } from './sqlite-store.js';
import { defaultPatience } from './store.js';

export interface LedgerOptions {
  /** How runs compose; by default the tightest valid accountant for what was spent. */
  readonly accountant?: Accountant;
  /** How long to wait for other processes, in milliseconds. */
  readonly patience?: number;
  /** Make an empty ledger where there is none. Otherwise `LedgerMissingError`: see there. */
  readonly create?: boolean;
}

/** Opens the ledger at a `postgres://` address or in a SQLite file. */
export async function openLedger(location: string, options: LedgerOptions = {}): Promise<Ledger> {
  const { patience = defaultPatience, accountant = tightestEpsilon, create = false } = options;
  if (!create && !isPostgres(location) && !existsSync(location))
    throw new LedgerMissingError(resolve(location));
  const store = isPostgres(location)
    ? await PostgresStore.open(location, patience)
    : new SqliteStore(location, patience);
  return new Ledger(store, accountant);
}

/**
 * Where the ledger is unless someone says otherwise: one for all accounts of a user of the machine, so that no budget is
 * forgotten because the data was copied or imported to another folder.
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

/** The place someone named (`--ledger`, `HUSHREC_LEDGER`), or the default one, which alone is made when it is missing. */
export function ledgerPlace(named: string | undefined): {
  readonly location: string;
  readonly isDefault: boolean;
} {
  const given = named ?? (process.env['HUSHREC_LEDGER'] || undefined);
  return given === undefined
    ? { location: defaultLedgerLocation(), isDefault: true }
    : { location: given, isDefault: false };
}

export function isPostgres(location: string): boolean {
  return /^postgres(ql)?:\/\//.test(location);
}
