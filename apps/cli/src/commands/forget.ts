import { readFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import type { Command } from 'commander';
import { addCommand, OptionError, type Outcome, repeated } from '../command.js';
import { CommandError, exitCodes } from '../exit-codes.js';
import { knownDatasetFolder } from '../imported-folder.js';
import { folderOfAccount } from './refresh.js';

interface ForgetFlags {
  readonly person?: readonly string[];
  readonly from?: string;
}

export function registerForget(program: Command): void {
  addCommand<ForgetFlags>(program, {
    usage: 'forget <account>',
    summary: 'remove people from a data set, and keep them out of the next import',
    examples: [
      'hushrec forget shop --person customer-4711',
      'hushrec forget shop --from - < who-asked.txt   (an id a line; not in the history of the shell)',
    ],
    fields: ['dataset', 'account', 'asked', 'removed', 'alike', 'people', 'contentHash', 'doNotImport'],
    configure: (command) => {
      command
        .option('--person <id>', 'id of a person, as in the ratings (repeatable)', repeated)
        .option('--from <file>', 'file with an id on each line; - for standard input');
    },
    run: ([account], flags) => forget(account, flags),
  });
}

async function forget(named: string, flags: ForgetFlags): Promise<Outcome> {
  const { forgetPeople, forgottenFileOf, readManifest } = await import('@hushrec/ratings');
  const ids = [...new Set([...(flags.person ?? []), ...(await idsFrom(flags.from))])];
  if (ids.length === 0 || ids.includes(''))
    throw new OptionError(
      'Say who: --person ID, or --from a file with an id on each line (- for standard input).',
    );
  const directory = (await folderOfAccount(named)) ?? knownDatasetFolder(named);
  const before = await readManifest(directory);
  if (before.provenance['cluster'] !== undefined)
    throw new CommandError(
      exitCodes.badData,
      `${directory}: its people are on a cluster. Remove them from the source there, and import it again.`,
    );
  const { removed, alike, isListNew, manifest } = await forgetPeople(directory, ids);
  const list = forgottenFileOf(directory);
  return {
    json: {
      dataset: directory,
      account: manifest.account,
      asked: ids.length,
      removed,
      alike,
      people: manifest.people,
      contentHash: manifest.contentHash,
      doNotImport: list,
    },
    text: [
      `${directory}: ${removed} of ${ids.length} ${ids.length === 1 ? 'person was' : 'people were'} there, and removed with all ratings. What killed imports had left here went too.`,
      `The next imports and refreshes of this data set leave ${ids.length === 1 ? 'this person' : 'these people'} out, by keyed hashes of ids in ${list}. Keep that file with the data set; it is as confidential.`,
      ...(alike === 0
        ? []
        : [
            `WARNING: ${alike} ${alike === 1 ? 'person who is' : 'people who are'} still there, with an id that differs from one of these by spaces or by the Unicode form of a letter alone. If they are the same, forget that id too.`,
          ]),
      ...(isListNew
        ? [
            `WARNING: the list of those who asked before was not there, and began anew: the next import would bring them back. Put it back at ${list} and run this command again, or name all of them again.`,
          ]
        : []),
      ...whatStays,
    ].join('\n'),
  };
}

/** What no command can take back, or does not know of, and why. */
const whatStays = [
  'What stays, and why:',
  '- In the ledger: keyed hashes of ids (the sketch that knows the same people again) and what was spent on them. Without them budgets would be whole again.',
  '- In published models: their part, in noise. The ε of the certificates bounds what anyone can tell from it; the next training is without them. Models without a guarantee have no such bound: train them again, and delete copies in *.versions.',
  '- In the memory of refreshes (*.memory): their part in sums of everyone, in noise, bounded by the ε of the chain that certificates state. `hushrec refresh --begin-anew` leaves it behind.',
  '- Items that nobody else rated stay in the list of items, until all ratings are imported anew.',
  '- Not known here: the source of the ratings, backups, exports, other data sets, and *.noise-key of runs that stopped. Those runs cannot be resumed any more: delete their keys.',
  'Ask counsel whether that is what the law requires.',
];

async function idsFrom(from: string | undefined): Promise<readonly string[]> {
  if (from === undefined) return [];
  const text = from === '-' ? await textOf(process.stdin) : await readFile(from, 'utf8');
  return text.split(/\r?\n/).filter((line) => line !== '');
}
