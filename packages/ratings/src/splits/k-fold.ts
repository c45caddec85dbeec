import type { RatingMatrix } from '../rating-matrix.js';
import { selectRatings } from '../select-ratings.js';
import type { SplitRecord } from './split-record.js';
import { type NamedRatings, SplitValues } from './split-values.js';

/** Seed and number of folds. */
export interface KFoldOptions {
  readonly seed: number;
  /** 2 to 255; 10 unless given. */
  readonly folds?: number;
}

/** Folds of the ratings, made one at a time. */
export interface KFold {
  readonly record: SplitRecord;
  readonly folds: number;
  /** Fold `index` (from 0) as test, the others as train. Made when asked for: O(ratings). */
  fold(index: number): { readonly train: RatingMatrix; readonly test: RatingMatrix };
}

/**
 * Each rating in a fold drawn by itself: the protocol of Friedman et al. 2016 §6. The fold of a rating
 * follows from seed, person and item alone (`SplitValues`), so folds are of equal size on average only.
 */
export function splitKFold(data: NamedRatings, options: KFoldOptions): KFold {
  const { seed, folds = 10 } = options;
  if (!Number.isInteger(folds) || folds < 2 || folds > 255)
    throw new RangeError(`folds is ${folds}; expected a whole number from 2 to 255.`);
  const { ratings } = data;
  const foldOf = Uint8Array.from(new SplitValues(data, 'k-fold', seed).ofRatings(ratings), (value) =>
    Math.floor(folds * value),
  );
  return {
    record: { protocol: 'k-fold', seed, folds },
    folds,
    fold(index) {
      if (!Number.isInteger(index) || index < 0 || index >= folds)
        throw new RangeError(`fold is ${index}; expected a whole number from 0 to ${folds - 1}.`);
      const isTest = foldOf.map((fold) => (fold === index ? 1 : 0));
      return { train: selectRatings(ratings, isTest, 0), test: selectRatings(ratings, isTest, 1) };
    },
  };
}
