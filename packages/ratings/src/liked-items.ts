import type { RatingMatrix } from './rating-matrix.js';
import { implicitScale } from './rating-scale.js';
import { selectRatings } from './select-ratings.js';

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
