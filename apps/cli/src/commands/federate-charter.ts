import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Admission, Catalogue, Pace } from '@hushrec/federate';
import type { Command } from 'commander';
import { addCommand, integerOption, numberOption, OptionError, type Outcome, repeated } from '../command.js';
import {
  addFeatureFiles,
  addFeatureFlags,
  type FeatureFlags,
  leavesOutFeatures,
  unusedSources,
} from '../feature-files.js';
import { deltaOption, settingsOf } from '../training-options.js';
import { version } from '../version.js';
import { refuseTaken, writeNew, writeWhole } from '../whole-file.js';
import { addNoiseFlags, type NoiseFlags, noiseMakers } from './federate-noise.js';
import { readCard, refuseStaleCertificates } from './federate-role.js';

interface CharterOptions extends NoiseFlags, FeatureFlags {
  readonly catalogue: string;
  readonly scale?: string;
  readonly method: string;
  readonly epsilon: number;
  readonly delta: number;
  readonly set?: readonly string[];
  readonly people: number;
  readonly coordinator: string;
  readonly aggregator?: readonly string[];
  readonly party?: readonly string[];
  readonly issuer?: string;
  readonly least?: number;
  readonly longest: number;
  readonly opens?: string;
  readonly window?: number;
  readonly screening: number;
  readonly visits?: number;
  readonly acceptWeak?: boolean;
}

const neverChanged = 'A charter is never changed; choose another folder.';

export function registerCharter(group: Command): void {
  addCommand<CharterOptions>(group, {
    usage: 'charter <folder>',
    summary:
      'write down a federated run before any data is touched: what, with which noise, added up by whom',
    examples: [
      'hushrec federate charter run --catalogue items.csv --scale 1:5:1 --epsilon 5 --people 10000 --coordinator board.json --aggregator north.json --aggregator south.json --party north.json --party south.json --party west.json',
      'hushrec federate charter run --catalogue items.csv --scale 1:5:1 --epsilon 5 --people 100000 --coordinator site.json --aggregator site.json --aggregator trust.json --opens 2027-01-01T00:00:00Z --window 86400',
    ],
    fields: ['charter', 'hash', 'epsilon', 'delta', 'exchanges', 'bytesSent', 'noiseOnSum'],
    configure: addCharterFlags,
    run: ([folder], options, { say }) => writeCharter(folder, options, say),
  });
}

function addCharterFlags(command: Command): void {
  command
    .requiredOption(
      '--catalogue <path>',
      'public items: a table (item,title,…) or a data set folder, of which no rating is read',
    )
    .option('--scale <min:max:step>', 'declared rating scale; that of a data set folder when absent')
    .option('--method <name>', 'training method; it must protect people', 'hush')
    .requiredOption(
      '--epsilon <number>',
      'privacy bound ε of the whole run for one person',
      numberOption('epsilon'),
    )
    .addOption(deltaOption())
    .option('--set <key=value>', 'a setting of the method (repeatable)', repeated)
    .requiredOption(
      '--people <n>',
      'most people that can take part: sizes the words, no noise depends on it',
      integerOption('people', 1),
    )
    .requiredOption('--coordinator <card>', 'identity.json of the coordinator')
    .option('--aggregator <card>', 'identity.json of an aggregator (repeatable; two or more)', repeated)
    .option(
      '--party <card>',
      'identity.json of a party (repeatable); without parties everyone may take part',
      repeated,
    )
    .option(
      '--issuer <card>',
      'identity.json of whoever invites devices and signs their tokens; without one everyone may take part, also many times',
    );
  addFeatureFlags(command);
  addNoiseFlags(command)
    .option(
      '--least <n>',
      'fewer reports are never added up (parties: all of them)',
      integerOption('least', 1),
    )
    .option(
      '--longest <seconds>',
      'how long an exchange waits for absent parties',
      integerOption('longest', 1),
      3600,
    )
    .option('--opens <time>', 'for devices: when the first window opens (ISO 8601)')
    .option(
      '--screening <fraction>',
      'for devices: part of the privacy set aside to find reports that no person can have; 0 for none',
      numberOption('screening'),
      0.05,
    )
    .option('--window <seconds>', 'for devices: length of each window', integerOption('window', 1))
    .option(
      '--visits <seconds>',
      'for devices: how often a device comes, where that is less often than once a window: 604800 for once a week',
      integerOption('visits', 1),
    )
    .option('--accept-weak', 'allow an ε above 20, or a δ above 1/(10 × --people)');
}

/** Drafts a charter and writes it, with its catalogue, into a folder that has none. */
async function writeCharter(
  folder: string,
  options: CharterOptions,
  say: (line: string) => void,
): Promise<Outcome> {
  const file = join(folder, 'charter.json');
  refuseTaken(file, neverChanged);
  const { checkCertifiable } = await import('@hushrec/model');
  checkCertifiable(options, 'written');
  const catalogue = await publicCatalogue(options, say);
  const signed = await draftFor(catalogue, options, say);
  // A catalogue without a charter is what an interrupted command left.
  await writeWhole(join(folder, 'catalogue.json'), `${JSON.stringify(catalogue)}\n`);
  await writeNew(file, `${JSON.stringify(signed, null, 1)}\n`, neverChanged);
  const { bytesOf, charterWords, noiseOnSum } = await import('@hushrec/federate');
  const { charter, hash } = signed;
  return {
    json: {
      charter: file,
      hash,
      epsilon: charter.plan.epsilon,
      delta: charter.plan.delta,
      exchanges: charter.exchanges.length,
      bytesSent: bytesOf(charter).sent,
      noiseOnSum: noiseOnSum(charter),
    },
    text: [
      ...charterWords(charter),
      ...windowFault(charter.pace),
      '',
      `${file} (hash ${hash.slice(0, 16)}…) and the catalogue beside it go to everyone.`,
      `Every aggregator${charter.admission.kind === 'issuer' ? ' and the issuer sign' : ' signs'} it with \`hushrec federate sign\`; only then does it hold.`,
    ].join('\n'),
  };
}

async function draftFor(catalogue: Catalogue, options: CharterOptions, say: (line: string) => void) {
  const { catalogueHash, decodeFeatures, draftCharter } = await import('@hushrec/federate');
  const { createEngine } = await import('@hushrec/numerics');
  await (await import('@hushrec/train/load-papers')).loadPapers();
  const { methodById, settingsForFeedback } = await import('@hushrec/factorize');
  const aggregators = await Promise.all((options.aggregator ?? []).map(readCard));
  if (aggregators.length === 0)
    throw new OptionError('Give --aggregator at least twice: shares of one aggregator hide nothing from it.');
  const parties = await Promise.all((options.party ?? []).map(readCard));
  const admission: Admission =
    parties.length > 0
      ? { kind: 'parties', parties: parties.map(({ url: _url, ...card }) => card) }
      : options.issuer !== undefined
        ? { kind: 'issuer', issuer: await readCard(options.issuer) }
        : { kind: 'open' };
  const coordinator = await readCard(options.coordinator);
  await refuseStaleCertificates({ coordinator, aggregators, admission });
  const presence = Math.min(1, (options.window ?? 1) / (options.visits ?? options.window ?? 1));
  const method = methodById(options.method);
  const features = decodeFeatures(catalogue.features);
  if (options.features !== undefined) for (const line of unusedSources([method], features)) say(line);
  const engine = await createEngine({ kernel: 'simd', threads: 1 });
  try {
    return await draftCharter(
      {
        method: method.id,
        settings: settingsForFeedback(method, catalogue.scale, settingsOf(options.set)),
        epsilon: options.epsilon,
        delta: options.delta,
        catalogue: {
          itemCount: catalogue.itemIds.length,
          scale: catalogue.scale,
          hash: await catalogueHash(catalogue),
        },
        coordinator,
        aggregators,
        noise: noiseMakers(options, parties.length),
        mostPeople: options.people,
        ...(presence < 1 && { declaredPeople: Math.max(1, Math.round(presence * options.people)) }),
        leastReports: options.least ?? Math.max(1, parties.length),
        pace: (exchanges) => paceOf(options, parties.length, exchanges),
        admission,
        codeVersion: version,
        acceptWeak: options.acceptWeak === true,
        ...(parties.length === 0 && options.screening !== 0 && { screening: options.screening }),
      },
      { engine, features },
    );
  } finally {
    await engine.close();
  }
}

function paceOf(
  { opens, window, longest, visits }: CharterOptions,
  parties: number,
  exchanges: number,
): Pace {
  if (parties > 0 && (opens ?? window ?? visits) !== undefined)
    throw new OptionError(
      '--opens, --window and --visits are for devices. Among parties an exchange ends when all have handed in, or after --longest.',
    );
  if (parties > 0) return { kind: 'reports', count: parties, longestSeconds: longest };
  if (opens === undefined || window === undefined || Number.isNaN(Date.parse(opens)))
    throw new OptionError(
      'Without parties an exchange ends at a fixed time: give --opens 2027-01-01T00:00:00Z and --window SECONDS.',
    );
  const at = (exchange: number) => new Date(Date.parse(opens) + 1000 * window * exchange).toISOString();
  return {
    kind: 'windows',
    windows: Array.from({ length: exchanges }, (_, exchange) => ({
      opens: at(exchange),
      closes: at(exchange + 1),
    })),
    ...(visits !== undefined && visits > window && { visitSeconds: visits }),
  };
}

/** Windows that nobody can use any more are no error (times in a guide grow old), but hardly meant. */
function windowFault(pace: Pace): string[] {
  if (pace.kind !== 'windows' || Date.parse(pace.windows[0].closes) > Date.now()) return [];
  return [
    `The first window closed at ${pace.windows[0].closes}, which is over: write another charter with a later --opens.`,
  ];
}

/** Items, titles and features that everyone may know. */
async function publicCatalogue(
  { catalogue: path, scale: given, ...flags }: CharterOptions,
  say: (line: string) => void,
): Promise<Catalogue> {
  const { encodeFeatures } = await import('@hushrec/federate');
  const { openDataset, parseScale, publishedItems, readCatalogue, readItemTable, readManifest } =
    await import('@hushrec/ratings');
  const isDataset = existsSync(join(path, 'dataset.json'));
  if (!isDataset && given === undefined)
    throw new OptionError('Give --scale min:max:step: what ratings can be, agreed on by all.');
  const scale = given === undefined ? (await readManifest(path)).scale : parseScale(given);
  const described = async () => {
    if (isDataset) {
      const dataset = await openDataset(path);
      return { items: publishedItems(dataset), own: dataset.features };
    }
    const itemIds = [...(await readCatalogue(path))];
    const { titles: itemTitles, links, images, features } = await readItemTable(path, itemIds);
    return {
      items: publishedItems({
        itemIds,
        itemTitles,
        ...(links && { itemLinks: links }),
        ...(images && { itemImages: images }),
      }),
      own: features ? [features] : [],
    };
  };
  const { items, own } = await described();
  const files = await addFeatureFiles(flags, { itemIds: items.itemIds, ratings: { scale } }, say);
  const features = leavesOutFeatures(flags) ? [] : [...own, ...files];
  return {
    format: 'hushrec-catalogue-1',
    scale,
    ...items,
    ...(features.length > 0 && { features: encodeFeatures(features) }),
  };
}
