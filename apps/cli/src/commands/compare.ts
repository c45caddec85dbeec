import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { SweepRequest } from '@hushrec/evaluate';
import type { Dataset, FeatureSource } from '@hushrec/ratings';
import { type Command, Option } from 'commander';
import {
  addCommand,
  type CommandContext,
  integerOption,
  numberOption,
  type Outcome,
  repeated,
  usualDelta,
} from '../command.js';
import { type Comparison, isOfPublicData, writeComparison } from '../compare-output.js';
import {
  type CompareRequest,
  comparedMethods,
  compareRequest,
  likesOfComparison,
  plannedMethods,
  sweepSplit,
} from '../compare-request.js';
import { mainMetric, missingMetrics, shownMetrics } from '../comparison-text.js';
import { addScaleFlag, datasetFolder, type SourceFlags } from '../data-source.js';
import { addFeatureFiles, leavesOutFeatures, sameMethod, unusedSources } from '../feature-files.js';
import { besideDataset } from '../imported-folder.js';
import { addMetricFlag, type MetricFlags } from '../metric-flags.js';
import { addPluginFlag, loadMethods, type PluginFlags } from '../plugins.js';
import {
  addProtocolFlags,
  checkProtocolFlags,
  goalOption,
  type ProtocolFlags,
  protocolRecord,
} from '../protocol.js';

/** What may be said about a comparison. */
export interface CompareFlags extends SourceFlags, ProtocolFlags, MetricFlags, PluginFlags {
  readonly methods?: string;
  readonly epsilons: string;
  readonly delta: number;
  readonly repeats: number;
  readonly set?: readonly string[];
  readonly features?: readonly string[];
  readonly kind?: readonly string[];
  readonly accounting: 'exact' | 'rdp' | 'zcdp' | 'as-published';
  readonly asIfPeople?: number;
  readonly people?: number;
  readonly tune?: number;
  readonly metric?: string;
  readonly seed: number;
  readonly threads?: number;
  readonly publicData?: boolean;
  readonly out?: string;
}

export function registerCompare(program: Command): void {
  addCommand<CompareFlags>(program, {
    usage: 'compare <dataset>',
    summary: 'quality against privacy: several methods, several ε, several runs; table, CSV and report',
    examples: [
      'hushrec compare movies --epsilons 1,5,10,20 --repeats 10',
      'hushrec compare movies --goal stars --methods als,dpals,hush --epsilons 1,5,10,20',
      'hushrec compare movies --methods hush,dpals --set dpals.rank=16 --as-if-people 69878',
      'hushrec compare movies --methods popularity,ials,hush,dpals --protocol strong-generalization',
      'hushrec compare movies --methods hush,dpals --epsilons 1,5 --tune 32',
      'hushrec compare movies --methods hush,als --epsilons 1,5 --metrics rmse,ndcg@20,coverage@20',
    ],
    fields: [
      'rows (each: method unit epsilon delta metric mean sd runs seconds)',
      'report',
      'tuned',
      'same (methods measured under another name)',
      'leftOut (methods that cannot learn from this data, and why)',
      'goal',
      'withoutPrivacy (the best without privacy on validation: method metric validation mean among below)',
    ],
    configure: addCompareFlags,
    run: ([path], flags, context) => compare(path, flags, context),
  });
}

function addCompareFlags(command: Command): void {
  command
    .option(
      '--methods <list>',
      `methods, separated by commas (${comparedMethods.rank}; for stars ${comparedMethods.stars}); hush also runs without noise`,
    )
    .addOption(
      goalOption(
        'one for all of them: with rank everyone learns from the same likes (rank; stars where a metric of predicted ratings is asked for)',
      ),
    )
    .option('--epsilons <list>', 'values of ε, separated by commas; inf is no privacy', '1,5,10,20')
    .option('--delta <number>', 'δ', numberOption('delta'), usualDelta)
    .option('--repeats <n>', 'runs of each, with different noise', integerOption('repeats', 1, 1000), 10)
    .option('--set <method.key=value>', 'a setting of one method (repeatable)', repeated)
    .option(
      '--features <file>',
      'public item features (repeatable); none ignores those of the data set too',
      repeated,
    )
    .option('--kind <kind>', 'kind of the features file in the same place (repeatable)', repeated)
    .addOption(
      new Option('--accounting <rule>', 'how noise is calibrated; rows state the true ε')
        .choices(['exact', 'rdp', 'zcdp', 'as-published'])
        .default('exact'),
    )
    .option(
      '--as-if-people <n>',
      'simulate the noise-to-signal ratio of a population of n; also --as-if-users',
      integerOption('as-if-people', 1),
    )
    .option('--people <n>', 'declared, public number of people', integerOption('people', 1))
    .option(
      '--tune <trials>',
      'choose settings by random search on validation, this many candidates per method and ε, the best three run twice more; test is looked at once',
      integerOption('tune', 2, 10_000),
    )
    .option('--seed <n>', 'first seed of the runs', integerOption('seed', 0), 1)
    .option(
      '--threads <n>',
      'threads, and so many models trained at a time (all cores)',
      integerOption('threads', 1, 256),
    )
    .option('--public-data', 'the ratings are public: a server may show these results to everyone')
    .option(
      '--out <folder>',
      'where table, CSV and report go; a stopped sweep continues there (<dataset>-compare)',
    );
  addPluginFlag(command);
  addMetricFlag(command);
  addProtocolFlags(command, 'which ratings are held out and predicted (holdout unless given)');
  addScaleFlag(command);
}

async function compare(path: string, options: CompareFlags, context: CommandContext): Promise<Outcome> {
  const given = { ...options, protocol: options.protocol ?? 'holdout' } as const;
  checkProtocolFlags(given);
  await loadMethods(options, context.say);
  const asked = await compareRequest(given);
  const { openDataset, privateModes } = await import('@hushrec/ratings');
  const { createEngine } = await import('@hushrec/numerics');
  const directory = await datasetFolder(path, given, context);
  const out = resolve(given.out ?? besideDataset(directory, 'compare'));
  const dataset = await openDataset(directory);
  const mode = isOfPublicData(dataset.manifest, given) ? 0o777 : privateModes().folder;
  await mkdir(out, { recursive: true, mode });
  const flags = { ...given, ...(await likesOfComparison(asked, given, dataset.ratings.scale)) };
  const engine = await createEngine(flags.threads === undefined ? {} : { threads: flags.threads });
  try {
    context.say(
      'All runs are simulations with seeded noise: they compare methods and protect nobody. Figures measured on private data are ' +
        'themselves a look at that data; choosing settings by them costs privacy that no certificate here includes.',
    );
    const split = await sweepSplit(dataset, flags, engine);
    const features = await featuresFor(asked, dataset, flags, context.say);
    const { measured, same, leftOut } = await plannedMethods(asked, split.train, features, flags);
    for (const { id, reason } of leftOut) context.say(`${id} is left out: ${reason}`);
    for (const { planned } of measured) {
      const line = sameMethod(planned.method, planned.settings, features);
      if (line !== undefined) context.say(line);
    }
    const { fileOutcomeStore } = await import('@hushrec/evaluate');
    const found = await compared(asked, flags, {
      split,
      features,
      methods: measured.map(({ id, settings }) => ({
        id,
        settings,
        // Without its noise it is one of the yardsticks.
        ...(id === 'hush' && { epsilons: [...new Set([...asked.epsilons, Infinity])] }),
      })),
      engine,
      identity: JSON.stringify([
        dataset.manifest.contentHash,
        (await protocolRecord(flags)) ?? null,
        flags.features ?? [],
      ]),
      store: fileOutcomeStore(join(out, 'runs.jsonl')),
      progress: context.progress,
      signal: context.signal,
    });
    const names = found.shown.map(({ name }) => name);
    for (const line of missingMetrics(names, found.rows)) context.say(line);
    return await writeComparison(out, dataset.manifest, { ...found, same, leftOut }, flags);
  } finally {
    await engine.close();
  }
}

/** What is known about items, of the data set and of files; says which methods learn nothing from it. */
async function featuresFor(
  asked: CompareRequest,
  dataset: Dataset,
  flags: CompareFlags,
  say: (line: string) => void,
): Promise<readonly FeatureSource[]> {
  const { methodById } = await import('@hushrec/factorize');
  const given = await addFeatureFiles(flags, dataset, say);
  const ids = [...new Set(asked.methods.map(({ id }) => id))];
  for (const line of unusedSources(ids.map(methodById), given)) say(line);
  return leavesOutFeatures(flags) ? [] : [...dataset.features, ...given];
}

/** Candidates of each yardstick where its own rules do not suit the data. */
const yardstickTrials = 8;

/** Runs the sweep, tuned or not, and picks what is shown of it. */
async function compared(
  asked: CompareRequest,
  flags: CompareFlags & { readonly protocol: string },
  place: Pick<
    SweepRequest,
    'split' | 'features' | 'methods' | 'engine' | 'identity' | 'store' | 'progress' | 'signal'
  >,
): Promise<Omit<Comparison, 'same' | 'leftOut'>> {
  const { askedName, bestWithoutPrivacy, readMetric, runSweep, runTunedSweep, sweepRows } = await import(
    '@hushrec/evaluate'
  );
  const request: SweepRequest = {
    ...place,
    epsilons: asked.epsilons,
    delta: flags.delta,
    repeats: flags.repeats,
    seed: flags.seed,
    accounting: flags.accounting,
    ...(asked.metrics && { metrics: asked.metrics }),
    ...(flags.people !== undefined && { declaredPeople: flags.people }),
    ...(flags.asIfPeople !== undefined && { asIfPeople: flags.asIfPeople }),
  };
  const { scale, userCount: people, itemCount: items, byUser } = place.split.train;
  const isGraded = scale.min < scale.max;
  const names = asked.metrics?.map(askedName);
  const decides = names?.[0] ?? (flags.protocol === 'holdout' && isGraded ? 'rmse' : 'recall@20');
  const search = { ...request, trials: flags.tune ?? yardstickTrials, metric: decides };
  const measured =
    flags.tune === undefined ? { cells: await runSweep(request), tuned: [] } : await runTunedSweep(search);
  // One rating a person is held out in all: there is nothing to choose by.
  const { cells, tuned, withoutPrivacy } =
    flags.protocol === 'leave-one-out'
      ? { ...measured, withoutPrivacy: undefined }
      : await bestWithoutPrivacy(search, measured);
  const rows = sweepRows(cells);
  return {
    ...{ cells, rows, decides, tuned, goal: asked.goal, ...(withoutPrivacy && { withoutPrivacy }) },
    trainedOn: { people, items, ratings: byUser.values.length, feedback: isGraded ? 'ratings' : 'likes' },
    shown: shownMetrics(names, rows, mainMetric(cells)).map((name) => ({
      name,
      better: readMetric(name).metric.better,
    })),
  };
}
