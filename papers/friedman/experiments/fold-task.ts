import '../../register.js';
import { scorePairs } from '@hushrec/evaluate';
import { trainModel } from '@hushrec/factorize';
import { createEngine, type Engine } from '@hushrec/numerics';
import { type KFold, type NamedRatings, type RatingMatrix, splitKFold } from '@hushrec/ratings';

/** One training run of one fold, as a thread gets it. Rating arrays are in shared memory. */
export interface FoldJob extends NamedRatings {
  /** Names the data, so that a thread keeps its folds. */
  readonly data: string;
  readonly foldSeed: number;
  readonly folds: number;
  readonly fold: number;
  readonly method: string;
  readonly settings: Readonly<Record<string, number | string | boolean>>;
  readonly epsilon: number;
  readonly seed: number;
}

export interface FoldOutcome {
  readonly rmse: number;
}

let split: { readonly key: string; readonly kFold: KFold } | undefined;
const folds = new Map<string, { readonly train: RatingMatrix; readonly test: RatingMatrix }>();
let engine: Promise<Engine> | undefined;

/**
 * Trains on all folds but one and measures RMSE on that one, predictions clamped to the scale. Runs in a
 * thread.
 */
export async function runFold(job: FoldJob): Promise<FoldOutcome> {
  engine ??= createEngine({ threads: 1 });
  const { train, test } = foldOf(job);
  const { model } = await trainModel({
    method: job.method,
    ratings: train,
    settings: job.settings,
    epsilon: job.epsilon,
    delta: 0,
    engine: await engine,
    seed: job.seed,
  });
  const scores = await scorePairs(await engine, model, train.byUser, test.byUser);
  const { min, max } = test.scale;
  let squared = 0;
  for (let at = 0; at < scores.length; at++) {
    const predicted = Math.min(max, Math.max(min, scores[at]));
    squared += (test.byUser.values[at] - predicted) ** 2;
  }
  return { rmse: Math.sqrt(squared / scores.length) };
}

function foldOf(job: FoldJob) {
  const key = `${job.data} ${job.foldSeed} ${job.folds}`;
  if (split?.key !== key) {
    split = { key, kFold: splitKFold(job, { seed: job.foldSeed, folds: job.folds }) };
    folds.clear();
  }
  const known = folds.get(`${job.fold}`);
  if (known !== undefined) return known;
  const made = split.kFold.fold(job.fold);
  folds.set(`${job.fold}`, made);
  return made;
}
