import { Worker } from 'node:worker_threads';
import { ProblemError } from '../problem.js';
import type { AccountingTasks } from './accounting-tasks.js';
import type { AccountingAnswer, AccountingQuestion } from './accounting-worker.js';

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Runs accounting beside the server, so that a plan with thousands of sampled releases does not keep others
 * waiting. A question that takes longer than `limitMs` is refused and the thread is replaced.
 */
export class AccountingThread {
  readonly #limitMs: number;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #asked = 0;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  ask<Task extends keyof AccountingTasks>(
    task: Task,
    ...args: Parameters<AccountingTasks[Task]>
  ): Promise<Awaited<ReturnType<AccountingTasks[Task]>>> {
    const number = ++this.#asked;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#replace(
          new ProblemError(
            400,
            'This takes too long to account for.',
            'Choose fewer steps, or use the command line.',
          ),
        );
      }, this.#limitMs);
      this.#waiting.set(number, { resolve: resolve as (result: unknown) => void, reject, timer });
      const question: AccountingQuestion = { number, task, args };
      this.#thread().postMessage(question);
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #thread(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(workerFile);
    worker.unref();
    worker.on('message', (answer: AccountingAnswer) => this.#receive(answer));
    worker.on('error', (error) => this.#replace(error));
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

  /** Ends the thread; everyone who waits for it is told, and the next question starts another. */
  #replace(reason: Error): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(reason);
    }
    this.#waiting.clear();
  }
}

/** Loaded from the build: a thread cannot run TypeScript. */
const workerFile = new URL('../../dist/accounting/accounting-worker.js', import.meta.url);
