import { resolve } from 'node:path';
import { tightestEpsilon } from '@hushrec/privacy';
import type { Accountant } from './charge.js';
import { Ledger } from './ledger.js';
import { PostgresStore } from './postgres-store.js';
import { SqliteStore } from './sqlite-store.js';
import { defaultPatience } from './store.js';

export interface LedgerOptions {
  /** How runs compose; by default the tightest valid accountant for what was spent. */
  readonly accountant?: Accountant;
  /** How long to wait for other processes, in milliseconds. */
  readonly patience?: number;
}

/** Opens the ledger at a `postgres://` address or in a SQLite file, creating it where there is none. */
export async function openLedger(location: string, options: LedgerOptions = {}): Promise<Ledger> {
  const { patience = defaultPatience, accountant = tightestEpsilon } = options;
  const store = isPostgres(location)
    ? await PostgresStore.open(location, patience)
    : new SqliteStore(location, patience);
  return new Ledger(store, accountant);
}

/**
 * Beside the data set's folder and not in it, so that importing the data again does not wipe out what was spent.
 */
export function defaultLedgerLocation(datasetDirectory: string): string {
  return `${resolve(datasetDirectory)}.ledger.sqlite`;
}

export function isPostgres(location: string): boolean {
  return /^postgres(ql)?:\/\//.test(location);
}
