import type { RatingMatrix, RatingScale } from './rating-matrix.js';
import { implicitScale } from './rating-scale.js';
import { selectRatings } from './select-ratings.js';

/**
 * From here on a rating says that the person liked the item: min + 0.7·(max − min) of the declared scale,
 * rounded up to a grade; 4 of 1 to 5. Never from data.
 */
export function likedFrom({ min, max, step }: RatingScale): number {
  const exact = min + 0.7 * (max - min);
  return step > 0 ? Math.min(max, min + Math.ceil((exact - min) / step - 1e-9) * step) : exact;
}

/**
 * Implicit feedback from ratings: pairs rated at least `threshold`, each with value 1 (ML-20M protocol: 4
 * stars). Users and items keep their places.
 */
export function likedItems(matrix: RatingMatrix, threshold: number): RatingMatrix {
  const liked = Uint8Array.from(matrix.byUser.values, (rating) => (rating >= threshold ? 1 : 0));
  const kept = selectRatings(matrix, liked, 1);
  kept.byUser.values.fill(1);
  return { ...kept, scale: implicitScale };
}
