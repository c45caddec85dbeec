import { reviveTaskError, type TaskErrorData } from './task-error.js';
import { startWorker, type WorkerPort } from './worker-port.js';

/**
 * A function that threads can find: a module's URL and the name of an export `(payload, thread) => result`.
 */
export interface TaskReference {
  readonly module: string | URL;
  readonly exportName: string;
}

/** One call, as it is sent to a thread. */
export interface TaskMessage {
  readonly id: number;
  readonly module: string;
  readonly exportName: string;
  readonly payload: unknown;
  readonly thread: number;
}

/** Its outcome, as it comes back. */
export type TaskReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: TaskErrorData };

/** A thread ended by itself, or the pool was closed. The pool cannot be used any more. */
export class WorkerPoolError extends Error {
  override readonly name = 'WorkerPoolError';
  readonly reason: 'thread-died' | 'closed';
  constructor(reason: WorkerPoolError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

// From src/ and from dist/ alike: threads run the compiled file.
const workerUrl = new URL('../../dist/threads/worker.js', import.meta.url);

interface Pending {
  readonly thread: number;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/**
 * Threads that run tasks by name. Payloads are cloned, typed arrays over shared memory are passed by
 * reference. When a thread dies every open call and every later one fails with `WorkerPoolError`: nothing
 * waits for ever.
 */
export class WorkerPool {
  readonly size: number;
  #workers: Promise<WorkerPort[]> | undefined;
  #pending = new Map<number, Pending>();
  #open: number[];
  #nextId = 0;
  #failure: WorkerPoolError | undefined;

  constructor(size: number) {
    this.size = size;
    this.#open = new Array<number>(size).fill(0);
  }

  /** Runs a task in the thread with the fewest open calls. */
  async run(task: TaskReference, payload: unknown): Promise<unknown> {
    return this.#call(this.#open.indexOf(Math.min(...this.#open)), task, payload);
  }

  /** Runs a task once in every thread. Waits for all of them, then fails if any failed. */
  async runOnEach(task: TaskReference, payload: unknown): Promise<unknown[]> {
    const calls = Array.from({ length: this.size }, (_, thread) => this.#call(thread, task, payload));
    const settled = await Promise.allSettled(calls);
    for (const each of settled) if (each.status === 'rejected') throw each.reason;
    return settled.map((each) => (each as PromiseFulfilledResult<unknown>).value);
  }

  /** Ends all threads; open calls fail. */
  async close(): Promise<void> {
    this.#fail(new WorkerPoolError('closed', 'The threads were closed. Create a new engine to go on.'));
    const workers = await this.#workers?.catch(() => []);
    await Promise.all(workers?.map((worker) => worker.terminate()) ?? []);
  }

  async #call(thread: number, task: TaskReference, payload: unknown): Promise<unknown> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#open[thread]++;
    this.#workers ??= this.#start();
    try {
      const worker = (await this.#workers)[thread];
      if (this.#failure !== undefined) throw this.#failure;
      const id = this.#nextId++;
      const message: TaskMessage = {
        id,
        module: String(task.module),
        exportName: task.exportName,
        payload,
        thread,
      };
      return await new Promise((resolve, reject) => {
        this.#pending.set(id, { thread, resolve, reject });
        worker.setBusy(true);
        worker.post(message);
      });
    } finally {
      this.#open[thread]--;
      if (this.#open[thread] === 0) (await this.#workers.catch(() => []))[thread]?.setBusy(false);
    }
  }

  async #start(): Promise<WorkerPort[]> {
    const workers = await Promise.all(Array.from({ length: this.size }, () => startWorker(workerUrl)));
    for (const worker of workers) {
      worker.listen(
        (data) => this.#settle(data as TaskReply),
        (reason) => {
          this.#fail(
            new WorkerPoolError(
              'thread-died',
              `A thread stopped working: ${reason}. Start again; with too little memory use fewer threads.`,
            ),
          );
          for (const other of workers) void other.terminate();
        },
      );
    }
    return workers;
  }

  #settle(reply: TaskReply): void {
    const pending = this.#pending.get(reply.id);
    if (pending === undefined) return;
    this.#pending.delete(reply.id);
    if ('error' in reply) pending.reject(reviveTaskError(reply.error));
    else pending.resolve(reply.result);
  }

  #fail(error: WorkerPoolError): void {
    this.#failure ??= error;
    const open = [...this.#pending.values()];
    this.#pending.clear();
    for (const pending of open) pending.reject(this.#failure);
  }
}
