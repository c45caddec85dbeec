import type { Ledger } from '@hushrec/ledger';
import { Option } from 'commander';

/** `--ledger`, the same for every command that spends or shows. */
export function ledgerOption(): Option {
  return new Option(
    '--ledger <location>',
    'SQLite file or postgres:// address (default: beside the data set)',
  ).env('HUSHREC_LEDGER');
}

/**
 * The ledger of a data set folder, and the content hash under which it keeps the data set's budget. Reads the manifest
 * alone: showing a budget must not touch any rating.
 */
export async function openDatasetLedger(
  dataset: string,
  location?: string,
): Promise<{ readonly ledger: Ledger; readonly contentHash: string }> {
  const { defaultLedgerLocation, openLedger } = await import('@hushrec/ledger');
  const { readManifest } = await import('@hushrec/ratings');
  const { contentHash } = await readManifest(dataset);
  return { contentHash, ledger: await openLedger(location ?? defaultLedgerLocation(dataset)) };
}
