import { choleskyInPlace, choleskySolve, NotPositiveDefiniteError } from '../cholesky.js';
import type { SolveRowsJob } from '../engine.js';

/** Normal equations of one row in float64: A (upper triangle of d × d) and b. O(entries · d²). */
function normalEquations(job: SolveRowsJob, row: number, matrix: Float64Array, vector: Float64Array): void {
  const { rows, fixed, weights, ridgeShape, gramian } = job;
  const d = fixed.width;
  const x = fixed.data;
  const targets = job.targets ?? rows.values;
  const ridge = typeof job.ridge === 'number' ? job.ridge : job.ridge[row];
  const unobserved = job.unobservedWeight ?? 0;
  if (gramian !== undefined && unobserved !== 0) {
    for (let a = 0; a < d * d; a++) matrix[a] = unobserved * gramian[a];
  } else {
    matrix.fill(0);
  }
  vector.fill(0);
  for (let a = 0; a < d; a++) matrix[a * d + a] += ridge * (ridgeShape?.[a] ?? 1);
  for (let k = rows.offsets[row]; k < rows.offsets[row + 1]; k++) {
    const from = rows.indices[k] * d;
    const weight = weights === undefined ? 1 : weights[k];
    const weightedTarget = weight * targets[k];
    for (let a = 0; a < d; a++) {
      const scaled = weight * x[from + a];
      for (let c = a; c < d; c++) matrix[a * d + c] += scaled * x[from + c];
      vector[a] += weightedTarget * x[from + a];
    }
  }
}

/** One row by Cholesky in float64: the reference for, and the rescue of, the float32 kernels. */
export function solveRowExactly(
  job: SolveRowsJob,
  row: number,
  matrix: Float64Array,
  vector: Float64Array,
): void {
  const d = job.fixed.width;
  normalEquations(job, row, matrix, vector);
  const pivot = choleskyInPlace(matrix, d);
  if (pivot >= 0) {
    if (job.unsolvable !== 'nan') throw new NotPositiveDefiniteError(pivot);
    job.out.data.fill(Number.NaN, row * d, (row + 1) * d);
    job.ofOnes?.data.fill(Number.NaN, row * d, (row + 1) * d);
    return;
  }
  choleskySolve(matrix, d, vector);
  job.out.data.set(vector, row * d);
  if (job.ofOnes === undefined) return;
  sumOfRows(job, row, vector);
  choleskySolve(matrix, d, vector); // `matrix` holds the factor now
  job.ofOnes.data.set(vector, row * d);
}

/** Σ_j w_j x_j: the right-hand side for targets that are all 1. */
function sumOfRows({ rows, fixed, weights }: SolveRowsJob, row: number, vector: Float64Array): void {
  const d = fixed.width;
  vector.fill(0);
  for (let k = rows.offsets[row]; k < rows.offsets[row + 1]; k++) {
    const weight = weights === undefined ? 1 : weights[k];
    for (let a = 0; a < d; a++) vector[a] += weight * fixed.data[rows.indices[k] * d + a];
  }
}

/**
 * `steps` conjugate-gradient steps from the present row of `out` (Hestenes & Stiefel 1952), which stop early
 * at a residual of exactly 0.
 */
function solveRowByCg(
  job: SolveRowsJob,
  row: number,
  matrix: Float64Array,
  residual: Float64Array,
  steps: number,
): void {
  const d = job.fixed.width;
  normalEquations(job, row, matrix, residual);
  const symmetric = (a: number, c: number) => (a <= c ? matrix[a * d + c] : matrix[c * d + a]);
  const solution = Float64Array.from(job.out.data.subarray(row * d, (row + 1) * d));
  const image = new Float64Array(d);
  const multiply = (vector: Float64Array) => {
    for (let a = 0; a < d; a++) {
      let sum = 0;
      for (let c = 0; c < d; c++) sum += symmetric(a, c) * vector[c];
      image[a] = sum;
    }
  };
  multiply(solution);
  for (let a = 0; a < d; a++) residual[a] -= image[a];
  const direction = Float64Array.from(residual);
  let squared = residual.reduce((sum, r) => sum + r * r, 0);
  for (let step = 0; step < steps && squared > 0; step++) {
    multiply(direction);
    let curvature = 0;
    for (let a = 0; a < d; a++) curvature += direction[a] * image[a];
    const length = squared / curvature;
    for (let a = 0; a < d; a++) {
      solution[a] += length * direction[a];
      residual[a] -= length * image[a];
    }
    const next = residual.reduce((sum, r) => sum + r * r, 0);
    for (let a = 0; a < d; a++) direction[a] = residual[a] + (next / squared) * direction[a];
    squared = next;
  }
  job.out.data.set(solution, row * d);
}

/** Reference for `Kernels.solveRows`: O(entries · d² + rows · d³). */
export function solveRowsScalar(job: SolveRowsJob, begin: number, end: number): void {
  const d = job.fixed.width;
  const matrix = new Float64Array(d * d);
  const vector = new Float64Array(d);
  for (let row = begin; row < end; row++) {
    if (job.rows.offsets[row] === job.rows.offsets[row + 1]) {
      job.out.data.fill(0, row * d, (row + 1) * d);
      job.ofOnes?.data.fill(0, row * d, (row + 1) * d);
    } else if (job.solver === 'cg') solveRowByCg(job, row, matrix, vector, job.cgSteps ?? 3);
    else solveRowExactly(job, row, matrix, vector);
  }
}
