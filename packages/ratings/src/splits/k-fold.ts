import type { RatingMatrix } from '../rating-matrix.js';
import { SeededRandom } from '../seeded-random.js';
import { selectRatings } from '../select-ratings.js';
import type { SplitRecord } from './split-record.js';

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
 * Ratings in folds of equal size (±1), drawn without regard to users: the protocol of Friedman et al. 2016
 * §6.
 */
export function splitKFold(matrix: RatingMatrix, options: KFoldOptions): KFold {
  const { seed, folds = 10 } = options;
  if (!Number.isInteger(folds) || folds < 2 || folds > 255)
    throw new RangeError(`folds is ${folds}; expected a whole number from 2 to 255.`);
  const foldOf = new Uint8Array(matrix.byUser.values.length);
  for (let k = 0; k < foldOf.length; k++) foldOf[k] = k % folds;
  new SeededRandom(seed).shuffle(foldOf);
  return {
    record: { protocol: 'k-fold', seed, folds },
    folds,
    fold(index) {
      if (!Number.isInteger(index) || index < 0 || index >= folds)
        throw new RangeError(`fold is ${index}; expected a whole number from 0 to ${folds - 1}.`);
      const isTest = foldOf.map((fold) => (fold === index ? 1 : 0));
      return { train: selectRatings(matrix, isTest, 0), test: selectRatings(matrix, isTest, 1) };
    },
  };
}
