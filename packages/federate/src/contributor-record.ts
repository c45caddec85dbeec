import { fromHex, toHex } from './bytes.js';
import type { DurableFolder } from './durable-folder.js';
import { CharterError } from './federation-errors.js';
import { readSealed, writeSealed } from './sealed-record.js';

/**
 * What one who takes part has to remember: kept before anything is handed in. As sensitive as the ratings.
 */
export interface ContributorRecord {
  readonly charter: string;
  /** Hash of the ratings as they were at the beginning. */
  readonly ratings: string;
  /** 32 secret bytes: names of reports, masks and own noise follow from them. */
  readonly root: Uint8Array;
}

/** One run that these ratings have been charged with. */
export interface Charged {
  readonly charter: string;
  readonly epsilon: number;
  readonly delta: number;
  /** ISO 8601. */
  readonly at: string;
}

/** More than the owner allows would be spent. */
export class ContributorBudgetError extends Error {
  override readonly name = 'ContributorBudgetError';
  readonly kind = 'privacy';
  readonly spent: number;
  constructor(spent: number, asked: number, most: number) {
    super(
      `ε = ${spent} has been spent and this run asks for ${asked}; allowed are ${most} in all. Nothing was handed in.`,
    );
    this.spent = spent;
  }
}

/** What has been charged in this folder, run by run. ε add up (basic composition). */
export async function chargedRuns(folder: DurableFolder): Promise<readonly Charged[]> {
  return (await readSealed<Charged[]>(folder, 'charged.json')) ?? [];
}

/**
 * Charges a run to the folder's own account, durably, once; a run that is there already costs nothing more.
 * Charges are never taken back, also when the run breaks off.
 */
export async function chargeRun(folder: DurableFolder, charge: Charged, mostEpsilon: number): Promise<void> {
  const before = await chargedRuns(folder);
  if (before.some(({ charter }) => charter === charge.charter)) return;
  const spent = before.reduce((sum, { epsilon }) => sum + epsilon, 0);
  if (!(spent + charge.epsilon <= mostEpsilon))
    throw new ContributorBudgetError(spent, charge.epsilon, mostEpsilon);
  await writeSealed(folder, 'charged.json', [...before, charge]);
}

/** The record of a run: the kept one, or a new one that is durable when this settles. */
export async function openRecord(
  folder: DurableFolder,
  charter: string,
  ratings: string,
  root: Uint8Array = crypto.getRandomValues(new Uint8Array(32)),
): Promise<ContributorRecord> {
  const name = `run-${charter}.json`;
  const record = await readSealed<{ ratings: string; root: string }>(folder, name);
  if (record !== undefined) {
    if (record.ratings !== ratings)
      throw new CharterError(
        'this run was begun with other ratings.',
        'Go on with the ratings it was begun with, or wait for the next run.',
      );
    return { charter, ratings, root: fromHex(record.root) };
  }
  await writeSealed(folder, name, { ratings, root: toHex(root) });
  return { charter, ratings, root };
}
