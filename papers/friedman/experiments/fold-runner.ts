import { type OutcomeStore, once } from '@hushrec/evaluate';
import { WorkerPool } from '@hushrec/numerics';
import { inSharedMemory, type NamedRatings } from '@hushrec/ratings';
import { builtFile } from '../../harness/built-file.js';
import type { ExperimentContext } from '../../harness/experiment.js';
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

const task = { module: builtFile('friedman/experiments/fold-task.js'), exportName: 'runFold' };

/** Runs training on folds of one data set in threads, one run a thread at a time. */
export class FoldRunner {
  readonly folds = 10;
  readonly #pool: WorkerPool;
  readonly #data: string;
  readonly #named: NamedRatings;
  readonly #seed: number;
  readonly #store: OutcomeStore;
  readonly #signal: AbortSignal;
  readonly #known = new Map<string, Promise<FoldOutcome>>();
  #trained = 0;

  constructor(
    data: string,
    { ratings, userIds, itemIds }: NamedRatings,
    context: Pick<ExperimentContext, 'seed' | 'engine' | 'store' | 'signal'>,
  ) {
    this.#data = data;
    this.#named = { ratings: inSharedMemory(ratings), userIds, itemIds };
    this.#seed = context.seed;
    this.#store = context.store;
    this.#signal = context.signal;
    this.#pool = new WorkerPool(context.engine.threads);
  }

  /**
   * Whether every run asked for so far was trained here and now, none read from finished ones: only then does
   * time say anything.
   */
  get allTrainedHere(): boolean {
    return this.#trained === this.#known.size;
  }

  /**
   * Trains what no run finished before has: searches for two baselines begin alike, and figures share points
   * with tables.
   */
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
      ...this.#named,
      foldSeed: this.#seed,
      folds: this.folds,
    };
    const decides = { experiment: 'friedman 2', data: this.#data, foldSeed: this.#seed, ...asked };
    const running = once(this.#store, decides, () => {
      this.#trained++;
      return this.#pool.run(task, job) as Promise<FoldOutcome>;
    });
    this.#known.set(key, running);
    return running;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
