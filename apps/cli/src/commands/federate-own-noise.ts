import { basename, resolve } from 'node:path';
import { type CommandContext, OptionError, type Outcome } from '../command.js';
import { datasetFolder } from '../data-source.js';
import { CommandError, exitCodes } from '../exit-codes.js';
import { guaranteeOf } from '../guarantee-fields.js';
import { guaranteeText } from '../guarantee-text.js';
import { protocolRecord, trainingPart } from '../protocol.js';
import { settingsOf } from '../training-options.js';
import { version } from '../version.js';
import type { SimulateOptions } from './federate-simulate.js';

/** Parties that noise their own sums (Ran et al. 2024, Algorithm 1), all in this process. */
export async function simulateOwnNoise(
  path: string,
  options: SimulateOptions,
  context: CommandContext,
): Promise<Outcome> {
  const { dpimf, dpimfSchema, foldInOf, planRun, readSettings, withUserIds } = await import(
    '@hushrec/factorize'
  );
  const { simulateParties } = await import('@hushrec/federate');
  const { openDataset, publishedItems, readManifest, SeededRandom } = await import('@hushrec/ratings');
  const { describeProtection } = await import('@hushrec/privacy');
  const { checkModelFolder } = await import('@hushrec/model/folder');
  const { publishSimulation } = await import('@hushrec/train');
  const started = performance.now();
  if (options.epsilon === undefined)
    throw new OptionError('Give --epsilon: what the session may cost each interaction (inf: no noise).');
  const { epsilon, rounds, seed } = options;
  const parties = options.parties ?? 10;
  const shared = options.shared === 'items' ? 'item' : 'user';
  const given = settingsOf(options.set);
  for (const [key, option] of [
    ['side', '--shared'],
    ['rounds', '--rounds'],
  ] as const)
    if (Object.hasOwn(given, key)) throw new OptionError(`--set ${key}: here this is said with ${option}.`);
  if (shared === 'user' && options.protocol === 'strong-generalization')
    throw new OptionError('Shared users are published, so none can be held out: use another --protocol.');
  const settings = readSettings(dpimfSchema, { ...given, side: shared, rounds });
  if (!settings.repaired)
    throw new CommandError(
      exitCodes.privacyRefused,
      'repaired=false proves nothing and publishes raw fits; `hushrec reproduce dpimf/table3` runs the printed protocol.',
    );

  const directory = await datasetFolder(path, options, context);
  const out = resolve(options.out ?? `${directory.replace(/\/+$/, '').replace(/\.hushrec$/, '')}-federated`);
  await checkModelFolder(out, options.overwrite === true);
  const manifest = await readManifest(directory);
  const planned = planRun({
    method: dpimf,
    settings,
    itemCount: manifest.items,
    scale: manifest.scale,
    epsilon,
    delta: 0,
    seed,
  });
  context.say(
    `${parties} parties share ${options.shared}; each noises its own sums, so the guarantee does not lean on the coordinator.\n` +
      guaranteeText(planned.plan, true),
  );

  const dataset = await openDataset(directory);
  const ratings = await trainingPart(dataset, options);
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
  const split = protocolRecord(options);
  const model = {
    kind: 'factors',
    feedback: 'implicit',
    rank: settings.rank,
    itemFactors: Float32Array.from(items),
    offset: 0,
    foldIn: foldInOf(settings, ratings.itemCount),
    ...(shared === 'user' && {
      users: {
        ids: Array.from({ length: ratings.userCount }, (_, row) => String(row)),
        factors: Float32Array.from(session.profiles),
      },
    }),
  } as const;
  const published = await publishSimulation(
    [...session.records.values()],
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
      model: withUserIds(model, dataset.userIds),
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
  const seconds = Math.round(performance.now() - started) / 1000;
  const { certificate: sealed } = published;
  return {
    json: {
      model: out,
      method: dpimf.id,
      parties,
      shared: options.shared,
      ...guaranteeOf(sealed),
      seconds,
    },
    text: [
      `${basename(out)}: ${dpimf.id} among ${parties} parties, ${manifest.items} items, trained in ${seconds} s.`,
      sealed.epsilon === null
        ? 'No privacy guarantee.'
        : `ε = ${sealed.epsilon} for ${describeProtection(planned.plan.unit, planned.plan.relation)}. SIMULATION: not a guarantee.`,
      `The certificate is ${out}/CERTIFICATE.md; check it with \`hushrec verify ${options.out ?? out}\`.`,
    ].join('\n'),
  };
}
