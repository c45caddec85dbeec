import type { Csr, FactorMatrix } from './csr.js';
import type { Engine } from './engine.js';
import { zeroFactors } from './random-factors.js';
import { sharedFloat32 } from './shared-array.js';

/**
 * One side of an explicit factorization: a vector per row and, where intercepts are fitted, a scalar per row.
 */
export interface Side {
  readonly factors: FactorMatrix;
  readonly intercept?: Float32Array;
}

export interface SideRidge {
  /**
   * Row r has ridge · (n_r + ridgeCountOffset)^ridgeExponent on its vector; exponent 1 is the weighted-λ of
   * ALS-WR.
   */
  readonly ridge: number;
  readonly ridgeExponent: number;
  readonly ridgeCountOffset?: number;
  /** Ridge of the intercept, the same for every row (as a prior worth that many ratings of 0). */
  readonly interceptRidge?: number;
}

export interface SolveSideJob extends SideRidge {
  readonly rows: Csr;
  /** The other side, held fixed: x_j and, where it has one, its intercept c_j. */
  readonly fixed: Side;
  /** Constant taken off every rating. */
  readonly offset: number;
  /** Overwritten when given (the previous iterate); allocated otherwise. */
  readonly out?: Side;
  /** As for `solveRows`; the intercept of such a row is not a number either. */
  readonly unsolvable?: 'throw' | 'nan';
  /** Four bytes per entry to work in, for callers that solve again and again. */
  readonly entryBuffer?: Float32Array;
}

/**
 * Half-step of explicit alternating least squares with an optional intercept a per row: for every row
 *
 *   min over (x, a) of Σ_j (r_j − offset − c_j − a − x·x_j)² + ridge·ν·‖x‖² + interceptRidge·a²
 *
 * with ν = (n + ridgeCountOffset)^ridgeExponent. The intercept is eliminated exactly from the bordered
 * system. With y_j = r_j − offset − c_j, A = Σ x_j x_jᵀ + ridge·ν·I, s = Σ x_j, p = A⁻¹ Σ y_j x_j and q = A⁻¹
 * s:
 *
 *   a = (Σ y_j − s·p) / (n + interceptRidge − s·q),   x = p − a q
 *
 * so that its ridge can be independent of n while the engine sees one plain system with two right-hand sides.
 * The denominator is the Schur complement, positive because ridge > 0. Rows without entries get 0.
 * O(nnz·d² + rows·d³).
 */
export async function solveSide(engine: Engine, job: SolveSideJob): Promise<Side> {
  const { rows, fixed, interceptRidge, unsolvable = 'throw' } = job;
  const { width } = fixed.factors;
  const factors = job.out?.factors ?? zeroFactors(rows.rowCount, width);
  const ridge = rowRidges(rows, job.ridge, job.ridgeExponent, job.ridgeCountOffset);
  const buffer = job.entryBuffer ?? sharedFloat32(rows.values.length);
  const targets = residualTargets(rows, job.offset, fixed.intercept, buffer);
  const system = { rows, fixed: fixed.factors, out: factors, ridge, targets, unsolvable };
  if (interceptRidge === undefined) {
    await engine.solveRows(system);
    return { factors };
  }
  const direction = zeroFactors(rows.rowCount, width);
  await engine.solveRows({ ...system, ofOnes: direction }); // p, q
  const targetSums = rowSums(rows, targets); // Σ y_j
  const columnSums = zeroFactors(rows.rowCount, width);
  const ones = buffer.fill(1);
  await engine.sumBags({ bags: { ...rows, values: ones }, table: fixed.factors, out: columnSums }); // s
  const intercept = job.out?.intercept ?? sharedFloat32(rows.rowCount);
  for (let r = 0; r < rows.rowCount; r++) {
    let sp = 0;
    let sq = 0;
    for (let k = r * width; k < (r + 1) * width; k++) {
      sp += columnSums.data[k] * factors.data[k];
      sq += columnSums.data[k] * direction.data[k];
    }
    const n = rows.offsets[r + 1] - rows.offsets[r];
    const a = n === 0 ? 0 : (targetSums[r] - sp) / (n + interceptRidge - sq);
    intercept[r] = a;
    for (let k = r * width; k < (r + 1) * width; k++) factors.data[k] -= a * direction.data[k];
  }
  return { factors, intercept };
}

/** ridge · (n_r + ridgeCountOffset)^ridgeExponent per row; a number where all rows share it. */
export function rowRidges(
  rows: Csr,
  ridge: number,
  ridgeExponent: number,
  ridgeCountOffset = 0,
): number | Float32Array {
  if (ridgeExponent === 0) return ridge;
  const ridges = sharedFloat32(rows.rowCount);
  for (let r = 0; r < rows.rowCount; r++) {
    ridges[r] = ridge * (rows.offsets[r + 1] - rows.offsets[r] + ridgeCountOffset) ** ridgeExponent;
  }
  return ridges;
}

/** r − offset − c_j into `out`, aligned with rows.values. O(nnz). */
function residualTargets(
  rows: Csr,
  offset: number,
  columnBias: Float32Array | undefined,
  out: Float32Array,
): Float32Array {
  const { values, indices } = rows;
  for (let k = 0; k < out.length; k++) {
    out[k] = values[k] - offset - (columnBias === undefined ? 0 : columnBias[indices[k]]);
  }
  return out;
}

function rowSums(rows: Csr, aligned: Float32Array): Float64Array {
  const sums = new Float64Array(rows.rowCount);
  for (let r = 0; r < rows.rowCount; r++) {
    for (let k = rows.offsets[r]; k < rows.offsets[r + 1]; k++) sums[r] += aligned[k];
  }
  return sums;
}
