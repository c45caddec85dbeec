import { type Csr, type Engine, type FactorMatrix, sharedFloat32 } from '@hushrec/numerics';

/** One side of an explicit factorization: a vector per row and, where intercepts are fitted, a scalar per row. */
export interface Side {
  readonly factors: FactorMatrix;
  readonly intercept?: Float32Array;
}

export interface SideRegularization {
  /** Row r has ridge · (n_r + ridgeCountOffset)^ridgeExponent on its vector; exponent 1 is the weighted-λ of ALS-WR. */
  readonly ridge: number;
  readonly ridgeExponent: number;
  readonly ridgeCountOffset?: number;
  /** Ridge of the intercept, the same for every row (as a prior worth that many ratings of 0). */
  readonly interceptRidge?: number;
}

export interface SolveSideJob extends SideRegularization {
  readonly rows: Csr;
  /** The other side, held fixed: x_j and, where it has one, its intercept c_j. */
  readonly fixed: Side;
  /** Constant taken off every rating. */
  readonly offset: number;
  /** Overwritten when given (the previous iterate); allocated otherwise. */
  readonly out?: Side;
}

/**
 * Half-step of explicit alternating least squares with an optional intercept a per row: for every row
 *
 *   min over (x, a) of Σ_j (y_j − offset − c_j − a − x·x_j)² + ridge·ν·‖x‖² + interceptRidge·a²
 *
 * with ν = (n + ridgeCountOffset)^ridgeExponent. The intercept is eliminated exactly from the bordered system. With A = Σ x_j x_jᵀ + ridge I, s = Σ x_j,
 * p = A⁻¹ Σ y_j x_j and q = A⁻¹ s:
 *
 *   a = (Σ y_j − s·p) / (n + interceptRidge − s·q),   x = p − a q
 *
 * so that its ridge can be independent of n while the engine sees two plain systems. The denominator is the
 * Schur complement, positive because ridge > 0. Rows without entries get 0. O(nnz·d² + rows·d³).
 */
export async function solveSide(engine: Engine, job: SolveSideJob): Promise<Side> {
  const { rows, fixed } = job;
  const width = fixed.factors.width;
  const factors = job.out?.factors ?? {
    rowCount: rows.rowCount,
    width,
    data: sharedFloat32(rows.rowCount * width),
  };
  const ridge = rowRidges(rows, job.ridge, job.ridgeExponent, job.ridgeCountOffset);
  const targets = residualTargets(rows, job.offset, fixed.intercept);
  await engine.solveRows({ rows, fixed: fixed.factors, out: factors, ridge, ...(targets && { targets }) });
  if (job.interceptRidge === undefined) return { factors };

  const direction: FactorMatrix = {
    rowCount: rows.rowCount,
    width,
    data: sharedFloat32(rows.rowCount * width),
  };
  const ones = sharedFloat32(rows.values.length).fill(1);
  await engine.solveRows({ rows, fixed: fixed.factors, out: direction, ridge, targets: ones });
  const intercept = job.out?.intercept ?? sharedFloat32(rows.rowCount);
  eliminateIntercept(
    rows,
    fixed.factors,
    targets ?? rows.values,
    factors,
    direction,
    job.interceptRidge,
    intercept,
  );
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
    ridges[r] = ridge * (rows.offsets[r + 1]! - rows.offsets[r]! + ridgeCountOffset) ** ridgeExponent;
  }
  return ridges;
}

/** y − offset − c_j aligned with rows.values; undefined where that is the values themselves. O(nnz). */
export function residualTargets(
  rows: Csr,
  offset: number,
  columnBias?: Float32Array,
): Float32Array | undefined {
  if (offset === 0 && columnBias === undefined) return undefined;
  const targets = sharedFloat32(rows.values.length);
  for (let k = 0; k < targets.length; k++) {
    targets[k] = rows.values[k]! - offset - (columnBias === undefined ? 0 : columnBias[rows.indices[k]!]!);
  }
  return targets;
}

function eliminateIntercept(
  rows: Csr,
  fixed: FactorMatrix,
  targets: Float32Array,
  solution: FactorMatrix,
  direction: FactorMatrix,
  interceptRidge: number,
  intercept: Float32Array,
): void {
  const width = fixed.width;
  const columnSum = new Float64Array(width);
  for (let r = 0; r < rows.rowCount; r++) {
    const begin = rows.offsets[r]!;
    const end = rows.offsets[r + 1]!;
    if (begin === end) {
      intercept[r] = 0;
      continue;
    }
    columnSum.fill(0);
    let targetSum = 0;
    for (let k = begin; k < end; k++) {
      targetSum += targets[k]!;
      const base = rows.indices[k]! * width;
      for (let a = 0; a < width; a++) columnSum[a] = columnSum[a]! + fixed.data[base + a]!;
    }
    const base = r * width;
    let sp = 0;
    let sq = 0;
    for (let a = 0; a < width; a++) {
      sp += columnSum[a]! * solution.data[base + a]!;
      sq += columnSum[a]! * direction.data[base + a]!;
    }
    const value = (targetSum - sp) / (end - begin + interceptRidge - sq);
    intercept[r] = value;
    for (let a = 0; a < width; a++) {
      solution.data[base + a] = solution.data[base + a]! - value * direction.data[base + a]!;
    }
  }
}
