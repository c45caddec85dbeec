import { type Csr, transpose } from '@hushrec/numerics';
import type { RatingMatrix } from './rating-matrix.js';

/** The same ratings with items by rows and users by columns (ascending). O(ratings + items). */
export function byItem(matrix: RatingMatrix): Csr {
  return transpose(matrix.byUser);
}
