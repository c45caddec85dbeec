import { join, resolve } from 'node:path';
import type { Dataset, RatingMatrix, TableColumn } from '@hushrec/ratings';
import type { Command } from 'commander';
import { addCommand, OptionError } from '../command.js';
import { addScaleFlag, datasetFolder, type SourceFlags } from '../data-source.js';
import { besideDataset } from '../imported-folder.js';
import {
  addProtocolFlags,
  checkProtocolFlags,
  type ProtocolFlags,
  ratingsFor,
  splitFor,
} from '../protocol.js';

interface SplitFlags extends SourceFlags, ProtocolFlags {
  readonly out?: string;
  readonly overwrite?: boolean;
}

export function registerSplit(program: Command): void {
  addCommand<SplitFlags>(program, {
    usage: 'split <dataset>',
    summary: 'write the parts of a protocol as CSV files, to compare with other libraries on one split',
    examples: [
      'hushrec split movies --protocol holdout --out parts',
      'hushrec split ratings.csv --scale 1:5:1 --protocol strong-generalization --liked 4',
    ],
    fields: ['out', 'protocol', 'splitSeed', 'parts (rows of each)'],
    configure: (command) => {
      addProtocolFlags(command, 'which ratings are held out (holdout unless given)');
      command
        .option('--out <folder>', 'folder for the files (<dataset>-split)')
        .option('--overwrite', 'replace existing files');
      addScaleFlag(command);
    },
    run: async ([path], given, context) => {
      const flags = { ...given, protocol: given.protocol ?? 'holdout' } as const;
      checkProtocolFlags(flags);
      if (flags.protocol === 'k-fold')
        throw new OptionError(
          '--protocol k-fold has no single split: holdout with other --split-seed values.',
        );
      const { disk, openDataset } = await import('@hushrec/ratings');
      const directory = await datasetFolder(path, flags, context);
      const out = resolve(flags.out ?? besideDataset(directory, 'split'));
      const dataset = await openDataset(directory);
      const split = await splitFor(dataset, await ratingsFor(dataset, flags), flags);
      const parts = partsOf(split);
      await disk.makeFolder(out, 0o700);
      const counts: Record<string, number> = {};
      for (const [name, part] of Object.entries(parts)) {
        context.signal.throwIfAborted();
        await writePart(join(out, `${name}.csv`), part, dataset, flags);
        counts[name] = part.ratings.byUser.values.length;
      }
      return {
        json: { out, protocol: flags.protocol, splitSeed: flags.splitSeed, parts: counts },
        text: [
          ...Object.entries(counts).map(([name, rows]) => `${join(out, `${name}.csv`)}: ${rows} rows.`),
          'The files hold people’s ratings: keep them as you keep the source.',
        ].join('\n'),
      };
    },
  });
}

/** Some ratings; row k is person `users[k]` of the data set, or person k. */
interface Part {
  readonly ratings: RatingMatrix;
  readonly users?: Uint32Array;
}

function partsOf(split: Awaited<ReturnType<typeof splitFor>>): Readonly<Record<string, Part>> {
  switch (split.protocol) {
    case 'holdout':
      return {
        train: { ratings: split.train },
        validation: { ratings: split.validation },
        test: { ratings: split.test },
      };
    case 'leave-one-out':
      return { train: { ratings: split.train }, test: { ratings: split.test } };
    case 'strong-generalization': {
      const { train, trainUsers, validation, test } = split;
      return {
        train: { ratings: train, users: trainUsers },
        'validation-history': { ratings: validation.history, users: validation.users },
        'validation-target': { ratings: validation.target, users: validation.users },
        'test-history': { ratings: test.history, users: test.users },
        'test-target': { ratings: test.target, users: test.users },
      };
    }
  }
}

/** Rows that are put into text together. */
const rowsPerBlock = 50_000;

/** `user,item[,rating][,time]`: what importing the file again reads as the same ratings. */
async function writePart(
  file: string,
  { ratings, users }: Part,
  { userIds, itemIds }: Pick<Dataset, 'userIds' | 'itemIds'>,
  { overwrite }: SplitFlags,
): Promise<void> {
  const { openRowOutput, shortest } = await import('@hushrec/ratings');
  const { byUser, times, scale } = ratings;
  const columnsOf = (start: number, end: number, people: readonly string[]): TableColumn[] => [
    { name: 'user', type: 'text', data: people },
    {
      name: 'item',
      type: 'text',
      data: Array.from(byUser.indices.subarray(start, end), (item) => itemIds[item]),
    },
    ...(scale.min === scale.max
      ? []
      : [
          {
            name: 'rating',
            type: 'text',
            data: Array.from(byUser.values.subarray(start, end), shortest),
          } as const,
        ]),
    ...(times === undefined
      ? []
      : [{ name: 'time', type: 'float64', data: times.subarray(start, end) } as const]),
  ];
  const output = await openRowOutput(file, columnsOf(0, 0, []), { overwrite: overwrite === true });
  try {
    let [start, people]: [number, string[]] = [0, []];
    for (let row = 0; row < byUser.rowCount; row++) {
      const end = byUser.offsets[row + 1];
      const name = userIds[users === undefined ? row : users[row]];
      for (let k = byUser.offsets[row]; k < end; k++) people.push(name);
      if (people.length < rowsPerBlock && row < byUser.rowCount - 1) continue;
      await output.write(columnsOf(start, end, people));
      [start, people] = [end, []];
    }
    await output.finish();
  } finally {
    await output.abandon();
  }
}
