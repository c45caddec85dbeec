import { Worker } from 'node:worker_threads';
import { ProblemError } from '../problem.js';
import type { AccountingTasks } from './accounting-tasks.js';
import type { AccountingAnswer, AccountingQuestion } from './accounting-worker.js';

interface Waiting {
  readonly question: AccountingQuestion;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  timer?: NodeJS.Timeout;
}

/**
 * Runs accounting beside the server, so that a plan with thousands of sampled releases does not keep others
 * waiting. A question that takes longer than `limitMs` is refused and the thread is replaced; what else was
 * asked is asked again of the new one. Time counts once the thread is loaded, which on a busy machine takes
 * longer than most questions.
 */
export class AccountingThread {
  readonly #limitMs: number;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #isLoaded = false;
  #asked = 0;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Loads the thread before the first question comes. */
  warm(): void {
    this.#thread();
  }

  ask<Task extends keyof AccountingTasks>(
    task: Task,
    ...args: Parameters<AccountingTasks[Task]>
  ): Promise<Awaited<ReturnType<AccountingTasks[Task]>>> {
    const number = ++this.#asked;
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        question: { number, task, args },
        resolve: resolve as (result: unknown) => void,
        reject,
      };
      this.#waiting.set(number, waiting);
      this.#post(waiting);
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #post(waiting: Waiting): void {
    this.#thread().postMessage(waiting.question);
    if (this.#isLoaded) this.#startClock(waiting);
  }

  #startClock(waiting: Waiting): void {
    waiting.timer ??= setTimeout(() => this.#giveUp(waiting), this.#limitMs);
  }

  #thread(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(workerFile);
    worker.unref();
    this.#isLoaded = false;
    worker.on('message', (answer: AccountingAnswer | 'loaded') => {
      if (worker !== this.#worker) return;
      if (answer === 'loaded') {
        this.#isLoaded = true;
        for (const waiting of this.#waiting.values()) this.#startClock(waiting);
      } else this.#receive(answer);
    });
    worker.on('error', (error) => worker === this.#worker && this.#fail(error));
    this.#worker = worker;
    return worker;
  }

  #receive(answer: AccountingAnswer): void {
    const waiting = this.#waiting.get(answer.number);
    if (waiting === undefined) return;
    this.#waiting.delete(answer.number);
    clearTimeout(waiting.timer);
    if ('result' in answer) waiting.resolve(answer.result);
    else if ('problem' in answer) {
      const { status, title, detail } = answer.problem;
      waiting.reject(new ProblemError(status, title, detail));
    } else waiting.reject(new Error(answer.failure));
  }

  /** Refuses one question, and asks the others again. */
  #giveUp({ question, reject }: Waiting): void {
    this.#waiting.delete(question.number);
    this.#end();
    reject(
      new ProblemError(
        503,
        'This takes too long to account for.',
        'Choose fewer steps, use the command line, or try again when the machine is less busy.',
      ),
    );
    for (const other of this.#waiting.values()) {
      clearTimeout(other.timer);
      delete other.timer;
      this.#post(other);
    }
  }

  /** Everyone who waits for a thread that broke is told, and the next question starts another. */
  #fail(reason: Error): void {
    this.#end();
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(reason);
    }
    this.#waiting.clear();
  }

  #end(): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
  }
}

/** Loaded from the build: a thread cannot run TypeScript. */
const workerFile = new URL('../../dist/accounting/accounting-worker.js', import.meta.url);
