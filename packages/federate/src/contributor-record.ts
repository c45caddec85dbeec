import type { DeltaInput, EpsilonInput } from '@hushrec/privacy';
import { fromHex, toHex } from './bytes.js';
import type { DurableFolder } from './durable-folder.js';
import { CharterError } from './federation-errors.js';
import { createSealed, DamagedRecordError, readSealed } from './sealed-record.js';

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
  readonly epsilon: EpsilonInput;
  readonly delta: DeltaInput;
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

/**
 * What has been charged in this folder, run by run: a file each, numbered without a gap. ε add up (basic
 * composition).
 */
export async function chargedRuns(folder: DurableFolder): Promise<readonly Charged[]> {
  const runs: Charged[] = [];
  const count = await chargeFiles(folder);
  for (let run = 0; run < count; run++) {
    const charged = await readSealed<Charged>(folder, chargeName(run));
    // A gap is a loss: what was charged there is not known.
    if (charged === undefined) throw new DamagedRecordError(chargeName(run));
    runs.push(charged);
  }
  return runs;
}

async function chargeFiles(folder: DurableFolder): Promise<number> {
  return (await folder.list('charged-')).length;
}

function chargeName(run: number): string {
  return `charged-${String(run).padStart(6, '0')}.json`;
}

/**
 * Charges a run to the folder's own account, durably, once; a run that is there already costs nothing more.
 * Charges are never taken back, also when the run breaks off. Of two that are made at the same time, in
 * whatever tab or process, the second counts the first: it finds its place taken and looks again.
 */
export async function chargeRun(folder: DurableFolder, charge: Charged, mostEpsilon: number): Promise<void> {
  for (;;) {
    const place = await chargeFiles(folder);
    const before = await chargedRuns(folder);
    if (before.some(({ charter }) => charter === charge.charter)) return;
    const spent = before.reduce((sum, { epsilon }) => sum + epsilon, 0);
    if (!(spent + charge.epsilon <= mostEpsilon))
      throw new ContributorBudgetError(spent, charge.epsilon, mostEpsilon);
    if (await createSealed(folder, chargeName(place), charge)) return;
  }
}

/**
 * The record of a run: the kept one, or a new one that is durable when this settles. Two that begin at the
 * same time have the same root, so that they hand in the same bytes under the same name and are one.
 */
export async function openRecord(
  folder: DurableFolder,
  charter: string,
  ratings: string,
  root: Uint8Array = crypto.getRandomValues(new Uint8Array(32)),
): Promise<ContributorRecord> {
  const name = `run-${charter}.json`;
  const kept = () => readSealed<{ ratings: string; root: string }>(folder, name);
  let record = await kept();
  if (record === undefined) {
    if (await createSealed(folder, name, { ratings, root: toHex(root) })) return { charter, ratings, root };
    record = (await kept())!;
  }
  if (record.ratings !== ratings)
    throw new CharterError(
      'this run was begun with other ratings.',
      'Go on with the ratings it was begun with, or wait for the next run.',
    );
  return { charter, ratings, root: fromHex(record.root) };
}
