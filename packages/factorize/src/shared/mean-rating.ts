import type { Csr } from '@hushrec/numerics';

/**
 * Exact mean of all values; 0 for an empty matrix. A statistic about people: for methods without privacy
 * only.
 */
export function meanRating(rows: Csr): number {
  let sum = 0;
  for (let k = 0; k < rows.values.length; k++) sum += rows.values[k];
  return rows.values.length === 0 ? 0 : sum / rows.values.length;
}
