import type { RatingMatrix } from '../rating-matrix.js';
import { selectRatings } from '../select-ratings.js';
import type { SplitRecord } from './split-record.js';
import { type NamedRatings, SplitValues } from './split-values.js';

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
 * Each rating drawn by itself: 80 % train, 10 % validation, 10 % test, the protocol of the ML-10M experiments
 * (Krichene et al. 2023; Chien et al. 2021). The part of a rating follows from seed, person and item alone
 * (`SplitValues`), so sizes are exact on average only: of n ratings the test has 0.1 n ± 0.3 √n. O(ratings).
 */
export function splitHoldout(data: NamedRatings, options: HoldoutOptions): Holdout {
  const { seed, validation = 0.1, test = 0.1 } = options;
  if (!(validation >= 0 && test >= 0 && validation + test < 1))
    throw new RangeError(
      `validation ${validation} and test ${test} must be shares ≥ 0 that leave something to train on.`,
    );
  const { ratings } = data;
  const labels = Uint8Array.from(new SplitValues(data, 'holdout', seed).ofRatings(ratings), (value) =>
    value < validation ? 1 : value < validation + test ? 2 : 0,
  );
  return {
    record: { protocol: 'holdout', seed, validation, test },
    train: selectRatings(ratings, labels, 0),
    validation: selectRatings(ratings, labels, 1),
    test: selectRatings(ratings, labels, 2),
  };
}
