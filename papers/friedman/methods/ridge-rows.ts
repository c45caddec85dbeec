import { type Csr, choleskyInPlace, choleskySolve, NotPositiveDefiniteError } from '@hushrec/numerics';
import { responseStep } from './exact-products.js';
import { projectRows } from './factor-rows.js';

/**
 * Scratch space and the normal equations of one row of a sparse matrix: M = Σ x xᵀ (full, d × d), b = Σ y x.
 */
export class RowEquations {
  readonly matrix: Float64Array;
  readonly vector: Float64Array;
  readonly width: number;
  private readonly solved: Float64Array;

  constructor(width: number) {
    this.width = width;
    this.matrix = new Float64Array(width * width);
    this.vector = new Float64Array(width);
    this.solved = new Float64Array(width);
  }

  /**
   * Sums over the entries of `row` with targets aligned with the matrix, then adds `ridge` to the diagonal.
   * O(n d²).
   */
  accumulate(rows: Csr, row: number, targets: Float32Array, fixed: Float64Array, ridge: number): void {
    const { matrix, vector, width } = this;
    matrix.fill(0);
    vector.fill(0);
    const end = rows.offsets[row + 1];
    for (let at = rows.offsets[row]; at < end; at++) {
      const x = rows.indices[at] * width;
      const y = targets[at];
      for (let a = 0; a < width; a++) {
        const value = fixed[x + a];
        vector[a] += y * value;
        for (let c = a; c < width; c++) matrix[a * width + c] += value * fixed[x + c];
      }
    }
    for (let a = 0; a < width; a++) {
      matrix[a * width + a] += ridge;
      for (let c = a + 1; c < width; c++) matrix[c * width + a] = matrix[a * width + c];
    }
  }

  /** Solves M x = b into `out` at `at`; M is replaced by its Cholesky factor. */
  solve(out: Float64Array, at: number): void {
    const pivot = choleskyInPlace(this.matrix, this.width);
    if (pivot >= 0) throw new NotPositiveDefiniteError(pivot);
    choleskySolve(this.matrix, this.width, this.vector);
    out.set(this.vector, at);
  }

  /**
   * Every row of `out` from its own entries, with `ridge` for each of them; a row without entries becomes 0.
   */
  solveAll(rows: Csr, fixed: Float64Array, ridge: number, out: Float64Array): void {
    for (let row = 0; row < rows.rowCount; row++) {
      const count = rows.offsets[row + 1] - rows.offsets[row];
      if (count === 0) {
        out.fill(0, row * this.width, (row + 1) * this.width);
        continue;
      }
      this.accumulate(rows, row, rows.values, fixed, count * ridge);
      this.solve(out, row * this.width);
    }
  }

  /**
   * Σ y·w over the entries of `row` into `out`, exactly, with cut targets y and w = M⁻¹x, shortened to
   * `bound` and cut; M is replaced by its Cholesky factor. O(n d²).
   *
   * @param bound on ‖M⁻¹x‖ as computed without rounding
   * @returns the largest ‖w‖
   */
  sumResponses(
    rows: Csr,
    row: number,
    targets: Float32Array,
    fixed: Float64Array,
    bound: number,
    out: Float64Array,
  ): number {
    const { matrix, width, solved } = this;
    const pivot = choleskyInPlace(matrix, width);
    if (pivot >= 0) throw new NotPositiveDefiniteError(pivot);
    const begin = rows.offsets[row];
    const end = rows.offsets[row + 1];
    const step = responseStep(bound, end - begin);
    const base = row * width;
    out.fill(0, base, base + width);
    let largest = 0;
    for (let at = begin; at < end; at++) {
      const x = rows.indices[at] * width;
      for (let c = 0; c < width; c++) solved[c] = fixed[x + c];
      choleskySolve(matrix, width, solved);
      projectRows(solved, width, bound);
      let squared = 0;
      for (let c = 0; c < width; c++) {
        const response = Math.trunc(solved[c] / step) * step;
        squared += response * response;
        out[base + c] += targets[at] * response;
      }
      if (squared > largest) largest = squared;
    }
    return Math.sqrt(largest);
  }
}
