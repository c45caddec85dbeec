import type { JobKind, KernelJobs, Kernels } from '../kernels/kernels.js';
import { sharedInt32 } from '../shared-array.js';
import { COUNTERS, createKernels, type KernelChoice, type RangesPayload } from './kernel-task.js';
import { WorkerPool } from './worker-pool.js';

const task = {
  module: new URL('../../dist/threads/kernel-task.js', import.meta.url),
  exportName: 'runRanges',
};

/** Work in this thread goes on for this long before other events get their turn. */
const PATIENCE_MILLISECONDS = 50;

/** Lets events that wait have their turn. A timer waits a millisecond in Node, also where nothing does. */
function otherEvents(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}

/** Runs the ranges of kernel jobs, one job at a time, here or in all threads of a pool. */
export class KernelRunner {
  readonly threads: number;
  readonly kernel: KernelChoice['build'];
  readonly #choice: KernelChoice;
  readonly #kernels: Kernels;
  /** Undefined with one thread. */
  readonly pool: WorkerPool | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(choice: KernelChoice, threads: number) {
    this.threads = threads;
    this.kernel = choice.build;
    this.#choice = choice;
    this.#kernels = createKernels(choice);
    this.pool = threads > 1 ? new WorkerPool(threads) : undefined;
  }

  /** Ranges must write to disjoint places; with `useThreads` all arrays of the job lie in shared memory. */
  run<Kind extends JobKind>(
    kind: Kind,
    job: KernelJobs[Kind],
    bounds: Uint32Array,
    useThreads: boolean,
  ): Promise<void> {
    const work = this.#last.then(() => {
      if (this.#closed) throw new Error('The engine is closed. Create a new one to go on.');
      return useThreads && this.pool !== undefined
        ? this.#runInPool(this.pool, kind, job, bounds)
        : this.#runHere(kind, job, bounds);
    });
    this.#last = work.catch(() => {});
    return work;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.pool?.close();
  }

  async #runHere<Kind extends JobKind>(
    kind: Kind,
    job: KernelJobs[Kind],
    bounds: Uint32Array,
  ): Promise<void> {
    const staging = this.#kernels.stage(kind, job, bounds, 1);
    this.#kernels.adopt(staging, 0);
    for (let slice = 0; slice < staging.slices; slice++) this.#kernels.stageSlice(kind, job, slice);
    const compute = this.#kernels[kind] as (job: KernelJobs[Kind], begin: number, end: number) => void;
    let started = performance.now();
    for (let range = 0; range + 1 < bounds.length; range++) {
      compute(job, bounds[range], bounds[range + 1]);
      if (performance.now() - started > PATIENCE_MILLISECONDS) {
        await otherEvents();
        started = performance.now();
      }
    }
  }

  async #runInPool<Kind extends JobKind>(
    pool: WorkerPool,
    kind: Kind,
    job: KernelJobs[Kind],
    bounds: Uint32Array,
  ): Promise<void> {
    const staging = this.#kernels.stage(kind, job, bounds, pool.size);
    const payload: RangesPayload<Kind> = {
      choice: this.#choice,
      kind,
      job,
      bounds,
      counters: sharedInt32(COUNTERS),
      staging,
    };
    await pool.runOnEach(task, payload);
  }
}
