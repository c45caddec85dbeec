import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { SweepSplit } from '@hushrec/evaluate';
import type { Engine } from '@hushrec/numerics';
import type { Dataset } from '@hushrec/ratings';
import { type Command, Option } from 'commander';
import { checkEpsilon, checkRequest } from '../check-request.js';
import { addCommand, integerOption, numberOption, OptionError, repeated } from '../command.js';
import { compareReport } from '../compare-report.js';
import { comparisonCsv, comparisonTable, mainMetric, tuningText } from '../comparison-text.js';
import { addSourceFlags, datasetFolder, type SourceFlags } from '../data-source.js';
import { addFeatureFiles, sameMethod, unusedSources } from '../feature-files.js';
import { withoutPublishedPeople } from '../held-out-people.js';
import { addProtocolFlags, type ProtocolFlags, protocolRecord, ratingsFor, splitFor } from '../protocol.js';
import { measuredOnce, sameMethodsText } from '../same-methods.js';
import { settingsOf } from '../training-options.js';

interface CompareFlags extends SourceFlags, ProtocolFlags {
  readonly methods: string;
  readonly epsilons: string;
  readonly delta: number;
  readonly repeats: number;
  readonly set?: readonly string[];
  readonly features?: readonly string[];
  readonly kind?: readonly string[];
  readonly accounting: 'exact' | 'rdp' | 'zcdp' | 'as-published';
  readonly asIfUsers?: number;
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
      'hushrec compare movies --methods als,dpals,hush --epsilons 1,5,10,20 --repeats 10',
      'hushrec compare movies --methods hush,dpals --set dpals.rank=16 --as-if-users 69878',
      'hushrec compare movies --methods ials,popularity,dpals --protocol strong-generalization --liked 4',
      'hushrec compare movies --methods hush,dpals --epsilons 1,5 --tune 32',
    ],
    fields: [
      'rows (each: method unit epsilon delta metric mean sd runs seconds)',
      'report',
      'tuned',
      'same (methods measured under another name)',
    ],
    configure: (command) => {
      command
        .option('--methods <list>', 'methods, separated by commas', 'als,hush,dpals')
        .option('--epsilons <list>', 'values of ε, separated by commas', '1,5,10,20')
        .option('--delta <number>', 'δ', numberOption('delta'), 1e-5)
        .option('--repeats <n>', 'runs of each, with different noise', integerOption('repeats', 1, 1000), 10)
        .option('--set <method.key=value>', 'a setting of one method (repeatable)', repeated)
        .option('--features <file>', 'public item features (repeatable)', repeated)
        .option('--kind <kind>', 'kind of the features file in the same place (repeatable)', repeated)
        .addOption(
          new Option('--accounting <rule>', 'how noise is calibrated; rows state the true ε')
            .choices(['exact', 'rdp', 'zcdp', 'as-published'])
            .default('exact'),
        )
        .option(
          '--as-if-users <n>',
          'simulate the noise-to-signal ratio of a population of n',
          integerOption('as-if-users', 1),
        )
        .option(
          '--people <n>',
          'declared, public figure for the number of people',
          integerOption('people', 1),
        )
        .option(
          '--tune <trials>',
          'choose settings by random search on validation, this many candidates per method and ε, the best three run twice more; test is looked at once',
          integerOption('tune', 2, 10_000),
        )
        .option('--metric <name>', 'metric of the table and the curves (rmse, or recall@20 for rankings)')
        .option('--seed <n>', 'first seed of the runs', integerOption('seed', 0), 1)
        .option(
          '--threads <n>',
          'threads, and so many models trained at a time (all cores)',
          integerOption('threads', 1, 256),
        )
        .option('--public-data', 'the ratings are public: a server may show these results to everyone')
        .option(
          '--out <folder>',
          'where table, CSV and report go; a sweep that stopped goes on there (<dataset>-compare)',
        );
      addProtocolFlags(command, 'which ratings are asked for (holdout unless given)');
      addSourceFlags(command);
    },
    run: async ([path], options, context) => {
      const flags = { ...options, protocol: options.protocol ?? 'holdout' } as const;
      const { didYouMean, methodById, planRun, readSettings } = await import('@hushrec/factorize');
      const { fileRunStore, rankingMetricNames, ratingMetricNames, runSweep, runTunedSweep, sweepRows } =
        await import('@hushrec/evaluate');
      const { openDataset } = await import('@hushrec/ratings');
      const { createEngine } = await import('@hushrec/numerics');
      const methods = flags.methods
        .split(',')
        .map((id) => ({ id: methodById(id.trim()).id, settings: settingsFor(id.trim(), flags.set) }));
      if (flags.tune !== undefined && flags.protocol === 'leave-one-out')
        throw new OptionError(
          'leave-one-out has no validation part to tune on. Use --protocol holdout or strong-generalization, or leave --tune out.',
        );
      const epsilons = flags.epsilons.split(',').map(numberOption('epsilons'));
      for (const epsilon of epsilons) checkEpsilon('epsilons', epsilon);
      for (const { id, settings } of methods) readSettings(methodById(id).settings, settings);
      const { delta, features, liked } = flags;
      await checkRequest([], { delta, ...(features && { features }), ...(liked !== undefined && { liked }) });
      const metrics = [...ratingMetricNames, ...rankingMetricNames([10, 20, 100])];
      if (flags.metric !== undefined && !metrics.includes(flags.metric))
        throw new OptionError(
          `There is no metric "${flags.metric}".${didYouMean(flags.metric, metrics)} Known: ${metrics.join(', ')}.`,
        );
      const directory = await datasetFolder(path!, flags, context);
      const out = resolve(flags.out ?? `${directory.replace(/\/+$/, '').replace(/\.hushrec$/, '')}-compare`);
      await mkdir(out, { recursive: true });
      const dataset = await openDataset(directory);
      const engine = await createEngine(flags.threads === undefined ? {} : { threads: flags.threads });
      try {
        context.say(
          'All runs are simulations with seeded noise: they compare methods and protect nobody. Figures measured on private data are ' +
            'themselves a look at that data; choosing settings by them costs privacy that no certificate here includes.',
        );
        const split = await sweepSplit(dataset, flags, engine);
        const given = await addFeatureFiles(flags, dataset, context.say);
        const ids = [...new Set(methods.map(({ id }) => id))];
        for (const line of unusedSources(ids.map(methodById), given)) context.say(line);
        const all = [...dataset.features, ...given];
        const compared = methods.map(({ id, settings }) => {
          const { itemCount, scale } = split.train;
          const isPrivate = methodById(id).protects.length > 0;
          const planned = planRun({
            method: id,
            settings,
            refusesIdle: true,
            itemCount,
            scale,
            features: all,
            epsilon: isPrivate ? epsilons[0] : Infinity,
            delta: isPrivate ? flags.delta : 0,
            seed: flags.seed,
          });
          return { id, settings, planned };
        });
        const { measured, same } = measuredOnce(compared, (id) => methodById(id).settings, all);
        for (const { planned } of measured) {
          const line = sameMethod(planned.method, planned.settings, all);
          if (line !== undefined) context.say(line);
        }
        const request = {
          split,
          features: all,
          methods: measured.map(({ id, settings }) => ({ id, settings })),
          epsilons,
          delta: flags.delta,
          repeats: flags.repeats,
          seed: flags.seed,
          engine,
          accounting: flags.accounting,
          ...(flags.people !== undefined && { declaredPeople: flags.people }),
          ...(flags.asIfUsers !== undefined && { asIfUsers: flags.asIfUsers }),
          identity: JSON.stringify([
            dataset.manifest.contentHash,
            protocolRecord(flags),
            flags.features ?? [],
          ]),
          store: fileRunStore(join(out, 'runs.jsonl')),
          progress: context.progress,
          signal: context.signal,
        };
        const { scale } = split.train;
        const decides =
          flags.metric ?? (flags.protocol === 'holdout' && scale.min < scale.max ? 'rmse' : 'recall@20');
        const { cells, tuned } =
          flags.tune === undefined
            ? { cells: await runSweep(request), tuned: [] }
            : await runTunedSweep({ ...request, trials: flags.tune, metric: decides });
        const rows = sweepRows(cells);
        const metric = flags.metric ?? mainMetric(cells);
        const shown = rows.filter((row) => row.metric === metric);
        if (shown.length === 0)
          throw new OptionError(
            `There is no metric "${metric}". Known: ${[...new Set(rows.map((row) => row.metric))].join(', ')}.`,
          );
        const command = `hushrec compare ${dataset.manifest.name} --methods ${flags.methods} --epsilons ${flags.epsilons} --repeats ${flags.repeats}${flags.tune === undefined ? '' : ` --tune ${flags.tune}`}`;
        const trainedOn = { users: split.train.userCount, ratings: split.train.byUser.values.length };
        const report = join(out, 'report.html');
        await writeFile(
          report,
          compareReport(dataset.manifest, cells, rows, metric, { ...flags, command, tuned, trainedOn, same }),
        );
        await writeFile(join(out, 'rows.csv'), comparisonCsv(rows));
        // What the page of `hushrec serve --reports` draws.
        await writeFile(
          join(out, 'comparison.json'),
          JSON.stringify({
            title: `Quality against privacy: ${dataset.manifest.name}`,
            // Invented people have nothing to hide.
            publicData: flags.publicData === true || dataset.manifest.provenance['recipe'] !== undefined,
            metric,
            rows,
            cells,
            tuned,
          }),
        );
        return {
          json: {
            rows,
            report,
            tuned,
            same,
            ...(flags.asIfUsers !== undefined && { asIfUsers: flags.asIfUsers }),
          },
          text: [
            comparisonTable(shown, metric, trainedOn, flags.asIfUsers),
            ...sameMethodsText(same),
            ...tuningText(tuned, decides),
            report,
          ].join('\n\n'),
        };
      } finally {
        await engine.close();
      }
    },
  });
}

/** `--set dpals.rank=16` for one method, `--set rank=16` for all that are compared. */
function settingsFor(method: string, pairs: readonly string[] | undefined): Record<string, string> {
  const own = (pairs ?? []).flatMap((pair) => {
    const [scope, rest] = /^([a-z-]+)\.(.+)$/.exec(pair)?.slice(1) ?? [];
    if (scope === undefined) return [pair];
    return scope === method ? [rest!] : [];
  });
  return settingsOf(own);
}

async function sweepSplit(dataset: Dataset, flags: ProtocolFlags, engine: Engine): Promise<SweepSplit> {
  const { evaluateModel } = await import('@hushrec/evaluate');
  const split = await splitFor(dataset, await ratingsFor(dataset, flags), flags);
  return {
    train: split.train,
    evaluate: (model, options) => {
      switch (split.protocol) {
        case 'holdout':
          return evaluateModel(model, split, 'holdout', engine, options);
        case 'strong-generalization':
          return evaluateModel(
            withoutPublishedPeople(model),
            split,
            'strong-generalization',
            engine,
            options,
          );
        default:
          return evaluateModel(model, split, 'leave-one-out', engine, options);
      }
    },
  };
}
