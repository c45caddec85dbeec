import type { ItemModel } from '@hushrec/model';
import type { Engine } from '@hushrec/numerics';
import {
  type Holdout,
  popularityBuckets,
  type RatingMatrix,
  type StrongGeneralization,
} from '@hushrec/ratings';
import { bootstrapIntervals, type Estimate } from './intervals/bootstrap.js';
import { type MeasuredLists, measureRanking } from './measure-ranking.js';
import { type Measured, measureRatings, predictedBy } from './measure-ratings.js';
import { type AskedMetric, askedName, isOfLists } from './metrics/metric.js';
import type { Predicted } from './metrics/rating-metric.js';
import { defaultCutoffs, shownOfLists, shownOfPredictions } from './metrics.js';
import { holdoutTask } from './protocols/holdout.js';
import { type LeftOut, leaveOneOutTask } from './protocols/leave-one-out.js';
import { strongGeneralizationTask } from './protocols/strong-generalization.js';
import type { EvaluationTask } from './protocols/task.js';
import { likedAmong, measureRankOfLiked, shownOfLiked } from './rank-liked.js';

/** What each protocol needs. `k-fold` is one fold here; `crossValidate` goes through all. */
export interface SplitOf {
  readonly holdout: Holdout;
  readonly 'k-fold': { readonly train: RatingMatrix; readonly test: RatingMatrix };
  readonly 'strong-generalization': StrongGeneralization;
  readonly 'leave-one-out': LeftOut;
}
export type Protocol = keyof SplitOf;

export interface EvaluateOptions {
  /**
   * Which held-out part, where the split has two; `test` unless given. Choose hyper-parameters on
   * `validation`.
   */
  readonly stage?: 'validation' | 'test';
  /**
   * What is measured (see `readMetrics`, or give metrics of one's own); what suits the protocol and the model
   * unless given. Metrics that say nothing about this model under this protocol are left out (see
   * `unfitMetrics`); where ratings are predicted, those of lists are of what people liked.
   */
  readonly metrics?: readonly AskedMetric[];
  /** Lengths of ranked lists where no metrics are given; 10, 20 and 100 unless given. */
  readonly cutoffs?: readonly number[];
  /**
   * Where ratings are predicted and no metrics are given, rank too: `ndcg@10` and `recall@10` of what people
   * liked (see `measureRankOfLiked`).
   */
  readonly rankLiked?: boolean;
  /**
   * Where items are ranked: what was rated lower than this does not count as found. Everything in a history
   * stays out of the lists all the same. Absent: everything that was held out counts.
   */
  readonly liked?: number;
  /** Popularity slices; 5 unless given. */
  readonly slices?: number;
  /** Bootstrap resamples; see `bootstrapIntervals`. */
  readonly resamples?: number;
}

export interface Slice {
  /** 0 holds the rarest items. */
  readonly slice: number;
  readonly items: number;
  readonly metrics: Readonly<Record<string, Estimate>>;
}

export interface Evaluation {
  readonly protocol: Protocol;
  readonly metrics: Readonly<Record<string, Estimate>>;
  readonly slices: readonly Slice[];
}

/**
 * Metrics of one model under one protocol, with 95 % intervals over people and popularity slices. Ratings are
 * predicted under `holdout` and `k-fold` by explicit models; everything else is ranked.
 */
export async function evaluateModel<P extends Protocol>(
  model: ItemModel,
  split: SplitOf[P],
  protocol: P,
  engine: Engine,
  options: EvaluateOptions = {},
): Promise<Evaluation> {
  const task = taskOf(split, protocol, options);
  if (task.target.values.length === 0)
    throw new RangeError(
      `Nothing is held out: there are too few ratings or people for ${protocol}. Use more of them, or another split seed.`,
    );
  const measured = await measure(engine, model, task, protocol, options);
  return { protocol, ...summarise(measured, task, options) };
}

/** The protocol's question for this split. */
function taskOf<P extends Protocol>(
  split: SplitOf[P],
  protocol: P,
  options: EvaluateOptions,
): EvaluationTask {
  const question: Protocol = protocol;
  switch (question) {
    case 'holdout':
      return holdoutTask(split as SplitOf['holdout'], options.stage ?? 'test');
    case 'k-fold': {
      const { train, test } = split as SplitOf['k-fold'];
      return { history: train.byUser, target: test.byUser, scale: train.scale, trainedOn: train };
    }
    case 'strong-generalization':
      return strongGeneralizationTask(split as SplitOf['strong-generalization'], options.stage ?? 'test');
    case 'leave-one-out':
      return leaveOneOutTask(split as SplitOf['leave-one-out']);
    default:
      return question satisfies never;
  }
}

/** What a model is asked for under a protocol: predictions, or the order of all items. */
export function answerOf(model: ItemModel, protocol: Protocol): Predicted | 'ranks' {
  const predicts = model.feedback === 'explicit' && (protocol === 'holdout' || protocol === 'k-fold');
  return predicts ? predictedBy(model) : 'ranks';
}

/** Those that say nothing about this model under this protocol. */
export function unfitMetrics(
  asked: readonly AskedMetric[],
  model: ItemModel,
  protocol: Protocol,
): readonly AskedMetric[] {
  const answer = answerOf(model, protocol);
  return asked.filter(
    ({ metric }) => metric.needs === 'ratings' && (answer === 'ranks' || !metric.predicts.includes(answer)),
  );
}

type FullyMeasured = Measured & Partial<Pick<MeasuredLists, 'ofLists'>>;

/** Per-person results. They are about people: summarise them, do not publish them. */
export async function measure(
  engine: Engine,
  model: ItemModel,
  task: EvaluationTask,
  protocol: Protocol,
  { metrics, cutoffs = defaultCutoffs, slices = 5, rankLiked = false, liked }: EvaluateOptions,
): Promise<FullyMeasured> {
  const byPopularity = bucketsOf(task, slices);
  const answer = answerOf(model, protocol);
  const unfit = unfitMetrics(metrics ?? [], model, protocol);
  const asked = metrics?.filter((each) => !unfit.includes(each));
  if (answer === 'ranks')
    return measureRanking(
      engine,
      model,
      liked === undefined ? task : { ...task, target: likedAmong(task.target, liked) },
      byPopularity,
      asked?.filter(isOfLists) ?? shownOfLists(cutoffs),
    );
  const ofPredictions = asked?.flatMap(({ metric }) => (metric.needs === 'ratings' ? [metric] : []));
  const ofLists = asked?.filter(isOfLists) ?? (rankLiked ? shownOfLiked : []);
  const predicted = await measureRatings(
    engine,
    model,
    task,
    byPopularity,
    ofPredictions ?? shownOfPredictions(answer),
  );
  const ranked = await measureRankOfLiked(engine, model, task, ofLists);
  return { ...predicted, ...ranked, overall: [...predicted.overall, ...ranked.overall] };
}

/** Values and intervals of per-person results. */
export function summarise(
  measured: FullyMeasured,
  task: EvaluationTask,
  { metrics: asked, resamples, slices = 5 }: EvaluateOptions,
): { readonly metrics: Evaluation['metrics']; readonly slices: readonly Slice[] } {
  const bootstrap = resamples === undefined ? {} : { resamples };
  const named = (metrics: Measured['overall']) => {
    const estimates = bootstrapIntervals(metrics, bootstrap);
    return Object.fromEntries(metrics.map(({ name }, m) => [name, estimates[m]] as const));
  };
  const { bucketOf } = bucketsOf(task, slices);
  const all = { ...named(measured.overall), ...measured.ofLists };
  const names = asked?.map(askedName).filter((name) => name in all) ?? Object.keys(all);
  return {
    metrics: Object.fromEntries(names.map((name) => [name, all[name]])),
    slices: measured.slices.map((metrics, slice) => ({
      slice,
      items: bucketOf.reduce((count, each) => count + (each === slice ? 1 : 0), 0),
      metrics: named(metrics),
    })),
  };
}

function bucketsOf({ trainedOn }: EvaluationTask, slices: number) {
  return popularityBuckets(trainedOn, Math.min(slices, trainedOn.itemCount));
}
