import { type Engine, sharedMemoryAvailable, WorkerPool, WorkerPoolError } from '@hushrec/numerics';
import { inSharedMemory, type RatingMatrix } from '@hushrec/ratings';
import { loadedPlugins } from '@hushrec/train/load-plugins';
import { type CellTraining, type TrainedCell, trainCell } from './train-cell.js';

/**
 * Ratings up to which several trainings at a time are kept in memory; more are trained one after the other,
 * by all threads.
 */
const MOST_RATINGS = 5_000_000;

const task = {
  module: new URL('../../dist/sweep/train-cell.js', import.meta.url),
  exportName: 'trainCellInThread',
};

/**
 * Trains as many cells at a time as the engine has threads, each in one: small trainings, and steps that do
 * not split, leave threads idle otherwise. Models do not depend on it, as results are the same for every
 * number of threads.
 */
export class SideBySide {
  readonly #ratings: RatingMatrix;
  readonly #engine: Engine;
  readonly #pool: WorkerPool | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #waiting: (() => void)[] = [];
  #free: number;
  #closed = false;

  constructor(ratings: RatingMatrix, engine: Engine, signal?: AbortSignal) {
    this.#engine = engine;
    this.#signal = signal;
    const several =
      engine.threads > 1 && sharedMemoryAvailable && ratings.byUser.values.length <= MOST_RATINGS;
    this.#pool = several ? new WorkerPool(engine.threads) : undefined;
    this.#ratings = several ? inSharedMemory(ratings) : ratings;
    this.#free = this.#pool?.size ?? 1;
    signal?.addEventListener('abort', this.#stop, { once: true });
  }

  readonly #stop = () => void this.close();

  /**
   * Runs `work` when it is its turn: in the order of the calls, as many at a time as are trained side by
   * side.
   */
  async inTurn<Outcome>(work: () => Promise<Outcome>): Promise<Outcome> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      this.#signal?.throwIfAborted();
      // After a failure nothing that waits is begun any more; nobody waits for it either.
      if (this.#closed) throw new WorkerPoolError('closed', 'The sweep ended before this training began.');
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }

  /** One training on the ratings of the sweep, by all threads if there is no other; the caller is in turn. */
  async train(training: Omit<CellTraining, 'ratings'>): Promise<TrainedCell> {
    await Promise.resolve(); // Whoever is asked for at the same time has taken its place by then.
    const whole = { ...training, ratings: this.#ratings };
    const isAlone = this.#free + 1 === this.#pool?.size && this.#waiting.length === 0;
    if (this.#pool === undefined || isAlone) return trainCell(whole, this.#engine, this.#signal);
    try {
      return (await this.#pool.run(task, { ...whole, plugins: loadedPlugins() })) as TrainedCell;
    } catch (error) {
      this.#signal?.throwIfAborted();
      throw error;
    }
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#signal?.removeEventListener('abort', this.#stop);
    await this.#pool?.close();
  }
}
