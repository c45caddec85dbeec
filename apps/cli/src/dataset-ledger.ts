import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Ledger } from '@hushrec/ledger';
import type { DatasetAccount } from '@hushrec/ratings';
import { type Command, Option } from 'commander';
import { numberOption, usualDelta } from './command.js';
import { CommandError, exitCodes } from './exit-codes.js';
import { knownDatasetFolder } from './imported-folder.js';

/** `--ledger` and `--new-ledger`, the same for every command that spends or shows. */
export interface LedgerFlags {
  readonly ledger?: string;
  readonly newLedger?: boolean;
}

/** A ledger, opened, and the account in it that a command is about. */
export interface AccountLedger {
  readonly ledger: Ledger;
  readonly account: DatasetAccount;
  /** The data set folder that was named, if one was. */
  readonly directory: string | undefined;
}

/** For commands on people whose ledger is there already. */
export function addLedgerFlag(command: Command): Command {
  return command.addOption(
    new Option(
      '--ledger <location>',
      'SQLite file or postgres:// address (default: one file for all accounts of this user)',
    ).env('HUSHREC_LEDGER'),
  );
}

export function addLedgerFlags(command: Command): Command {
  return addLedgerFlag(command).option('--new-ledger', 'make an empty ledger at --ledger if there is none');
}

/** For commands that state what was spent. */
export function addStatedDelta(command: Command): Command {
  return command.option(
    '--delta <number>',
    'δ at which to state ε if no grant names one',
    numberOption('delta'),
    usualDelta,
  );
}

/**
 * The ledger and the account of a data set folder, or of the file it was imported from. Reads the manifest,
 * and for commands that write the ids of its people, which the ledger must know before it decides anything
 * about them: showing a budget must not touch any rating. Only the default ledger is made unasked, and only
 * by commands that write.
 */
export async function openDatasetLedger(
  dataset: string,
  flags: LedgerFlags,
  use: 'read' | 'write' | 'accept loss',
): Promise<AccountLedger> {
  const { ledgerPlace, openLedger } = await import('@hushrec/ledger');
  const { readManifest } = await import('@hushrec/ratings');
  const directory = knownDatasetFolder(dataset);
  const { account, provenance } = await readManifest(directory);
  const { location, isDefault } = ledgerPlace(flags.ledger);
  const ledger = await openLedger(location, {
    create: flags.newLedger === true || (isDefault && use !== 'read'),
    markIn: directory,
    acceptingLoss: use === 'accept loss',
  });
  try {
    // People that `hushrec generate` made up are nobody, and all such data sets number them alike.
    const isMadeUp = provenance['recipe'] !== undefined;
    if (use === 'write' && !isMadeUp) await rememberPeople(ledger, account, directory);
    if (use === 'write') await ledger.nameAccount(account.id, account.name);
  } catch (error) {
    await ledger.close();
    throw error;
  }
  return { account, ledger, directory };
}

/**
 * Whoever is in the data set is known to its account from here on, durably, also where an import was killed,
 * or was made with another ledger. Costs a keyed hash a person; writes nothing where
 * all are known. Of people on a cluster the folder has no ids: they were added when it was imported.
 */
async function rememberPeople(ledger: Ledger, account: DatasetAccount, directory: string): Promise<void> {
  const { readUserIds } = await import('@hushrec/ratings');
  await ledger.addPeople(account.id, await readUserIds(directory));
}

/** The same for an account of the ledger, by its name or id, or for a data set folder. */
export async function openAccountLedger(
  named: string,
  flags: LedgerFlags,
  use: 'read' | 'write',
): Promise<AccountLedger> {
  if (existsSync(join(knownDatasetFolder(named), 'dataset.json')))
    return openDatasetLedger(named, flags, use);
  const { ledgerPlace, LedgerMissingError, openLedger } = await import('@hushrec/ledger');
  const { location, isDefault } = ledgerPlace(flags.ledger);
  const ledger = await openLedger(location).catch((error: unknown) => {
    if (!(isDefault && error instanceof LedgerMissingError)) throw error;
    throw new CommandError(
      exitCodes.badData,
      `${named}: there is no such data set, and no ledger yet at ${location} that could know an account of this name.`,
    );
  });
  try {
    return { ledger, account: await accountCalled(named, ledger), directory: undefined };
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

/**
 * The same, or undefined where there is no ledger and hence no grant. A ledger that someone named must be
 * there.
 */
export async function datasetLedgerIfThere(
  dataset: string,
  flags: LedgerFlags,
): Promise<AccountLedger | undefined> {
  const { ledgerPlace, LedgerMissingError } = await import('@hushrec/ledger');
  try {
    return await openDatasetLedger(dataset, flags, 'read');
  } catch (error) {
    if (error instanceof LedgerMissingError && ledgerPlace(flags.ledger).isDefault) return undefined;
    throw error;
  }
}

/**
 * The ledger of a training, opened when it is asked for: to pay, where one is made if need be, or to see what
 * is granted, where there may be none.
 */
export function ledgerFor(dataset: string, flags: LedgerFlags) {
  return async (use: 'read' | 'write'): Promise<Ledger | undefined> =>
    use === 'write'
      ? (await openDatasetLedger(dataset, flags, 'write')).ledger
      : (await datasetLedgerIfThere(dataset, flags))?.ledger;
}

/** Opens, works, closes. */
export async function withAccountLedger<Result>(
  named: string,
  flags: LedgerFlags,
  use: 'read' | 'write',
  work: (opened: AccountLedger) => Promise<Result>,
): Promise<Result> {
  const opened = await openAccountLedger(named, flags, use);
  try {
    return await work(opened);
  } finally {
    await opened.ledger.close();
  }
}

/** Opens the ledger for what two accounts are to each other; the second one is looked at first. */
export async function withTwoAccounts<Result>(
  named: string,
  other: string,
  flags: LedgerFlags,
  work: (ledger: Ledger, account: DatasetAccount, other: DatasetAccount) => Promise<Result>,
): Promise<Result> {
  const second = await withAccountLedger(other, flags, 'write', async ({ account }) => account);
  return withAccountLedger(named, flags, 'write', ({ ledger, account }) => work(ledger, account, second));
}

/**
 * The one account of this name or id; where it was merged into another, that one. An error that lists those
 * there are otherwise.
 */
export async function accountCalled(named: string, ledger: Ledger): Promise<DatasetAccount> {
  const known = await ledger.accounts();
  const accounts = [...known].map(([id, { name }]) => ({ id, name: name ?? id }));
  const called = accounts.filter(({ id, name }) => id === named || name === named);
  const roots = [...new Set(called.map(({ id }) => known.get(id)?.mergedInto ?? id))];
  const found = roots.map((id) => ({ id, name: known.get(id)?.name ?? id }));
  if (found.length === 1) return found[0];
  const list = (all: readonly DatasetAccount[]) => all.map(({ id, name }) => `${name} (${id})`).join(', ');
  throw new CommandError(
    exitCodes.badData,
    found.length === 0
      ? `${named}: there is no such data set, and no such account in ${ledger.location}. ${accounts.length === 0 ? 'It has none yet.' : `It has ${list(accounts)}.`}`
      : `${named}: several accounts have this name: ${list(found)}. Give the id of one.`,
  );
}
