import type { ImportReport } from '@hushrec/ratings';
import type { Command } from 'commander';
import { addCommand } from '../command.js';
import { addSourceFlags, askedOf, importOptions, importWithScale, type SourceFlags } from '../data-source.js';
import { addLedgerFlags } from '../dataset-ledger.js';
import { type AccountFlags, importIntoAccount } from '../import-account.js';

interface ImportFlags extends SourceFlags, AccountFlags {
  readonly name?: string;
  readonly overwrite?: boolean;
  readonly append?: boolean;
}

export function registerImport(program: Command): void {
  addCommand<ImportFlags>(program, {
    usage: 'import <source> <dir>',
    summary: 'read ratings from files, archives, Parquet or PostgreSQL into a dataset folder',
    examples: [
      'hushrec import ml-1m.zip movies',
      'hushrec import ratings.csv shop --columns customer,product,stars,when --scale 1:5:1',
      'hushrec import ratings-week-2.csv shop --append',
      'hushrec import ratings.csv shop --scale 1:5:1 --items items.csv --catalogue items.csv',
      "hushrec import postgres://localhost/shop shop --query 'select customer, product, stars from ratings' --scale 1:5:1",
    ],
    fields: [
      'dataset',
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
        .option('--name <text>', 'what the data set is called')
        .option('--overwrite', 'replace a data set that is already there; its account stays')
        .option('--append', 'add to a data set that is already there; its account stays');
      addLedgerFlags(command);
    },
    run: async ([source, directory], flags, context) => {
      const options = {
        ...(await importOptions(flags, context)),
        ...(flags.name !== undefined && { name: flags.name }),
        overwrite: flags.overwrite === true,
        append: flags.append === true,
        asked: askedOf(flags),
      };
      const report = await importIntoAccount(directory!, flags, context, (more) =>
        importWithScale(source!, directory!, { ...options, ...more }, context),
      );
      const { manifest, ...counts } = report;
      const { account } = manifest;
      const lines = [
        `${directory}: ${counts.users} people, ${counts.items} items, ${counts.ratings} ratings (${counts.format}).`,
        counts.duplicates > 0
          ? `${counts.duplicates} earlier ${counts.duplicates === 1 ? 'rating of a pair was' : 'ratings of a pair were'} replaced by the later one.`
          : '',
        counts.badRows > 0
          ? `${counts.badRows} bad ${counts.badRows === 1 ? 'row was' : 'rows were'} left out.`
          : '',
        counts.unusedColumns.length > 0 ? `Not read: ${counts.unusedColumns.join(', ')}.` : '',
        ...itemTableLines(report),
        `${manifest.scale.min === manifest.scale.max ? 'Implicit feedback' : `Scale ${manifest.scale.min} to ${manifest.scale.max}`}${manifest.hasTimes ? ', with times' : ', without times'}.`,
        `Account ${account.name} (${account.id}) in ${report.ledger}.`,
        'The list of items becomes public with any model; if an item’s mere existence is private, leave it out.',
      ];
      return {
        json: {
          dataset: directory,
          ...counts,
          scale: manifest.scale,
          contentHash: manifest.contentHash,
          account,
        },
        text: lines.filter((line) => line !== '').join('\n'),
      };
    },
  });
}

/** What became of the table about items. */
function itemTableLines({ itemTable, items, itemsWithoutTitle }: ImportReport): readonly string[] {
  if (itemTable === undefined) return [];
  const { learned, unused, unknownRows } = itemTable;
  return [
    `Titles of ${items - itemsWithoutTitle} of ${items} items${unknownRows > 0 ? `; ${unknownRows} rows are about items that nobody rated (--catalogue gives them a place)` : ''}.`,
    learned.length > 0 ? `Public features: ${learned.join(', ')}.` : '',
    unused.length > 0
      ? `Not used: ${unused.join(', ')}; almost every item has a value of its own there.`
      : '',
  ];
}
