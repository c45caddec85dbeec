import type { Progress } from './method.js';

/**
 * 0, 1, … count − 1: says before each how many are done, stops where it is told to, and says that all are.
 */
export function* eachRound(
  count: number,
  {
    progress,
    signal,
  }: {
    readonly progress?: ((progress: Progress) => void) | undefined;
    readonly signal?: AbortSignal | undefined;
  },
): Generator<number, void> {
  for (let round = 0; round < count; round++) {
    signal?.throwIfAborted();
    progress?.({ stage: 'rounds', done: round, total: count });
    yield round;
  }
  progress?.({ stage: 'rounds', done: count, total: count });
}
