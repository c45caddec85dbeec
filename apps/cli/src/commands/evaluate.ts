import type { ItemModel } from '@hushrec/model';
import type { Engine } from '@hushrec/numerics';
import type { Dataset, RatingMatrix, RatingScale } from '@hushrec/ratings';
import type { Command } from 'commander';
import { testedPeople } from '../cluster-people.js';
import { addCommand, type CommandContext, integerOption, OptionError } from '../command.js';
import { addSourceFlags, datasetFolder, importOptions, type SourceFlags } from '../data-source.js';
import { addEngineFlags, type EngineFlags, enginePlace } from '../engine-flags.js';
import { CommandError, exitCodes } from '../exit-codes.js';
import { withoutPublishedPeople } from '../held-out-people.js';
import { addProtocolFlags, type ProtocolFlags, protocolRecord, ratingsFor, splitFor } from '../protocol.js';

interface EvaluateFlags extends SourceFlags, ProtocolFlags, EngineFlags {
  readonly threads?: number;
  readonly seed: number;
  readonly save?: boolean;
  readonly test?: string;
}

export function registerEvaluate(program: Command): void {
  addCommand<EvaluateFlags>(program, {
    usage: 'evaluate <model> <dataset>',
    summary: 'metrics of a model under a protocol, with confidence intervals and popularity slices',
    examples: [
      'hushrec evaluate trial movies --protocol holdout',
      'hushrec evaluate movies-als movies --protocol k-fold --folds 10 --json',
      'hushrec evaluate movies-ials movies --protocol leave-one-out --candidates negatives.txt',
      'hushrec evaluate shop-hush ratings.csv --test ratings-of-june.csv',
      'hushrec evaluate shop-hush shop --test ratings-of-june.csv --engine sc://127.0.0.1:15002',
    ],
    fields: ['protocol', 'metrics (each: value low high)', 'slices', 'retrained'],
    configure: (command) => {
      addProtocolFlags(command, 'which ratings are asked for (holdout unless given)');
      command
        .option(
          '--seed <n>',
          'seed of models that must be trained for the protocol',
          integerOption('seed', 0),
          1,
        )
        .option('--threads <n>', 'threads (all cores)', integerOption('threads', 1, 256))
        .option(
          '--test <file>',
          'ask for the ratings of this file, from the histories of the data set that the model was trained on',
        )
        .option(
          '--save',
          'keep the metrics: in the model folder where it protects nobody (done unasked), else beside it',
        )
        .option('--no-save', 'leave the model folder as it is');
      addSourceFlags(command);
      addEngineFlags(command);
    },
    run: async ([modelPath, dataPath], given, context) => {
      if (given.test !== undefined && given.protocol !== undefined)
        throw new OptionError('--test says what is asked for; --protocol would split the data set instead.');
      const flags = { ...given, protocol: given.protocol ?? 'holdout' } as const;
      const { readModelFolder } = await import('@hushrec/model/folder');
      const { openDataset, splitKFold } = await import('@hushrec/ratings');
      const { createEngine } = await import('@hushrec/numerics');
      const { crossValidate, evaluateModel } = await import('@hushrec/evaluate');
      const published = await readModelFolder(modelPath!);
      const place = enginePlace(given);
      const threads = (place.kind === 'local' ? place.threads : undefined) ?? flags.threads;
      const dataset =
        place.kind === 'spark'
          ? await testedPeople(place.url, dataPath!, flags, context)
          : await openDataset(await datasetFolder(dataPath!, flags, context));
      const engine = await createEngine(threads === undefined ? {} : { threads });
      try {
        const ratings = await ratingsFor(dataset, flags);
        const sameItems =
          dataset.itemIds.length === published.manifest.itemIds.length &&
          dataset.itemIds.every((id, at) => id === published.manifest.itemIds[at]);
        const trainedOn = published.manifest.run?.trainedOn;
        const isHeldOut = sameItems && JSON.stringify(trainedOn) === JSON.stringify(protocolRecord(flags));
        const train = (part: RatingMatrix) =>
          retrain(published, part, dataset.features, engine, flags.seed, context);
        const done = async (result: Evaluation, retrained: boolean) => {
          await saveMetrics(
            modelPath!,
            published.certificate,
            { ...result, retrained, account: dataset.manifest.account.id },
            flags.save,
            context,
          );
          return report(result, { retrained }, ratings.scale);
        };
        if (flags.test !== undefined) {
          const split = await givenTest(flags.test, dataset, ratings, flags, context);
          const result = await evaluateModel(published.model, split, 'k-fold', engine, { rankLiked: true });
          return done({ ...result, protocol: 'test file' }, false);
        }
        if (flags.protocol === 'k-fold') {
          const folds = splitKFold(ratings, { folds: flags.folds ?? 10, seed: flags.splitSeed });
          const parts = (function* () {
            for (let index = 0; index < folds.folds; index++) yield folds.fold(index);
          })();
          const result = await crossValidate(parts, train, engine, { rankLiked: true });
          return done(result, true);
        }
        const split = await splitFor(dataset, ratings, flags);
        if (!isHeldOut) {
          context.say(
            'This model was not trained on the training part of this protocol, so its own vectors may have seen the answers. ' +
              'The same method with the same settings and noise is trained on that part instead (a simulation).',
          );
        }
        const model = isHeldOut ? published.model : await train(split.train);
        const result =
          split.protocol === 'holdout'
            ? await evaluateModel(model, split, 'holdout', engine, { rankLiked: true })
            : split.protocol === 'strong-generalization'
              ? await evaluateModel(withoutPublishedPeople(model), split, 'strong-generalization', engine)
              : await evaluateModel(model, split, 'leave-one-out', engine);
        return done(result, !isHeldOut);
      } finally {
        await engine.close();
      }
    },
  });
}

/**
 * The ratings of a test file in the numbering of the data set, without those that are in the data set too.
 */
async function givenTest(
  file: string,
  dataset: Dataset,
  train: RatingMatrix,
  flags: SourceFlags & ProtocolFlags,
  context: CommandContext,
): Promise<{ readonly train: RatingMatrix; readonly test: RatingMatrix }> {
  const { likedItems, readHeldOutFile, selectRatings } = await import('@hushrec/ratings');
  const { scale, columns, separator, header, skipBadRows } = await importOptions(flags, context);
  const read = await readHeldOutFile(file, dataset, {
    ...(scale && { scale }),
    ...(columns && { columns }),
    ...(separator !== undefined && { separator }),
    ...(header !== undefined && { header }),
    ...(skipBadRows !== undefined && { skipBadRows }),
    signal: context.signal,
  });
  const asked = flags.liked === undefined ? read.ratings : likedItems(read.ratings, flags.liked);
  const total = asked.byUser.indices.length;
  const isNew = new Uint8Array(total).fill(1);
  for (let user = 0; user < asked.userCount; user++) {
    const { offsets, indices } = train.byUser;
    const own = new Set(indices.subarray(offsets[user], offsets[user + 1]));
    for (let k = asked.byUser.offsets[user]; k < asked.byUser.offsets[user + 1]; k++)
      if (own.has(asked.byUser.indices[k])) isNew[k] = 0;
  }
  const test = selectRatings(asked, isNew, 1);
  const left = test.byUser.indices.length;
  if (read.unknownRows > 0)
    context.say(
      `Left out of ${file}: ${counted(read.unknownRows, 'row')} about people or items that the data set does not have.`,
    );
  if (left < total)
    context.say(
      `Left out of ${file}: ${counted(total - left, 'pair')} that the data set has too, where the model may have seen them.`,
    );
  if (left === 0)
    throw new CommandError(
      exitCodes.badData,
      `${file}: nothing in it can be asked for. Its ids must be those of the data set, and its pairs must not be in it.`,
    );
  return { train, test };
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** The method of a published model with its settings and its noise, on other ratings, with seeded noise. */
async function retrain(
  published: {
    readonly manifest: { readonly method: string; readonly settings: Readonly<Record<string, unknown>> };
    readonly certificate: { readonly epsilon: number | null; readonly delta: number };
  },
  ratings: RatingMatrix,
  features: Parameters<typeof import('@hushrec/factorize').trainModel>[0]['features'],
  engine: Engine,
  seed: number,
  context: CommandContext,
): Promise<ItemModel> {
  const { trainModel } = await import('@hushrec/factorize');
  const { manifest, certificate } = published;
  const result = await trainModel({
    method: manifest.method,
    settings: manifest.settings,
    epsilon: certificate.epsilon ?? Infinity,
    delta: certificate.delta,
    ratings,
    ...(features && { features }),
    engine,
    seed,
    hooks: { progress: context.progress, signal: context.signal },
  });
  return result.model;
}

type Metrics = Readonly<
  Record<string, { readonly value: number; readonly low: number; readonly high: number }>
>;

interface Evaluation {
  readonly protocol: string;
  readonly metrics: Metrics;
  readonly slices: readonly { readonly slice: number; readonly items: number; readonly metrics: Metrics }[];
}

/**
 * Figures measured on people's ratings are statistics about people that no certificate covers. They go into
 * the folder that anyone may hold only where nobody is protected anyway (no guarantee, or a simulation);
 * else, when asked for, beside it.
 */
async function saveMetrics(
  directory: string,
  certificate: { readonly epsilon: number | null; readonly simulation: boolean },
  result: Evaluation & { readonly retrained: boolean; readonly account: string },
  save: boolean | undefined,
  { say }: CommandContext,
): Promise<void> {
  const protects = certificate.epsilon !== null && !certificate.simulation;
  if (save === undefined && protects)
    say(
      'Metrics were not saved: these figures are a look at private ratings that the certificate does not cover. --save keeps them beside the model folder, for its operators.',
    );
  if (!(save ?? !protects)) return;
  const { writeMetrics } = await import('@hushrec/model/folder');
  // NaN (a slice without ratings) is null in JSON.
  const content = JSON.parse(JSON.stringify(result)) as unknown;
  await writeMetrics(directory, content).then(
    (file) => say(`Metrics are in ${file}.`),
    (error: NodeJS.ErrnoException) => say(`Metrics could not be saved (${error.code ?? error.message}).`),
  );
}

async function report(result: Evaluation, extra: { readonly retrained: boolean }, scale: RatingScale) {
  const { likedCutoff, likedFrom } = await import('@hushrec/evaluate');
  const predicts = 'rmse' in result.metrics || 'log-loss' in result.metrics;
  const ranksLiked = predicts && `ndcg@${likedCutoff}` in result.metrics;
  const width = Math.max(...Object.keys(result.metrics).map((name) => name.length));
  const line = ([name, { value, low, high }]: [string, Metrics[string]]) =>
    `  ${name.padEnd(width)}  ${value.toFixed(4)}  [${low.toFixed(4)}, ${high.toFixed(4)}]`;
  const [first] = Object.keys(result.metrics);
  return {
    json: { ...result, ...extra },
    text: [
      `Protocol ${result.protocol}${extra.retrained ? ', models trained for it' : ''}; 95 % intervals over people:`,
      ...Object.entries(result.metrics).map(line),
      ...(ranksLiked
        ? [
            `Ranking: of all items outside a person's history, how well those stand that the person then rated ${likedFrom(scale)} or more.`,
          ]
        : []),
      ...('auc' in result.metrics
        ? [
            'auc: of two held-out items that a person judged differently, how often the better liked one is put first; 0.5 says nothing.',
          ]
        : []),
      ...(first === undefined || result.slices.length === 0
        ? []
        : [
            `${first} by popularity of the item (slice 0 holds the rarest):`,
            ...result.slices.map(({ slice, items, metrics }) => {
              const estimate = metrics[first];
              return `  ${slice}  ${String(items).padStart(6)} items  ${estimate === undefined || Number.isNaN(estimate.value) ? 'no ratings' : estimate.value.toFixed(4)}`;
            }),
          ]),
    ].join('\n'),
  };
}
