import type { Holdout } from '@hushrec/ratings';
import { mergeRows } from './merge-rows.js';
import type { EvaluationTask } from './task.js';

/**
 * Random 80/10/10 over ratings (the ML-10M protocol of Chien et al. 2021 and Krichene et al. 2023). The item
 * side is trained on train only. People are re-solved from train for validation, and from train + validation
 * for test. Hyper-parameters are chosen on `validation`, figures are reported on `test`.
 */
export function holdoutTask(split: Holdout, stage: 'validation' | 'test'): EvaluationTask {
  const { train, validation, test } = split;
  const common = { scale: train.scale, trainedOn: train };
  return stage === 'validation'
    ? { ...common, history: train.byUser, target: validation.byUser }
    : { ...common, history: mergeRows(train.byUser, validation.byUser), target: test.byUser };
}
