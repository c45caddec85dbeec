import { solvePositiveDefinite } from '../cholesky.js';
import type { SolvePsdJob } from '../engine.js';
import { packedLength, unpackSymmetric } from '../packed-symmetric.js';
import { projectPositiveSemidefinite } from '../psd-projection.js';

/** Reference for `Kernels.solvePsd`: forms the projection, adds, solves by Cholesky. O(systems · d³). */
export function solvePsdScalar(job: SolvePsdJob, begin: number, end: number): void {
  const d = job.width;
  const length = packedLength(d);
  for (let k = begin; k < end; k++) {
    let matrix = unpackSymmetric(job.matrices, d, k * length);
    if (job.project !== false) matrix = projectPositiveSemidefinite(matrix, d);
    if (job.common !== undefined) for (let a = 0; a < d * d; a++) matrix[a] += job.common[a];
    if (job.added !== undefined) {
      const added = unpackSymmetric(job.added, d, k * length);
      for (let a = 0; a < d * d; a++) matrix[a] += added[a];
    }
    for (let a = 0; a < d; a++) matrix[a * d + a] += job.ridge[k];
    const vector = job.vectors.slice(k * d, (k + 1) * d);
    solvePositiveDefinite(matrix, d, vector);
    job.out.data.set(vector, (job.begin + k) * d);
  }
}
