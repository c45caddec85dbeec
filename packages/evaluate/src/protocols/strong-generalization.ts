import type { StrongGeneralization } from '@hushrec/ratings';
import type { EvaluationTask } from './task.js';

/**
 * Strong generalization (Marlin 2004; the ML-20M protocol of Liang et al. 2018): people the model has never
 * seen are folded in from their history and ranked against everything outside it.
 */
export function strongGeneralizationTask(
  split: StrongGeneralization,
  stage: 'validation' | 'test',
): EvaluationTask {
  const { history, target } = split[stage];
  return { history: history.byUser, target: target.byUser, scale: history.scale, trainedOn: split.train };
}
