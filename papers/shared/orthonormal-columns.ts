import { type FactorMatrix, symmetricEigen } from '@hushrec/numerics';

/**
 * V ← V (VᵀV)^(−1/2): the orthonormal basis of the column space that is nearest to V. Directions in which V
 * is (nearly) 0 stay 0. In place. O(rows × d² + d³).
 */
export function orthonormalizeColumns(factors: FactorMatrix): void {
  const { rowCount, width, data } = factors;
  const gram = new Float64Array(width * width);
  for (let row = 0; row < rowCount; row++) {
    const from = row * width;
    for (let a = 0; a < width; a++) {
      for (let b = 0; b < width; b++) gram[a * width + b] += data[from + a] * data[from + b];
    }
  }
  const { values, vectors } = symmetricEigen(gram, width);
  const largest = Math.max(...values);
  const inverseRoot = new Float64Array(width * width);
  for (let k = 0; k < width; k++) {
    const value = values[k];
    if (!(value > largest * 1e-12)) continue;
    for (let a = 0; a < width; a++) {
      for (let b = 0; b < width; b++) {
        inverseRoot[a * width + b] += (vectors[k * width + a] * vectors[k * width + b]) / Math.sqrt(value);
      }
    }
  }
  const rotated = new Float64Array(width);
  for (let row = 0; row < rowCount; row++) {
    const from = row * width;
    rotated.fill(0);
    for (let a = 0; a < width; a++) {
      for (let b = 0; b < width; b++) rotated[b] += data[from + a] * inverseRoot[a * width + b];
    }
    data.set(rotated, from);
  }
}
