import { symmetricEigen } from './symmetric-eigen.js';

/**
 * Nearest positive semi-definite matrix in Frobenius norm: Π₊(A) = Σ_k max(λ_k, 0) q_k q_kᵀ. Full d × d
 * symmetric matrices; the input is left unchanged. O(d³).
 */
export function projectPositiveSemidefinite(matrix: Float64Array, width: number): Float64Array {
  const { values, vectors } = symmetricEigen(matrix, width);
  const out = new Float64Array(width * width);
  for (let k = 0; k < width; k++) {
    const value = values[k];
    if (value <= 0) continue;
    for (let a = 0; a < width; a++) {
      const scaled = value * vectors[k * width + a];
      for (let c = 0; c < width; c++) out[a * width + c] += scaled * vectors[k * width + c];
    }
  }
  return out;
}
