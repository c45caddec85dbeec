import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Admission, Card, Catalogue, Pace } from '@hushrec/federate';
import type { Command } from 'commander';
import { addCommand, OptionError, type Outcome } from '../command.js';
import { addFeatureFiles, leavesOutFeatures, unusedSources } from '../feature-files.js';
import { version } from '../version.js';
import { refuseTaken, writeNew, writeWhole } from '../whole-file.js';
import { type RunRequest, readRequest, requestFields } from './charter-request.js';
import { noiseMakers } from './federate-noise.js';
import { readCard, refuseStaleCertificates } from './federate-role.js';

interface CharterOptions {
  readonly acceptWeak?: boolean;
}

const neverChanged = 'A charter is never changed; choose another folder.';

export function registerCharter(group: Command): void {
  addCommand<CharterOptions>(group, {
    usage: 'charter <folder> <request>',
    summary:
      'write down a federated run before any data is touched: what, with which noise, added up by whom',
    examples: [
      'hushrec federate charter run run.json',
      'hushrec federate charter run run.json --accept-weak',
    ],
    fields: ['charter', 'hash', 'epsilon', 'delta', 'exchanges', 'bytesSent', 'noiseOnSum'],
    notes: fieldsHelp(),
    configure: (command) => {
      command.option('--accept-weak', 'allow an ε above 20, or a δ above 1/(10 × people)');
    },
    run: ([folder, request], options, { say }) => writeCharter(folder, request, options, say),
  });
}

/** What may stand in a request, for `--help`. */
function fieldsHelp(): string {
  const rows = requestFields.map(
    ([name, what, isNeeded]) => `  ${`${name}${isNeeded ?? ''}`.padEnd(14)}${what}`,
  );
  return `Fields of <request>, a JSON file (* required; paths are relative to its folder):\n${rows.join('\n')}`;
}

/** Drafts a charter and writes it, with its catalogue, into a folder that has none. */
async function writeCharter(
  folder: string,
  requestFile: string,
  { acceptWeak }: CharterOptions,
  say: (line: string) => void,
): Promise<Outcome> {
  const file = join(folder, 'charter.json');
  refuseTaken(file, neverChanged);
  const { checkCertifiable } = await import('@hushrec/model/making');
  const request = await readRequest(requestFile);
  checkCertifiable(request, 'written');
  const catalogue = await publicCatalogue(request, say);
  const signed = await draftFor(catalogue, request, acceptWeak === true, say);
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

async function draftFor(
  catalogue: Catalogue,
  request: RunRequest,
  acceptWeak: boolean,
  say: (line: string) => void,
) {
  const { catalogueHash, decodeFeatures, draftCharter } = await import('@hushrec/federate');
  const { createEngine } = await import('@hushrec/numerics');
  await (await import('@hushrec/train/load-papers')).loadPapers();
  const { methodById, settingsForFeedback } = await import('@hushrec/factorize');
  refuseIdleFields(request, request.parties.length);
  const aggregators = await Promise.all(request.aggregators.map(readCard));
  if (aggregators.length === 0)
    throw new OptionError(
      '"aggregators" is empty. Name two or more: shares of one aggregator hide nothing from it.',
    );
  const parties = await Promise.all(request.parties.map(readCard));
  const admission = await admissionOf(request, parties);
  const coordinator = await readCard(request.coordinator);
  await refuseStaleCertificates({ coordinator, aggregators, admission });
  const { normProofs = false, screening = normProofs ? 0 : 0.05 } = request;
  const presence = Math.min(1, (request.window ?? 1) / (request.visits ?? request.window ?? 1));
  const method = methodById(request.method);
  const features = decodeFeatures(catalogue.features);
  if (request.features !== undefined) for (const line of unusedSources([method], features)) say(line);
  const engine = await createEngine({ kernel: 'simd', threads: 1 });
  try {
    return await draftCharter(
      {
        method: method.id,
        settings: settingsForFeedback(method, catalogue.scale, request.settings),
        epsilon: request.epsilon,
        delta: request.delta,
        catalogue: {
          itemCount: catalogue.itemIds.length,
          scale: catalogue.scale,
          hash: await catalogueHash(catalogue),
        },
        coordinator,
        aggregators,
        noise: noiseMakers(request, parties.length),
        mostPeople: request.people,
        ...(presence < 1 && { declaredPeople: Math.max(1, Math.round(presence * request.people)) }),
        leastReports: request.least ?? Math.max(1, parties.length),
        pace: (exchanges) => paceOf(request, parties.length, exchanges),
        admission,
        codeVersion: version,
        acceptWeak,
        ...(parties.length === 0 && screening !== 0 && { screening }),
        normProofs,
      },
      { engine, features },
    );
  } finally {
    await engine.close();
  }
}

async function admissionOf({ issuer }: RunRequest, parties: readonly Card[]): Promise<Admission> {
  if (parties.length > 0) return { kind: 'parties', parties: parties.map(({ url: _url, ...card }) => card) };
  return issuer === undefined ? { kind: 'open' } : { kind: 'issuer', issuer: await readCard(issuer) };
}

/** Fields that would change nothing are refused: they were meant to. */
function refuseIdleFields(
  { opens, window, visits, issuer, screening, normProofs, longest }: RunRequest,
  parties: number,
) {
  if (parties === 0) {
    if (longest !== undefined)
      throw new OptionError('"longest" is for parties. Among devices an exchange ends with its window.');
    return;
  }
  if ((opens ?? window ?? visits) !== undefined)
    throw new OptionError(
      '"opens", "window" and "visits" are for devices. Among parties an exchange ends when all have handed in, or after "longest".',
    );
  if (issuer !== undefined || (screening !== undefined && screening !== 0) || normProofs)
    throw new OptionError(
      '"issuer", "screening" and "normProofs" are for devices. Parties are named, and hand in for many people.',
    );
}

function paceOf(
  { opens, window, longest = 3600, visits }: RunRequest,
  parties: number,
  exchanges: number,
): Pace {
  if (parties > 0) return { kind: 'reports', count: parties, longestSeconds: longest };
  if (opens === undefined || window === undefined || Number.isNaN(Date.parse(opens)))
    throw new OptionError(
      'Without parties an exchange ends at a fixed time: give "opens" (2027-01-01T00:00:00Z) and "window" (seconds).',
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
    `The first window closed at ${pace.windows[0].closes}, which is over: write another charter that "opens" later.`,
  ];
}

/** Items, titles and features that everyone may know. */
async function publicCatalogue(
  { catalogue: path, scale: given, ...flags }: RunRequest,
  say: (line: string) => void,
): Promise<Catalogue> {
  const { encodeFeatures } = await import('@hushrec/federate');
  const { openDataset, parseScale, publishedItems, readCatalogue, readItemTable, readManifest } =
    await import('@hushrec/ratings');
  const isDataset = existsSync(join(path, 'dataset.json'));
  if (!isDataset && given === undefined)
    throw new OptionError('Give "scale" (min:max:step): what ratings can be, agreed on by all.');
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
