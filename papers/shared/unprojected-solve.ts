import { packedLength, type SolvePsdJob, symmetricEigen, unpackSymmetric } from '@hushrec/numerics';

/**
 * Item vectors from noisy matrices as they are, negative eigenvalues and all: x = Σ_k q_k (q_kᵀb)/e_k. Only
 * to show what the projection is for; a system with an eigenvalue near 0 gives a huge vector.
 * O(systems × d³).
 */
export function solveUnprojected(job: Omit<SolvePsdJob, 'project'>): void {
  const { width, count, matrices, vectors, ridge, common, added, out, begin } = job;
  const triangle = packedLength(width);
  const full = new Float64Array(width * width);
  for (let k = 0; k < count; k++) {
    unpackSymmetric(matrices, width, k * triangle, full);
    if (added) {
      const more = unpackSymmetric(added, width, k * triangle);
      for (let at = 0; at < full.length; at++) full[at] += more[at];
    }
    if (common) for (let at = 0; at < full.length; at++) full[at] += common[at];
    for (let a = 0; a < width; a++) full[a * width + a] += ridge[k];
    const { values, vectors: eigenvectors } = symmetricEigen(full, width);
    const solution = new Float64Array(width);
    for (let e = 0; e < width; e++) {
      let along = 0;
      for (let a = 0; a < width; a++) along += eigenvectors[e * width + a] * vectors[k * width + a];
      const factor = along / (Math.abs(values[e]) > 1e-12 ? values[e] : 1e-12);
      for (let a = 0; a < width; a++) solution[a] += factor * eigenvectors[e * width + a];
    }
    out.data.set(solution, (begin + k) * width);
  }
}
