import type { ItemModel } from '@hushrec/model';
import type { Engine } from '@hushrec/numerics';
import {
  type Holdout,
  popularityBuckets,
  type RatingMatrix,
  type StrongGeneralization,
} from '@hushrec/ratings';
import { bootstrapIntervals, type Estimate } from './intervals/bootstrap.js';
import { measureRanking } from './measure-ranking.js';
import { type Measured, measureRatings } from './measure-ratings.js';
import { holdoutTask } from './protocols/holdout.js';
import { type LeftOut, leaveOneOutTask } from './protocols/leave-one-out.js';
import { strongGeneralizationTask } from './protocols/strong-generalization.js';
import type { EvaluationTask } from './protocols/task.js';
import { measureRankOfLiked } from './rank-liked.js';

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
  /** Lengths of ranked lists; 10, 20 and 100 unless given. */
  readonly cutoffs?: readonly number[];
  /**
   * Where ratings are predicted, rank too: `ndcg@10` and `recall@10` of what people liked (see
   * `measureRankOfLiked`).
   */
  readonly rankLiked?: boolean;
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
 * predicted (RMSE, MAE) under `holdout` and `k-fold` by explicit models; everything else is ranked.
 */
export async function evaluateModel<P extends Protocol>(
  model: ItemModel,
  split: SplitOf[P],
  protocol: P,
  engine: Engine,
  options: EvaluateOptions = {},
): Promise<Evaluation> {
  const task = taskOf(split, protocol, options);
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

type FullyMeasured = Measured & { readonly coverage?: Readonly<Record<string, Estimate>> };

/** Per-person results. They are about people: summarise them, do not publish them. */
export async function measure(
  engine: Engine,
  model: ItemModel,
  task: EvaluationTask,
  protocol: Protocol,
  { cutoffs = [10, 20, 100], slices = 5, rankLiked = false }: EvaluateOptions,
): Promise<FullyMeasured> {
  const byPopularity = bucketsOf(task, slices);
  const predictsRatings = model.feedback === 'explicit' && (protocol === 'holdout' || protocol === 'k-fold');
  if (!predictsRatings) return measureRanking(engine, model, task, byPopularity, cutoffs);
  const measured = await measureRatings(engine, model, task, byPopularity);
  if (!rankLiked) return measured;
  return { ...measured, overall: [...measured.overall, ...(await measureRankOfLiked(engine, model, task))] };
}

/** Values and intervals of per-person results. */
export function summarise(
  measured: FullyMeasured,
  task: EvaluationTask,
  { resamples, slices = 5 }: EvaluateOptions,
): { readonly metrics: Evaluation['metrics']; readonly slices: readonly Slice[] } {
  const bootstrap = resamples === undefined ? {} : { resamples };
  const named = (metrics: Measured['overall']) => {
    const estimates = bootstrapIntervals(metrics, bootstrap);
    return Object.fromEntries(metrics.map(({ name }, m) => [name, estimates[m]] as const));
  };
  const { bucketOf } = bucketsOf(task, slices);
  return {
    metrics: { ...named(measured.overall), ...measured.coverage },
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
