import { isDeepStrictEqual } from 'node:util';
import type { AskedMetric, EvaluateOptions, Protocol } from '@hushrec/evaluate';
import type { ItemModel } from '@hushrec/model';
import type { Engine } from '@hushrec/numerics';
import type { Dataset, RatingMatrix } from '@hushrec/ratings';
import type { Command } from 'commander';
import { testedPeople } from '../cluster-people.js';
import {
  addCommand,
  type CommandContext,
  integerOption,
  numberOption,
  OptionError,
  type Outcome,
} from '../command.js';
import { addColumnsFlag, addScaleFlag, datasetFolder, type SourceFlags } from '../data-source.js';
import { addLedgerFlag } from '../dataset-ledger.js';
import { dateOption } from '../duration.js';
import { addEngineFlags, type EngineFlags, enginePlace } from '../engine-flags.js';
import { evaluationOutcome, type MeasuredModel, saveMetrics } from '../evaluation-output.js';
import { givenTest } from '../given-test.js';
import { withoutPublishedPeople } from '../held-out-people.js';
import { addMetricFlag, type MetricFlags, metricsAsked } from '../metric-flags.js';
import {
  addProtocolFlags,
  checkProtocolFlags,
  type ProtocolFlags,
  protocolRecord,
  ratingsFor,
  splitFor,
} from '../protocol.js';
import { planOption } from '../publish-request.js';
import { type ReleaseFlags, refuseReleaseFlagsAlone, releaseModelFigure } from '../release-figure.js';

interface EvaluateFlags extends SourceFlags, ProtocolFlags, EngineFlags, MetricFlags, ReleaseFlags {
  readonly folds: number;
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
      'hushrec evaluate shop-hush ratings.csv --metrics rmse,ndcg@20,coverage@20',
      'hushrec evaluate shop-hush shop --test ratings-of-june.csv --engine sc://127.0.0.1:15002',
      'hushrec evaluate models/shop shop --release --epsilon 0.2   (with noise, of what people chose since)',
    ],
    fields: [
      ...['protocol', 'metrics (each: value low high)', 'slices', 'retrained'],
      ...[
        'with --release: figure',
        'since',
        'value',
        'low',
        'high',
        'people',
        'expected',
        'epsilon',
        'delta',
      ],
      ...['ledgerEntry', 'plan (hash, with --dry-run)'],
    ],
    configure: addEvaluateFlags,
    run: ([modelPath, dataPath], flags, context) => evaluateFolder(modelPath, dataPath, flags, context),
  });
}

function addEvaluateFlags(command: Command): void {
  addProtocolFlags(command, 'which ratings are held out and predicted (holdout unless given)');
  command
    .option('--folds <n>', 'folds of k-fold', integerOption('folds', 2, 1000), 10)
    .option('--seed <n>', 'seed of models that must be trained for the protocol', integerOption('seed', 0), 1)
    .option('--threads <n>', 'threads (all cores)', integerOption('threads', 1, 256))
    .option(
      '--test <file>',
      'predict the ratings of this file, from the histories in the data set that the model was trained on',
    )
    .option(
      '--save',
      'keep the metrics: in the model folder if it protects nobody (the default), else beside it',
    )
    .option('--no-save', 'leave the model folder as it is')
    .option(
      '--release',
      'one figure of what people chose since the model was made, with noise and charged: anyone may see it',
    )
    .option('--epsilon <number>', 'ε of the figure (with --release)', numberOption('epsilon'))
    .option('--delta <number>', 'δ of the figure (with --release)', numberOption('delta'))
    .option(
      '--since <day>',
      'first day to look at, as 2026-03-31 (the one after the refresh that made the model)',
      dateOption('since'),
    )
    .option('--people <n>', 'about how many people there are (as the model says)', integerOption('people', 1))
    .option('--dry-run', 'print the plan, its hash and what to expect, and stop: nothing is charged')
    .option(
      '--resume',
      'finish a figure that stopped half-way: same noise, no second charge (with --release)',
    )
    .option('--plan <hash>', 'refuse any other plan than the one with this hash', planOption);
  addLedgerFlag(command);
  addMetricFlag(command);
  addColumnsFlag(command);
  addScaleFlag(command);
  addEngineFlags(command);
}

async function evaluateFolder(
  modelPath: string,
  dataPath: string,
  given: EvaluateFlags,
  context: CommandContext,
): Promise<Outcome> {
  if (given.test !== undefined && given.protocol !== undefined)
    throw new OptionError('--test says what is asked for; --protocol would split the data set instead.');
  if (given.release !== true) refuseReleaseFlagsAlone(given);
  else refuseOtherQuestions(given);
  const asked = { ...given, protocol: given.protocol ?? 'holdout' } as const;
  checkProtocolFlags(asked);
  const metrics = await metricsAsked(asked);
  const { readModelFolder } = await import('@hushrec/model/folder');
  const { likedFrom, openDataset } = await import('@hushrec/ratings');
  const { createEngine } = await import('@hushrec/numerics');
  const { answerOf } = await import('@hushrec/evaluate');
  const published = await readModelFolder(modelPath);
  const { flags, isGraded } = asLearned(asked, published);
  const protocol = flags.test === undefined && given.release !== true ? flags.protocol : 'k-fold';
  await refuseUnfit(metrics.metrics, published.model, protocol);
  const place = enginePlace(given);
  const threads = (place.kind === 'local' ? place.threads : undefined) ?? flags.threads;
  const dataset =
    place.kind === 'spark'
      ? await testedPeople(place.url, dataPath, flags, context)
      : await openDataset(await datasetFolder(dataPath, flags, context));
  const ratings = await ratingsFor(dataset, flags);
  const liked = isGraded ? (given.liked ?? likedFrom(ratings.scale)) : undefined;
  if (given.release === true)
    return releaseModelFigure({ modelPath, published, dataset, ratings, liked, ...metrics }, given, context);
  const engine = await createEngine(threads === undefined ? {} : { threads });
  try {
    const options = { rankLiked: true, ...metrics, ...(liked !== undefined && { liked }) };
    const { result, retrained } = await evaluate({
      ...{ published, dataset, ratings, engine, flags, options, context },
    });
    const account = dataset.manifest.account.id;
    const all = { ...result, retrained, account };
    await saveMetrics(modelPath, published.certificate, all, flags.save, context);
    const ranks = answerOf(published.model, protocol) === 'ranks';
    return evaluationOutcome(
      result,
      { retrained, ...(liked !== undefined && { liked }) },
      ranks ? undefined : ratings.scale,
    );
  } finally {
    await engine.close();
  }
}

/** A figure that is released is of one thing: the live model, on what people chose since. */
function refuseOtherQuestions({ test, protocol, save, engine }: EvaluateFlags): void {
  const [other] =
    Object.entries({ test, protocol, save, engine }).find(([, value]) => value !== undefined) ?? [];
  if (other !== undefined)
    throw new OptionError(
      `--release measures the live model on what people chose since, in this process, and prints it: leave --${other} out.`,
    );
}

/**
 * The ratings that a model is asked about are of the kind that it learned: stars or grades as they are, likes
 * where it learned likes. Where it learned grades, `--liked` says what counts as found, and nothing else.
 */
function asLearned(
  flags: EvaluateFlags & { readonly protocol: Protocol },
  { model, manifest }: Published,
): { flags: EvaluateFlags & { readonly protocol: Protocol }; isGraded: boolean } {
  const { liked, ...others } = flags;
  if (model.kind === 'factors' && model.foldIn.grades !== undefined) return { flags: others, isGraded: true };
  const before = model.feedback === 'implicit' ? manifest.run?.trainedOn?.liked : undefined;
  const least = liked ?? before;
  return { flags: { ...others, ...(least !== undefined && { liked: least }) }, isGraded: false };
}

/** Metrics that say nothing about this model under this protocol, told before anything is trained. */
async function refuseUnfit(
  metrics: readonly AskedMetric[] | undefined,
  model: ItemModel,
  protocol: Protocol,
): Promise<void> {
  const { answerOf, askedName, unfitMetrics } = await import('@hushrec/evaluate');
  const unfit = unfitMetrics(metrics ?? [], model, protocol).map(askedName);
  if (unfit.length === 0) return;
  const answer = answerOf(model, protocol);
  throw new OptionError(
    answer === 'ranks'
      ? `${unfit.join(', ')}: items are ranked here, and no ratings predicted. Ask for metrics of lists, such as recall@20.`
      : `${unfit.join(', ')}: this model predicts ${answer}, of which that says nothing.`,
  );
}

type Published = Awaited<ReturnType<typeof import('@hushrec/model/folder').readModelFolder>>;

interface Evaluating {
  readonly published: Published;
  readonly dataset: Dataset;
  readonly ratings: RatingMatrix;
  readonly engine: Engine;
  readonly flags: EvaluateFlags & { readonly protocol: Protocol };
  readonly options: EvaluateOptions;
  readonly context: CommandContext;
}

/** Asks the model, or one that is trained on the protocol's training part where it was not. */
async function evaluate(asked: Evaluating): Promise<{ result: MeasuredModel; retrained: boolean }> {
  const { published, dataset, ratings, engine, flags, options, context } = asked;
  const { crossValidate, evaluateModel } = await import('@hushrec/evaluate');
  const train = (part: RatingMatrix) =>
    retrain(published, part, dataset.features, engine, flags.seed, context);
  if (flags.test !== undefined) {
    const split = await givenTest(flags.test, dataset, ratings, flags, context);
    const result = await evaluateModel(published.model, split, 'k-fold', engine, options);
    return { result: { ...result, protocol: 'test file' }, retrained: false };
  }
  if (flags.protocol === 'k-fold') {
    const { splitKFold } = await import('@hushrec/ratings');
    const folds = splitKFold({ ...dataset, ratings }, { folds: flags.folds, seed: flags.splitSeed });
    return { result: await crossValidate(folds, train, engine, options), retrained: true };
  }
  const split = await splitFor(dataset, ratings, flags);
  const sameItems =
    dataset.itemIds.length === published.manifest.itemIds.length &&
    dataset.itemIds.every((id, at) => id === published.manifest.itemIds[at]);
  const trainedOn = published.manifest.run?.trainedOn;
  const isHeldOut = sameItems && isDeepStrictEqual(trainedOn, await protocolRecord(flags));
  if (!isHeldOut) {
    context.say(
      'This model was not trained on the training part of this protocol, so its own vectors may have seen the answers. ' +
        'The same method with the same settings and noise is trained on that part instead (a simulation).',
    );
  }
  const model = isHeldOut ? published.model : await train(split.train);
  const result =
    split.protocol === 'holdout'
      ? await evaluateModel(model, split, 'holdout', engine, options)
      : split.protocol === 'strong-generalization'
        ? await evaluateModel(withoutPublishedPeople(model), split, 'strong-generalization', engine, options)
        : await evaluateModel(model, split, 'leave-one-out', engine, options);
  return { result, retrained: !isHeldOut };
}

/** The method of a published model with its settings and its noise, on other ratings, with seeded noise. */
async function retrain(
  published: Published,
  ratings: RatingMatrix,
  features: Parameters<typeof import('@hushrec/factorize').trainModel>[0]['features'],
  engine: Engine,
  seed: number,
  context: CommandContext,
): Promise<ItemModel> {
  await (await import('@hushrec/train/load-papers')).loadPapers();
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
