import type { CandidateTest, RatingMatrix } from '@hushrec/ratings';
import { candidatesWithTargets } from '../scoring/rank-candidates.js';
import type { EvaluationTask } from './task.js';

/**
 * One interaction of each person is held out; with `candidates`, only those and the held-out item are ranked.
 */
export interface LeftOut {
  readonly train: RatingMatrix;
  readonly test: RatingMatrix;
  readonly candidates?: Pick<CandidateTest, 'offsets' | 'negatives'>;
}

/**
 * Leave-one-out. The candidates must be stated with every figure: all items outside the history (our
 * default), or given negatives (He et al. 2017 sample 99), whose hit rates are far higher and comparable
 * among themselves only.
 */
export function leaveOneOutTask({ train, test, candidates }: LeftOut): EvaluationTask {
  return {
    history: train.byUser,
    target: test.byUser,
    scale: train.scale,
    trainedOn: train,
    ...(candidates && { candidates: candidatesWithTargets(candidates, test.byUser) }),
  };
}
