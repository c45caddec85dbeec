import type { Ledger } from '@hushrec/ledger';
import { type LedgerFlags, openDatasetLedger } from '../dataset-ledger.js';
import { checkName, checkOptions, flag, name, type OptionShape } from './checked-options.js';

const ledgerFlags: OptionShape<LedgerFlags> = { ledger: name, newLedger: flag };

/**
 * The ledger that a data set spends from, and its account there: grant a budget, see what is left, stop
 * spending. Close the ledger when done.
 *
 * @param dataset a dataset folder, or the file it was imported from
 * @throws LedgerLostError where the data set remembers a ledger that is gone; LedgerLockedError,
 * LedgerUnavailableError where it cannot be opened.
 * @example
 * const { ledger, account } = await ledgerOf('ratings.hushrec');
 * const protection = { unit: 'user', relation: 'add-remove' } as const;
 * await ledger.grant(account.id, { epsilon: 5, delta: 1e-6, protection });
 * const { grant, spent } = await ledger.balance(account.id, 1e-6);
 * await ledger.close();
 */
export async function ledgerOf(
  dataset: string,
  options: { readonly ledger?: string; readonly newLedger?: boolean } = {},
): Promise<{ readonly ledger: Ledger; readonly account: { readonly id: string; readonly name: string } }> {
  checkName('ledgerOf', 'the data set', dataset);
  checkOptions<LedgerFlags>('ledgerOf', ledgerFlags, options);
  const { ledger, account } = await openDatasetLedger(dataset, options, 'write');
  return { ledger, account };
}
