import { type Csr, reorder, transposeWithOrder } from '@hushrec/numerics';
import { stackRows } from './stack-rows.js';

/**
 * People and public feature rows above each other, as one matrix whose columns are items: collective
 * factorization is then a plain half-step over its transpose, with weight 1 for ratings and α for the entries
 * of a source.
 */
export interface CollectiveRows {
  /** Items by rows; columns are people, then the rows of each source in order. */
  readonly byItem: Csr;
  /** Aligned with byItem.values. */
  readonly weights: Float32Array;
  /** y_ij = r_ij − offset − c_i for ratings, S_kj for features, aligned with byItem.values. O(entries). */
  targets(offset: number, intercepts?: Float32Array): Float32Array;
}

export function collectiveRows(
  byUser: Csr,
  sources: readonly { readonly rows: Csr; readonly weight: number }[],
): CollectiveRows {
  const stack = stackRows([byUser, ...sources.map(({ rows }) => rows)]);
  const { csr: byItem, order } = transposeWithOrder(stack);
  const weights = new Float32Array(stack.values.length).fill(1);
  let at = byUser.values.length;
  for (const { rows, weight } of sources) {
    weights.fill(weight, at, at + rows.values.length);
    at += rows.values.length;
  }
  return {
    byItem,
    weights: reorder(weights, order),
    targets(offset, intercepts) {
      const stacked = stack.values.slice();
      for (let i = 0; i < byUser.rowCount; i++) {
        const own = offset + (intercepts?.[i] ?? 0);
        for (let k = byUser.offsets[i]; k < byUser.offsets[i + 1]; k++) stacked[k] -= own;
      }
      return reorder(stacked, order);
    },
  };
}
