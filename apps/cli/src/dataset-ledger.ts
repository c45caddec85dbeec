import type { Ledger } from '@hushrec/ledger';
import type { DatasetAccount } from '@hushrec/ratings';
import { type Command, Option } from 'commander';
import { knownDatasetFolder } from './imported-folder.js';

/** `--ledger` and `--new-ledger`, the same for every command that spends or shows. */
export interface LedgerFlags {
  readonly ledger?: string;
  readonly newLedger?: boolean;
}

export function addLedgerFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--ledger <location>',
        'SQLite file or postgres:// address (default: one file for all accounts of this user)',
      ).env('HUSHREC_LEDGER'),
    )
    .option('--new-ledger', 'make an empty ledger where --ledger says, if there is none');
}

/**
 * The ledger and the account of a data set folder, or of the file it was imported from. Reads the manifest alone: showing a budget must not touch any rating.
 * Only the default ledger is made unasked, and only by commands that write.
 */
export async function openDatasetLedger(
  dataset: string,
  flags: LedgerFlags,
  use: 'read' | 'write',
): Promise<{ readonly ledger: Ledger; readonly account: DatasetAccount }> {
  const { ledgerPlace, openLedger } = await import('@hushrec/ledger');
  const { readManifest } = await import('@hushrec/ratings');
  const { account } = await readManifest(knownDatasetFolder(dataset));
  const { location, isDefault } = ledgerPlace(flags.ledger);
  const create = flags.newLedger === true || (isDefault && use === 'write');
  return { account, ledger: await openLedger(location, { create }) };
}

/** The same, or undefined where there is no ledger and hence no grant. A ledger that someone named must be there. */
export async function datasetLedgerIfThere(
  dataset: string,
  flags: LedgerFlags,
): Promise<{ readonly ledger: Ledger; readonly account: DatasetAccount } | undefined> {
  const { ledgerPlace, LedgerMissingError } = await import('@hushrec/ledger');
  try {
    return await openDatasetLedger(dataset, flags, 'read');
  } catch (error) {
    if (error instanceof LedgerMissingError && ledgerPlace(flags.ledger).isDefault) return undefined;
    throw error;
  }
}
