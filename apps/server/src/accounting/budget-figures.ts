import type { DatasetEntry } from '../catalogue/dataset-catalogue.js';
import { deltaWithoutGrant, openLedgerOf } from './ledger-view.js';

/** ε of an account, for monitors. Null where there is no limit, or no finite ε. */
export interface BudgetFigures {
  readonly account: string;
  readonly granted: number | null;
  /** Counted against the grant; the largest where no grant says what is protected. */
  readonly spent: number;
  /** The largest ε that one more run may have. */
  readonly left: number | null;
  readonly runs: number;
  readonly unfinishedRuns: number;
}

/** Undefined where nothing was ever written for these people. */
export async function budgetFigures(
  dataset: DatasetEntry,
  location: string | undefined,
): Promise<BudgetFigures | undefined> {
  const { id, name } = dataset.manifest.account;
  const ledger = await openLedgerOf(dataset, location);
  try {
    if (ledger === undefined || !(await ledger.accounts()).has(id)) return undefined;
    const { grant, spent, runs, unfinishedRuns, refused } = await ledger.balance(id, deltaWithoutGrant);
    return {
      account: name,
      granted: grant?.epsilon ?? null,
      spent: Math.max(0, ...spent.map(({ epsilon }) => epsilon)),
      left: refused ? 0 : ((await ledger.planRuns(id, 1)) ?? null),
      ...{ runs, unfinishedRuns },
    };
  } finally {
    await ledger?.close();
  }
}
