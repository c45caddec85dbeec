import { parentPort } from 'node:worker_threads';
import { loadPapers } from '@hushrec/train/load-papers';
import { ProblemError } from '../problem.js';
import { accountingTasks } from './accounting-tasks.js';

/** A question to the thread, and its answer. */
export interface AccountingQuestion {
  readonly number: number;
  readonly task: keyof typeof accountingTasks;
  readonly args: readonly unknown[];
}
export type AccountingAnswer = { readonly number: number } & (
  | { readonly result: unknown }
  | { readonly problem: ProblemError['problem'] }
  | { readonly failure: string }
);

parentPort?.on('message', async ({ number, task, args }: AccountingQuestion) => {
  const run = accountingTasks[task] as (...args: readonly unknown[]) => Promise<unknown>;
  let answer: AccountingAnswer;
  try {
    answer = { number, result: await run(...args) };
  } catch (error) {
    answer =
      error instanceof ProblemError
        ? { number, problem: error.problem }
        : { number, failure: error instanceof Error ? error.name : 'Error' };
  }
  parentPort?.postMessage(answer);
});
// So that the first question is not charged with it.
await loadPapers();
parentPort?.postMessage('loaded');
