import { sharedFloat32, sharedUint32, WorkerPool } from '@hushrec/numerics';
import type { RatingMatrix } from '@hushrec/ratings';
import type { FoldJob, FoldOutcome } from './fold-task.js';

/** What to train, on which folds, how often. */
export interface FoldRequest {
  readonly method: string;
  readonly settings: Readonly<Record<string, number | string | boolean>>;
  readonly epsilon: number;
  readonly folds: readonly number[];
  readonly runs: number;
}

/** RMSE of every (fold, run), folds outermost. */
export type FoldErrors = readonly { readonly fold: number; readonly rmse: number }[];

const task = { module: new URL('../../dist/friedman/fold-task.js', import.meta.url), exportName: 'runFold' };

/** Runs training on folds of one data set in threads, one run a thread at a time. */
export class FoldRunner {
  readonly folds = 10;
  readonly #pool: WorkerPool;
  readonly #data: string;
  readonly #ratings: RatingMatrix;
  readonly #seed: number;
  readonly #signal: AbortSignal;
  readonly #known = new Map<string, Promise<FoldOutcome>>();

  constructor(
    data: string,
    ratings: RatingMatrix,
    options: { seed: number; threads: number; signal: AbortSignal },
  ) {
    this.#data = data;
    this.#ratings = inSharedMemory(ratings);
    this.#seed = options.seed;
    this.#signal = options.signal;
    this.#pool = new WorkerPool(options.threads);
  }

  /** Trains what was not asked for before; searches for two baselines begin with the same ε. */
  async errors({ method, settings, epsilon, folds, runs }: FoldRequest): Promise<FoldErrors> {
    this.#signal.throwIfAborted();
    const jobs = folds.flatMap((fold) => Array.from({ length: runs }, (_, run) => ({ fold, run })));
    return Promise.all(
      jobs.map(async ({ fold, run }) => {
        const seed = 1 + this.#seed + 1000 * run + fold;
        const { rmse } = await this.#once({ fold, method, settings, epsilon, seed });
        return { fold, rmse };
      }),
    );
  }

  #once(asked: Pick<FoldJob, 'fold' | 'method' | 'settings' | 'epsilon' | 'seed'>): Promise<FoldOutcome> {
    const key = JSON.stringify(asked);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const job: FoldJob = {
      ...asked,
      data: this.#data,
      ratings: this.#ratings,
      foldSeed: this.#seed,
      folds: this.folds,
    };
    const running = this.#pool.run(task, job) as Promise<FoldOutcome>;
    this.#known.set(key, running);
    return running;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

function inSharedMemory(ratings: RatingMatrix): RatingMatrix {
  const { byUser, userCount, itemCount, scale } = ratings;
  const integers = (from: Uint32Array) => {
    const to = sharedUint32(from.length);
    to.set(from);
    return to;
  };
  const values = sharedFloat32(byUser.values.length);
  values.set(byUser.values);
  return {
    userCount,
    itemCount,
    scale,
    byUser: { ...byUser, offsets: integers(byUser.offsets), indices: integers(byUser.indices), values },
  };
}
