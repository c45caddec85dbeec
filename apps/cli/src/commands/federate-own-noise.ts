import { basename, resolve } from 'node:path';
import type { Dataset, RatingMatrix } from '@hushrec/ratings';
import { type CommandContext, OptionError, type Outcome } from '../command.js';
import { datasetFolder } from '../data-source.js';
import { CommandError, exitCodes } from '../exit-codes.js';
import { guaranteeOf } from '../guarantee-fields.js';
import { guaranteeText } from '../guarantee-text.js';
import { besideDataset } from '../imported-folder.js';
import { protocolRecord, trainingPart } from '../protocol.js';
import { settingsOf } from '../training-options.js';
import { version } from '../version.js';
import type { SimulateOptions } from './federate-simulate.js';
import { refuseUnrepaired } from './refuse-unrepaired.js';

/** Parties that noise their own sums (Ran et al. 2024, Algorithm 1), all in this process. */
export async function simulateOwnNoise(
  path: string,
  options: SimulateOptions,
  context: CommandContext,
): Promise<Outcome> {
  const { dpimf, planRun } = await import('@hushrec/factorize');
  const { openDataset, readManifest } = await import('@hushrec/ratings');
  const { describeProtection } = await import('@hushrec/privacy');
  const { checkModelFolder } = await import('@hushrec/model/folder');
  const started = performance.now();
  const asked = await readAsked(options);
  const { parties, settings, epsilon, seed } = asked;
  const directory = await datasetFolder(path, options, context);
  const out = resolve(options.out ?? besideDataset(directory, 'federated'));
  await checkModelFolder(out, options.overwrite === true);
  const { items: itemCount, scale } = await readManifest(directory);
  const { plan } = planRun({ method: dpimf, settings, itemCount, scale, epsilon, delta: 0, seed });
  context.say(
    `${parties} parties share ${options.shared}; each noises its own sums, so the guarantee does not lean on the coordinator.\n` +
      guaranteeText(plan, true),
  );
  const dataset = await openDataset(directory);
  const session = await runSession(await trainingPart(dataset, options), asked, context);
  const { certificate: sealed } = await publishSession(session, asked, dataset, options, out);
  const seconds = Math.round(performance.now() - started) / 1000;
  return {
    json: {
      ...{ model: out, method: dpimf.id, parties, shared: options.shared },
      ...guaranteeOf(sealed),
      seconds,
    },
    text: [
      `${basename(out)}: ${dpimf.id} among ${parties} parties, ${itemCount} items, trained in ${seconds} s.`,
      sealed.epsilon === null
        ? 'No privacy guarantee.'
        : `ε = ${sealed.epsilon} for ${describeProtection(plan.unit, plan.relation)}. SIMULATION: not a guarantee.`,
      `The certificate is ${out}/CERTIFICATE.md; check it with \`hushrec verify ${options.out ?? out}\`.`,
    ].join('\n'),
  };
}

type Asked = Awaited<ReturnType<typeof readAsked>>;

/** What was asked for; what cannot be simulated is refused before any data is read. */
async function readAsked(options: SimulateOptions) {
  const { dpimfSchema, readSettings } = await import('@hushrec/factorize');
  const { epsilon, rounds, seed } = options;
  if (epsilon === undefined)
    throw new OptionError('Give --epsilon: what the session may cost each interaction (inf: no noise).');
  if (options.processes)
    throw new OptionError(
      'Parties that noise their own sums are started one by one: `hushrec federate dpimf-session --help`.',
    );
  const shared: 'item' | 'user' = options.shared === 'items' ? 'item' : 'user';
  const given = settingsOf(options.set);
  for (const [key, option] of [
    ['side', '--shared'],
    ['rounds', '--rounds'],
  ] as const)
    if (Object.hasOwn(given, key)) throw new OptionError(`--set ${key}: here this is said with ${option}.`);
  if (shared === 'user' && options.protocol === 'strong-generalization')
    throw new OptionError('Shared users are published, so none can be held out: use another --protocol.');
  const settings = readSettings(dpimfSchema, { ...given, side: shared, rounds });
  refuseUnrepaired(settings);
  return { epsilon, rounds, seed, parties: options.parties ?? 10, shared, given, settings };
}

/** The session itself: its last vectors of items and, where users are shared, of users. */
async function runSession(ratings: RatingMatrix, asked: Asked, context: CommandContext) {
  const { simulateParties } = await import('@hushrec/federate');
  const { SeededRandom } = await import('@hushrec/ratings');
  const { epsilon, rounds, seed, parties, shared, given } = asked;
  const dealt = shared === 'item' ? ratings.userCount : ratings.itemCount;
  if (parties > dealt)
    throw new OptionError(`--parties ${parties} is more than there is to deal out. Give fewer parties.`);
  const random = new SeededRandom(seed);
  const session = await simulateParties(
    ratings,
    parties,
    { shared, rounds, epsilon, settings: given, contribution: 'sums', leastParties: parties },
    seed,
    () => random.uniform(),
    (done, total) => {
      context.signal.throwIfAborted();
      context.progress({ stage: 'rounds', done, total });
    },
  );
  const items = shared === 'item' ? session.profiles : session.publishedOwn;
  if (items === undefined || session.records.size !== parties)
    throw new CommandError(exitCodes.failed, 'A party did not finish the session; nothing was written.');
  return { items, profiles: session.profiles, records: [...session.records.values()], ratings };
}

type Session = Awaited<ReturnType<typeof runSession>>;

async function publishSession(
  session: Session,
  asked: Asked,
  dataset: Dataset,
  options: SimulateOptions,
  out: string,
) {
  const { dpimf, withUserIds } = await import('@hushrec/factorize');
  const { publishedItems } = await import('@hushrec/ratings');
  const { publishSimulation } = await import('@hushrec/train');
  const { manifest } = dataset;
  const { epsilon, seed, parties, settings } = asked;
  const split = await protocolRecord(options);
  return publishSimulation(
    session.records,
    {
      manifest: {
        format: 'hushrec-model-2',
        method: dpimf.id,
        settings,
        ...publishedItems(dataset),
        versions: { hushrec: version },
        run: {
          epsilon: Number.isFinite(epsilon) ? epsilon : null,
          delta: 0,
          accounting: 'exact',
          scale: manifest.scale,
          publicSeed: seed,
          kernel: 'none',
          node: process.versions.node.split('.')[0],
          sources: [],
          simulatedParties: parties,
          ...(split && { trainedOn: split }),
        },
      },
      model: withUserIds(await modelOf(session, asked), dataset.userIds),
    },
    {
      method: dpimf.id,
      account: manifest.account.id,
      catalogue: manifest.provenance['items'] === 'from a catalogue' ? 'declared' : 'rated items',
      codeVersion: version,
      tuning:
        options.set === undefined
          ? 'Defaults of the method.'
          : 'Some settings were given; how they were chosen is not recorded.',
    },
    { out, overwrite: options.overwrite === true },
  );
}

async function modelOf({ items, profiles, ratings }: Session, { shared, settings }: Asked) {
  const { foldInOf } = await import('@hushrec/factorize');
  return {
    kind: 'factors',
    feedback: 'implicit',
    rank: settings.rank,
    itemFactors: Float32Array.from(items),
    offset: 0,
    foldIn: foldInOf(settings, ratings.itemCount),
    ...(shared === 'user' && {
      users: {
        ids: Array.from({ length: ratings.userCount }, (_, row) => String(row)),
        factors: Float32Array.from(profiles),
      },
    }),
  } as const;
}
