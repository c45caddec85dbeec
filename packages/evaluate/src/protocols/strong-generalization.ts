import type { Csr } from '@hushrec/numerics';
import type { RatingMatrix } from '@hushrec/ratings';
import type { EvaluationTask } from './task.js';

/** Held-out people: nothing of theirs trained the model; part of what they did is their history, the rest the target. */
export interface HeldOutPeople {
  readonly history: RatingMatrix;
  readonly target: RatingMatrix;
}

/**
 * Strong generalization (Marlin 2004; the ML-20M protocol of Liang et al. 2018): people the model has never seen are
 * folded in from their history and ranked against everything outside it.
 */
export function strongGeneralizationTask(people: HeldOutPeople, trainedOn?: Csr): EvaluationTask {
  return {
    history: people.history.byUser,
    target: people.target.byUser,
    scale: people.history.scale,
    ...(trainedOn && { trainedOn }),
  };
}
