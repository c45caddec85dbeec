import type { Csr } from '@hushrec/numerics';

/**
 * Shrunk mean residual per column of `rows`: b_j = Σ_i (r_ij − offset) / (n_j + shrinkage), 0 where a column
 * is empty. With shrinkage β this is the mean of the column's residuals and β pseudo-residuals of 0 (Friedman
 * et al. 2016, §3). O(nnz).
 */
export function columnMeans(rows: Csr, offset: number, shrinkage: number): Float32Array {
  const sums = new Float64Array(rows.columnCount);
  const counts = new Float64Array(rows.columnCount);
  for (let k = 0; k < rows.values.length; k++) {
    const j = rows.indices[k];
    sums[j] = sums[j] + rows.values[k] - offset;
    counts[j] = counts[j] + 1;
  }
  const means = new Float32Array(rows.columnCount);
  for (let j = 0; j < means.length; j++) if (counts[j] > 0) means[j] = sums[j] / (counts[j] + shrinkage);
  return means;
}

/** Entries per column. O(nnz). */
export function itemCounts(rows: Csr): Float32Array {
  const counts = new Float32Array(rows.columnCount);
  for (let k = 0; k < rows.indices.length; k++) counts[rows.indices[k]]++;
  return counts;
}
