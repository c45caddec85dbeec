import { resolve } from 'node:path';
import type { Certificate } from '@hushrec/model';
import type { Engine } from '@hushrec/numerics';
import type { Command } from 'commander';
import {
  addCommand,
  type CommandContext,
  integerOption,
  numberOption,
  OptionError,
  type Outcome,
} from '../command.js';
import { addScaleFlag, datasetFolder, type SourceFlags } from '../data-source.js';
import {
  addFeatureFiles,
  addFeatureFlags,
  type FeatureFlags,
  leavesOutFeatures,
  unusedSources,
} from '../feature-files.js';
import { guaranteeFields, guaranteeOf } from '../guarantee-fields.js';
import { besideDataset } from '../imported-folder.js';
import { addPartFlags, type ProtocolFlags, trainingPart } from '../protocol.js';
import { deltaOption, settingOption, settingsOf } from '../training-options.js';
import { version } from '../version.js';
import { addNoiseFlags, type NoiseFlags, noiseMakers } from './federate-noise.js';
import { MOST_PROCESSES, type Rehearsal, type Rehearsed, runInProcesses } from './federate-processes.js';

export interface SimulateOptions
  extends Pick<SourceFlags, 'scale'>,
    Pick<ProtocolFlags, 'protocol' | 'liked'>,
    NoiseFlags,
    FeatureFlags {
  readonly method: string;
  readonly parties?: number;
  readonly devices?: boolean;
  readonly processes?: boolean;
  readonly aggregators: number;
  readonly absent: number;
  readonly epsilon?: number;
  readonly delta: number;
  readonly set?: readonly string[];
  readonly seed: number;
  readonly out?: string;
  readonly overwrite?: boolean;
}

export function registerSimulate(group: Command): void {
  addCommand<SimulateOptions>(group, {
    usage: 'simulate <dataset>',
    summary: 'all roles on this machine, on a data set dealt out among parties or devices',
    examples: [
      'hushrec federate simulate movies --parties 10 --epsilon 5',
      'hushrec federate simulate movies --devices --aggregators 2 --absent 0.3 --epsilon 5 --out by-devices',
      'hushrec federate simulate movies --parties 3 --epsilon 5 --processes',
    ],
    fields: [
      ...['model', 'method', 'parties', ...guaranteeFields, 'aggregators', 'exchanges'],
      ...['bytesPerParticipant', 'cpuSeconds', 'roles', 'seconds'],
    ],
    configure: (command) => {
      command
        .option('--method <name>', 'training method that protects people', 'hush')
        .option('--parties <k>', 'number of parties (10)', integerOption('parties', 1, 100_000))
        .option('--devices', 'every person is a participant, in place of parties')
        .option(
          '--processes',
          'aggregators, coordinator and parties as processes that talk TLS, as they would on machines of their own',
        )
        .option(
          '--aggregators <n>',
          'how many aggregators add up the shares',
          integerOption('aggregators', 1, 10),
          2,
        );
      addNoiseFlags(command)
        .option(
          '--absent <share>',
          'share of participants absent at each exchange',
          numberOption('absent'),
          0,
        )
        .option('--epsilon <number>', 'ε of the whole run for one person', numberOption('epsilon'))
        .addOption(deltaOption())
        .addOption(settingOption())
        .option(
          '--seed <n>',
          'seed for dealing out the data and for the noise of all roles: this is a simulation, and repeatable',
          integerOption('seed', 0),
          1,
        )
        .option('--out <model>', 'model folder to write (<dataset>-federated)')
        .option('--overwrite', 'replace an existing model');
      addFeatureFlags(command);
      addPartFlags(command, 'train only on what this protocol trains on, so that `evaluate` is honest');
      addScaleFlag(command);
    },
    run: async ([path], options, context) => simulateShares(path, options, context),
  });
}

/**
 * Participants that hand in shares, aggregators, coordinator: the whole protocol, with or without a network.
 */
async function simulateShares(
  path: string,
  options: SimulateOptions,
  context: CommandContext,
): Promise<Outcome> {
  const { charterWords } = await import('@hushrec/federate');
  const { createEngine } = await import('@hushrec/numerics');
  const started = performance.now();
  const simulated = await dealOut(path, options, context);
  const engine = await createEngine({ kernel: 'simd', threads: 1 });
  try {
    const ended = await (options.processes
      ? amongProcesses(simulated, options, engine, context)
      : inThisProcess(simulated, options, engine, context));
    context.say(charterWords(ended.signed.charter).join('\n'));
    const seconds = Math.round(performance.now() - started) / 1000;
    return outcomeOf(simulated, ended, options, seconds);
  } finally {
    await engine.close();
  }
}

/** The data set dealt out among its participants, and the run that they are to make. */
async function dealOut(path: string, options: SimulateOptions, context: CommandContext): Promise<Simulated> {
  const { encodeFeatures, shareOut } = await import('@hushrec/federate');
  const { openDataset, publishedItems, SeededRandom } = await import('@hushrec/ratings');
  const { checkModelFolder } = await import('@hushrec/model/folder');
  await (await import('@hushrec/train/load-papers')).loadPapers();
  const { methodById, settingsForFeedback } = await import('@hushrec/factorize');
  const epsilon = checkOptions(options);
  const directory = await datasetFolder(path, options, context);
  const out = resolve(options.out ?? besideDataset(directory, 'federated'));
  await checkModelFolder(out, options.overwrite === true);
  const dataset = await openDataset(directory);
  const ratings = await trainingPart(dataset, { ...options, splitSeed: 1 });
  const count = options.devices ? ratings.userCount : (options.parties ?? 10);
  if (count > ratings.userCount)
    throw new OptionError(`--parties ${count} is more than there is to deal out. Give fewer parties.`);
  const dealing = new SeededRandom(options.seed);
  const noise = noiseMakers(options, count, !options.devices);
  const method = methodById(options.method);
  const files = await addFeatureFiles(options, { itemIds: dataset.itemIds, ratings }, context.say);
  for (const line of unusedSources([method], files)) context.say(line);
  const features = leavesOutFeatures(options) ? [] : [...dataset.features, ...files];
  return {
    run: {
      method: method.id,
      settings: settingsForFeedback(method, ratings.scale, settingsOf(options.set)),
      epsilon,
      delta: options.delta,
      noise,
      mostPeople: ratings.userCount,
      leastReports: noise.by === 'parties' ? noise.honestNeeded : 1,
      publicSeed: options.seed,
      codeVersion: version,
    },
    catalogue: {
      format: 'hushrec-catalogue-1',
      scale: ratings.scale,
      ...publishedItems(dataset),
      ...(features.length > 0 && { features: encodeFeatures(features) }),
    },
    shares: shareOut(ratings, 'item', count, () => dealing.uniform()).map((share) => share.ratings),
    devices: options.devices === true,
    out,
    seed: options.seed,
  };
}

/** What a simulation made and what it cost. */
function outcomeOf(
  { run, shares, out }: Simulated,
  { exchanges, bytesSent, certificate, roles }: Ended,
  { aggregators, devices, processes }: SimulateOptions,
  seconds: number,
): Outcome {
  const count = shares.length;
  const cpuSeconds = Math.round(100 * roles.reduce((sum, role) => sum + role.cpuSeconds, 0)) / 100;
  const bytes = Math.round(bytesSent / count);
  return {
    json: {
      model: out,
      method: run.method,
      parties: count,
      ...guaranteeOf(certificate),
      aggregators,
      exchanges,
      bytesPerParticipant: bytes,
      cpuSeconds,
      ...(processes && { roles }),
      seconds,
    },
    text: [
      `${out}: ${run.method} among ${count} ${devices ? 'devices' : 'parties'} and ${aggregators} aggregators, ${exchanges} exchanges.`,
      `Each participant sent ${bytes} bytes; ${cpuSeconds} CPU seconds for all roles together, ${(cpuSeconds / count).toFixed(3)} a participant.`,
      ...(processes
        ? [
            `CPU seconds of each process, start-up included: ${roles.map((each) => `${each.role} ${each.cpuSeconds.toFixed(2)}`).join(', ')}.`,
          ]
        : []),
      `(ε, δ) = (${certificate.epsilon}, ${certificate.delta}). SIMULATION: not a guarantee.`,
    ].join('\n'),
  };
}

/** What cannot be simulated is refused before any data is read. Gives ε. */
function checkOptions({ epsilon, absent, processes, devices, parties = 10 }: SimulateOptions): number {
  if (epsilon === undefined || !Number.isFinite(epsilon))
    throw new OptionError('Give --epsilon: what the run may cost each person.');
  if (!(absent >= 0 && absent < 1))
    throw new OptionError(`--absent ${absent}: expected a number from 0 to below 1.`);
  if (processes && absent > 0)
    throw new OptionError('--absent is for simulations in one process: leave it or --processes out.');
  if (processes && !devices && parties > MOST_PROCESSES)
    throw new OptionError(
      `--processes with ${parties} parties: at most ${MOST_PROCESSES}, each is a process. Give fewer parties, or --devices.`,
    );
  return epsilon;
}

/** What a simulation is of, however its roles are started. */
type Simulated = Omit<Rehearsal, 'aggregatorCount' | 'overwrite'>;

interface Ended extends Rehearsed {
  readonly certificate: Certificate;
}

async function inThisProcess(
  { run, catalogue, shares, devices, out }: Simulated,
  options: SimulateOptions,
  engine: Engine,
  context: CommandContext,
): Promise<Ended> {
  const { catalogueHash, decodeFeatures, simulatedPresence, simulateRun } = await import('@hushrec/federate');
  const { makeRun } = await import('@hushrec/train');
  const cpu = process.cpuUsage();
  const { signed, board, participants } = await simulateRun(
    {
      ...run,
      shares,
      catalogueHash: await catalogueHash(catalogue),
      kept: devices ? 'one-person' : 'many-people',
      aggregatorCount: options.aggregators,
      ...(options.absent > 0 && { present: simulatedPresence(options.seed, options.absent) }),
      seed: options.seed,
      progress: (done, total) => {
        context.signal.throwIfAborted();
        context.progress({ stage: 'exchanges', done, total });
      },
    },
    { engine, features: decodeFeatures(catalogue.features) },
  );
  const { certificate } = await makeRun({
    kind: 'federated model',
    ...{ signed, log: board, catalogue, engine, codeVersion: version },
    ...{ out, overwrite: options.overwrite === true },
  });
  const { user, system } = process.cpuUsage(cpu);
  return {
    signed,
    exchanges: board.length,
    bytesSent: participants.reduce((sum, each) => sum + each.bytesSent, 0),
    certificate,
    roles: [{ role: 'all', cpuSeconds: (user + system) / 1e6 }],
  };
}

async function amongProcesses(
  simulated: Simulated,
  options: SimulateOptions,
  engine: Engine,
  context: CommandContext,
): Promise<Ended> {
  const { readModelFolder } = await import('@hushrec/model/folder');
  const overwrite = options.overwrite === true;
  const rehearsal = { ...simulated, aggregatorCount: options.aggregators, overwrite };
  const rehearsed = await runInProcesses(rehearsal, engine, context);
  return { ...rehearsed, certificate: (await readModelFolder(simulated.out)).certificate };
}
