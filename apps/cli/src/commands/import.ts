import type { Command } from 'commander';
import { clusterText, importFromCluster } from '../cluster-source.js';
import { addCommand, type CommandContext, OptionError, type Outcome } from '../command.js';
import {
  addSourceFlags,
  askedOf,
  importedLines,
  importOptions,
  importWithScale,
  type SourceFlags,
} from '../data-source.js';
import { addLedgerFlags } from '../dataset-ledger.js';
import {
  addEngineFlags,
  addStorageFlag,
  type EngineFlags,
  enginePlace,
  openCluster,
} from '../engine-flags.js';
import { type AccountFlags, importIntoAccount } from '../import-account.js';

interface ImportFlags extends SourceFlags, AccountFlags, EngineFlags {
  readonly name?: string;
  readonly overwrite?: boolean;
  readonly append?: boolean;
}

export function registerImport(program: Command): void {
  addCommand<ImportFlags>(program, {
    usage: 'import <source> <dir>',
    summary: 'read ratings from files, archives, PostgreSQL or SQLite into a dataset folder',
    examples: [
      'hushrec import ml-1m.zip movies',
      'hushrec import ratings.csv shop --columns customer,product,stars,when --scale 1:5:1',
      'hushrec import ratings-week-2.csv shop --append',
      'hushrec import ratings.csv shop --scale 1:5:1 --items items.csv --catalogue items.csv',
      "hushrec import postgres://localhost/shop shop --query 'select customer, product, stars from ratings' --scale 1:5:1",
      'hushrec import s3a://shop/ratings.parquet shop --engine sc://127.0.0.1:15002 --storage s3a://shop/hushrec --scale 1:5:1',
      'hushrec import table:main.sales.ratings shop --engine sc://127.0.0.1:15002 --storage s3a://shop/hushrec --scale 1:5:1',
    ],
    fields: [
      'dataset',
      'people',
      'users',
      'items',
      'ratings',
      'duplicates',
      'badRows',
      'format',
      'scale',
      'contentHash',
      'account',
      'ledger',
    ],
    configure: (command) => {
      addSourceFlags(command);
      command
        .option('--overwrite', 'replace an existing data set; its account stays')
        .option('--append', 'add to an existing data set; its account stays');
      addLedgerFlags(command);
      addEngineFlags(command);
      addStorageFlag(command);
    },
    run: ([source, directory], flags, context) => importHere(source, directory, flags, context),
  });
}

async function importHere(
  source: string,
  directory: string,
  flags: ImportFlags,
  context: CommandContext,
): Promise<Outcome> {
  const engine = enginePlace(flags, source);
  if (engine.kind === 'spark') return importOnSpark(engine.url, source, directory, flags, context);
  const options = {
    ...(await importOptions(flags, context)),
    overwrite: flags.overwrite === true,
    append: flags.append === true,
    asked: askedOf(flags),
  };
  const report = await importIntoAccount(directory, flags, context, (more) =>
    importWithScale(source, directory, { ...options, ...more }, context),
  );
  const { manifest, doubtful: _, ...counts } = report;
  return {
    json: {
      dataset: directory,
      ...counts,
      users: counts.people, // what programs that read this called it
      scale: manifest.scale,
      contentHash: manifest.contentHash,
      account: manifest.account,
    },
    text: importedLines(directory, report).join('\n'),
  };
}

/**
 * Prepares Parquet or a table on a cluster's storage; the folder gets the catalogue and the account, and no
 * people.
 */
async function importOnSpark(
  url: string,
  source: string,
  directory: string,
  flags: ImportFlags,
  context: CommandContext,
): Promise<Outcome> {
  if (flags.append === true || flags.query !== undefined || (flags.format ?? 'parquet') !== 'parquet')
    throw new OptionError(
      'On a cluster Parquet or a table is imported, whole: leave --append, --query and --format out.',
    );
  const connection = await openCluster(url, flags, context);
  try {
    const { manifest, place, badRows, duplicates, ledger } = await importFromCluster(
      connection,
      source,
      directory,
      flags,
      context,
      flags.overwrite === true,
    );
    const { people, ratings } = place.manifest;
    const { account, scale, items } = manifest;
    return {
      json: {
        ...{
          dataset: directory,
          people,
          users: people,
          items,
          ratings,
          duplicates,
          badRows,
          format: manifest.provenance['format'],
          scale,
        },
        ...{ contentHash: manifest.contentHash, account, ledger, blocks: place.blocks },
      },
      text: [
        `${directory}: ${clusterText(place)} at ${place.blocks}; ${items} items.`,
        duplicates > 0 ? `${duplicates} earlier ratings of a pair were replaced by the later one.` : '',
        badRows > 0 ? `${badRows} bad rows were left out.` : '',
        `Account ${account.name} (${account.id}) in ${ledger}.`,
        'The list of items becomes public with any model; if an item’s mere existence is private, leave it out.',
      ]
        .filter((line) => line !== '')
        .join('\n'),
    };
  } finally {
    await connection.close();
  }
}
