import type { RatingMatrix } from '../rating-matrix.js';
import { SeededRandom } from '../seeded-random.js';
import { selectRatings } from '../select-ratings.js';
import type { SplitRecord } from './split-record.js';

/** Seed and shares of a random split. */
export interface HoldoutOptions {
  readonly seed: number;
  /** Share of the ratings for choosing hyper-parameters; 0.1 unless given. */
  readonly validation?: number;
  /** Share of the ratings for the reported figure; 0.1 unless given. */
  readonly test?: number;
}

/** Three parts with the same users and items; every rating is in exactly one. */
export interface Holdout {
  readonly record: SplitRecord;
  readonly train: RatingMatrix;
  readonly validation: RatingMatrix;
  readonly test: RatingMatrix;
}

/**
 * Ratings drawn uniformly without regard to users: 80 % train, 10 % validation, 10 % test, the protocol of
 * the ML-10M experiments (Krichene et al. 2023; Chien et al. 2021). Sizes are exact (rounded), O(ratings).
 */
export function splitHoldout(matrix: RatingMatrix, options: HoldoutOptions): Holdout {
  const { seed, validation = 0.1, test = 0.1 } = options;
  if (!(validation >= 0 && test >= 0 && validation + test < 1))
    throw new RangeError(
      `validation ${validation} and test ${test} must be shares ≥ 0 that leave something to train on.`,
    );
  const count = matrix.byUser.values.length;
  const testCount = Math.round(count * test);
  const validationCount = Math.round(count * validation);
  const labels = new Uint8Array(count);
  labels.fill(1, 0, validationCount);
  labels.fill(2, validationCount, validationCount + testCount);
  new SeededRandom(seed).shuffle(labels);
  return {
    record: { protocol: 'holdout', seed, validation, test },
    train: selectRatings(matrix, labels, 0),
    validation: selectRatings(matrix, labels, 1),
    test: selectRatings(matrix, labels, 2),
  };
}
