import type { FactorMatrix } from '../csr.js';
import { checkContributions, gridScale, onGrid } from '../exact-grid.js';
import { packedLength } from '../packed-symmetric.js';
import type { KernelJobs } from './kernels.js';

/** Reference for `Kernels.itemStatistics`: exact integers, O(entries · d²). */
export function itemStatisticsScalar(job: KernelJobs['itemStatistics'], begin: number, end: number): void {
  checkContributions(job, begin, end);
  const { byItem, users, rootWeights } = job;
  const { matrices, vectors } = job.out;
  const d = users.width;
  const targets = job.targets ?? byItem.values;
  const vectorScale = gridScale(job.vectorBits, job.vectorBound);
  const targetScale = gridScale(job.targetBits, job.targetBound);
  const x = new Float64Array(d);
  for (let at = begin; at < end; at++) {
    const item = job.begin + at;
    const matrixAt = at * packedLength(d);
    const vectorAt = at * d;
    if (job.matrices) matrices.fill(0, matrixAt, matrixAt + packedLength(d));
    vectors.fill(0, vectorAt, vectorAt + d);
    for (let k = byItem.offsets[item]; k < byItem.offsets[item + 1]; k++) {
      const root = rootWeights === undefined ? 1 : rootWeights[k];
      const target = Math.trunc(Math.fround(root * onGrid(targets[k], targetScale)));
      gridVector(users, byItem.indices[k], root, vectorScale, x);
      for (let a = 0; a < d; a++) vectors[vectorAt + a] += target * x[a];
      if (job.matrices) addOuterProduct(x, matrices, matrixAt);
    }
  }
}

/** Reference for `Kernels.exactGramian`. */
export function exactGramianScalar(job: KernelJobs['exactGramian'], begin: number, end: number): void {
  const { users, blockRows, out } = job;
  const scale = gridScale(job.vectorBits, job.vectorBound);
  const length = packedLength(users.width);
  const x = new Float64Array(users.width);
  out.fill(0, begin * length, end * length);
  const last = Math.min(end * blockRows, users.rowCount);
  for (let user = begin * blockRows; user < last; user++) {
    gridVector(users, user, 1, scale, x);
    addOuterProduct(x, out, Math.floor(user / blockRows) * length);
  }
}

function gridVector(users: FactorMatrix, user: number, root: number, scale: number, x: Float64Array): void {
  const from = user * users.width;
  for (let a = 0; a < x.length; a++) {
    x[a] = Math.trunc(Math.fround(root * onGrid(users.data[from + a], scale)));
  }
}

function addOuterProduct(x: Float64Array, packed: Float64Array, at: number): void {
  const d = x.length;
  let to = at;
  for (let a = 0; a < d; a++) {
    const value = x[a];
    for (let c = a; c < d; c++) packed[to++] += value * x[c];
  }
}
