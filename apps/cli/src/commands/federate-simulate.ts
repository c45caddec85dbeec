import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import {
  addCommand,
  type CommandContext,
  integerOption,
  numberOption,
  OptionError,
  type Outcome,
  repeated,
} from '../command.js';
import { addSourceFlags, datasetFolder, type SourceFlags } from '../data-source.js';
import { guaranteeFields, guaranteeOf } from '../guarantee-fields.js';
import { addProtocolFlags, type ProtocolFlags, trainingPart } from '../protocol.js';
import { deltaOption, settingsOf } from '../training-options.js';
import { version } from '../version.js';
import { addNoiseFlags, type NoiseFlags, noiseMakers } from './federate-noise.js';
import { simulateOwnNoise } from './federate-own-noise.js';

export interface SimulateOptions extends SourceFlags, ProtocolFlags, NoiseFlags {
  readonly method: string;
  readonly parties?: number;
  readonly devices?: boolean;
  readonly aggregators: number;
  readonly absent: number;
  readonly shared?: 'items' | 'users';
  readonly epsilon?: number;
  readonly delta: number;
  readonly rounds: number;
  readonly set?: readonly string[];
  readonly seed: number;
  readonly out?: string;
  readonly overwrite?: boolean;
}

export function registerSimulate(group: Command): void {
  addCommand<SimulateOptions>(group, {
    usage: 'simulate <dataset>',
    summary: 'all roles in one process, on a data set dealt out among parties or devices',
    examples: [
      'hushrec federate simulate movies --parties 10 --epsilon 5',
      'hushrec federate simulate movies --devices --aggregators 2 --absent 0.3 --epsilon 5 --out by-devices',
      'hushrec federate simulate movies --parties 10 --shared items --epsilon 3   (dpimf: parties noise their own sums)',
    ],
    fields: [
      'model',
      'method',
      'parties',
      'shared',
      ...guaranteeFields,
      'aggregators',
      'exchanges',
      'bytesPerParticipant',
      'cpuSeconds',
      'seconds',
    ],
    configure: (command) => {
      command
        .option('--method <name>', 'training method that protects persons', 'hush')
        .option('--parties <k>', 'number of parties (10)', integerOption('parties', 1, 100_000))
        .option('--devices', 'every person is a participant, in place of parties')
        .option('--aggregators <n>', 'who add up shares', integerOption('aggregators', 1, 10), 2);
      addNoiseFlags(command)
        .option(
          '--absent <share>',
          'share of participants absent at each exchange',
          numberOption('absent'),
          0,
        )
        .addOption(
          new Option(
            '--shared <side>',
            'dpimf, where parties noise their own sums: what they have in common; the other side is dealt out',
          ).choices(['items', 'users']),
        )
        .option(
          '--epsilon <number>',
          'ε of the whole run for one person (--shared: for one interaction)',
          numberOption('epsilon'),
        )
        .addOption(deltaOption())
        .option(
          '--rounds <n>',
          '--shared: exchanges with the coordinator; each one costs',
          integerOption('rounds', 1, 2000),
          2,
        )
        .option(
          '--set <key=value>',
          'a setting of the method; `hushrec methods <name>` lists them (repeatable)',
          repeated,
        )
        .option(
          '--seed <n>',
          'of noise and of dealing out: this is a simulation',
          integerOption('seed', 0),
          1,
        )
        .option('--out <model>', 'model folder to write (<dataset>-federated)')
        .option('--overwrite', 'replace a model that is already there');
      addProtocolFlags(command, 'train only on what this protocol trains on, so that `evaluate` is honest');
      addSourceFlags(command);
    },
    run: async ([path], options, context) =>
      options.shared !== undefined || options.method === 'dpimf'
        ? simulateOwnNoise(path!, { ...options, shared: options.shared ?? 'items' }, context)
        : simulateShares(path!, options, context),
  });
}

/** Participants that hand in shares, aggregators, coordinator: the whole protocol without its network. */
async function simulateShares(
  path: string,
  options: SimulateOptions,
  context: CommandContext,
): Promise<Outcome> {
  const { catalogueHash, charterWords, decodeFeatures, encodeFeatures, shareOut, simulateRun } = await import(
    '@hushrec/federate'
  );
  const { openDataset, publishedItems, SeededRandom } = await import('@hushrec/ratings');
  const { publishFederated } = await import('@hushrec/train');
  const { checkModelFolder } = await import('@hushrec/model/folder');
  const { createEngine } = await import('@hushrec/numerics');
  const { methodById, settingsForFeedback } = await import('@hushrec/factorize');
  const started = performance.now();
  const cpu = process.cpuUsage();
  if (options.epsilon === undefined || !Number.isFinite(options.epsilon))
    throw new OptionError('Give --epsilon: what the run may cost each person.');
  if (!(options.absent >= 0 && options.absent < 1))
    throw new OptionError(`--absent ${options.absent}: expected a number from 0 to below 1.`);
  const directory = await datasetFolder(path, options, context);
  const out = resolve(options.out ?? `${directory.replace(/\/+$/, '').replace(/\.hushrec$/, '')}-federated`);
  await checkModelFolder(out, options.overwrite === true);
  const dataset = await openDataset(directory);
  const ratings = await trainingPart(dataset, options);
  const count = options.devices ? ratings.userCount : (options.parties ?? 10);
  if (count > ratings.userCount)
    throw new OptionError(`--parties ${count} is more than there is to deal out. Give fewer parties.`);
  const dealing = new SeededRandom(options.seed);
  const shares = shareOut(ratings, 'item', count, () => dealing.uniform());
  const noise = noiseMakers(options, count, !options.devices);
  const method = methodById(options.method);
  const absence = new SeededRandom(options.seed + 1);
  const absent = new Map<string, boolean>();
  const isPresent = (participant: number, exchange: number) => {
    const key = `${participant} ${exchange}`;
    if (!absent.has(key)) absent.set(key, absence.uniform() < options.absent);
    return !absent.get(key);
  };
  const catalogue = {
    format: 'hushrec-catalogue-1',
    scale: ratings.scale,
    ...publishedItems(dataset),
    ...(dataset.features.length > 0 && { features: encodeFeatures(dataset.features) }),
  } as const;
  const engine = await createEngine({ kernel: 'simd', threads: 1 });
  try {
    const run = await simulateRun(
      {
        method: method.id,
        settings: settingsForFeedback(method, ratings.scale, settingsOf(options.set)),
        epsilon: options.epsilon,
        delta: options.delta,
        shares: shares.map((share) => share.ratings),
        catalogueHash: await catalogueHash(catalogue),
        kept: options.devices ? 'one-person' : 'many-people',
        aggregatorCount: options.aggregators,
        noise,
        leastReports: noise.by === 'parties' ? noise.honestNeeded : 1,
        ...(options.absent > 0 && { present: isPresent }),
        seed: options.seed,
        publicSeed: options.seed,
        codeVersion: version,
        progress: (done, total) => {
          context.signal.throwIfAborted();
          context.progress({ stage: 'exchanges', done, total });
        },
      },
      { engine, features: decodeFeatures(catalogue.features) },
    );
    const { charter } = run.signed;
    context.say(charterWords(charter).join('\n'));
    const { certificate: sealed } = await publishFederated(
      { signed: run.signed, log: run.board, catalogue, engine, codeVersion: version },
      { out, overwrite: options.overwrite === true },
    );
    const { user, system } = process.cpuUsage(cpu);
    const cpuSeconds = Math.round((user + system) / 1e4) / 100;
    const seconds = Math.round(performance.now() - started) / 1000;
    const bytes = run.participants.reduce((sum, { bytesSent }) => sum + bytesSent, 0) / count;
    return {
      json: {
        model: out,
        method: method.id,
        parties: count,
        ...guaranteeOf(sealed),
        aggregators: options.aggregators,
        exchanges: run.board.length,
        bytesPerParticipant: Math.round(bytes),
        cpuSeconds,
        seconds,
      },
      text: [
        `${out}: ${method.id} among ${count} ${options.devices ? 'devices' : 'parties'} and ${options.aggregators} aggregators, ${run.board.length} exchanges.`,
        `Each participant sent ${Math.round(bytes)} bytes; ${cpuSeconds} CPU seconds for all roles together, ${(cpuSeconds / count).toFixed(3)} a participant.`,
        `(ε, δ) = (${sealed.epsilon}, ${sealed.delta}). SIMULATION: not a guarantee.`,
      ].join('\n'),
    };
  } finally {
    await engine.close();
  }
}
