import { symmetricEigen } from '@hushrec/numerics';

/** Largest eigenvalues, descending, and their unit eigenvectors: vector k is `vectors[k]`. */
export interface TopEigenpairs {
  readonly values: readonly number[];
  readonly vectors: readonly Float64Array[];
}

/**
 * Largest (algebraic) eigenpairs of a symmetric operator by the Lanczos process with full reorthogonalization
 * (Golub & Van Loan, §10.1). At most `steps` products with the operator; 2·count + 40 is ample for the few
 * leading pairs of a noisy covariance, and it stops as soon as these pairs have converged.
 * O(steps × product + steps² × size).
 */
export function topEigenpairs(
  multiply: (vector: Float64Array) => Float64Array,
  size: number,
  count: number,
  random: () => number,
  steps = Math.min(size, 2 * count + 40),
): TopEigenpairs {
  const basis: Float64Array[] = [];
  const diagonal: number[] = [];
  const beside: number[] = [];
  let next: Float64Array = Float64Array.from({ length: size }, () => random() - 0.5);
  for (let step = 0; step < steps; step++) {
    orthogonalize(next, basis);
    let norm = lengthOf(next);
    if (!(norm > 1e-10 * Math.abs(diagonal[0] ?? 1))) {
      if (basis.length >= count) break;
      next = Float64Array.from({ length: size }, () => random() - 0.5);
      orthogonalize(next, basis);
      norm = lengthOf(next);
      beside[step - 1] = 0;
    } else if (step > 0) beside[step - 1] = norm;
    const vector = next.map((value) => value / norm);
    basis.push(vector);
    next = multiply(vector);
    diagonal.push(dot(next, vector));
    if (step >= count && step % 4 === 3 && haveConverged(diagonal, beside, next, basis, count)) break;
  }
  const kept = basis.length;
  const eigen = projectedEigen(diagonal, beside);
  const wanted = Math.min(count, kept);
  const values: number[] = [];
  const vectors: Float64Array[] = [];
  for (let k = 0; k < wanted; k++) {
    const row = kept - 1 - k;
    values.push(eigen.values[row]);
    const vector = new Float64Array(size);
    basis.forEach((each, at) => {
      const factor = eigen.vectors[row * kept + at];
      for (let a = 0; a < size; a++) vector[a] += factor * each[a];
    });
    vectors.push(vector);
  }
  return { values, vectors };
}

/** Eigenpairs of the operator within the basis: a tridiagonal matrix. */
function projectedEigen(diagonal: readonly number[], beside: readonly number[]) {
  const kept = diagonal.length;
  const projected = new Float64Array(kept * kept);
  for (let k = 0; k < kept; k++) {
    projected[k * kept + k] = diagonal[k];
    if (k + 1 < kept) {
      projected[k * kept + k + 1] = beside[k];
      projected[(k + 1) * kept + k] = beside[k];
    }
  }
  return symmetricEigen(projected, kept);
}

/**
 * Part of an eigenvalue that its error may be. A direction is then off by at most this over the gap to the
 * next eigenvalue.
 */
const tolerance = 1e-8;

/**
 * Whether the leading pairs (θ, y) satisfy ‖Ay − θy‖ = β|s| ≤ tolerance·|θ|: s is the last part of y, β what
 * the next step would add.
 */
function haveConverged(
  diagonal: readonly number[],
  beside: readonly number[],
  next: Float64Array,
  basis: readonly Float64Array[],
  count: number,
): boolean {
  const left = next.slice();
  orthogonalize(left, basis);
  const beta = lengthOf(left);
  const { values, vectors } = projectedEigen(diagonal, beside);
  const kept = diagonal.length;
  for (let k = 0; k < count; k++) {
    const row = kept - 1 - k;
    const last = Math.abs(vectors[row * kept + kept - 1]);
    if (beta * last > tolerance * Math.abs(values[row])) return false;
  }
  return true;
}

/**
 * Product with a packed upper triangle. O(size²), and memory is what takes the time: four rows are read in
 * one walk. Every sum is taken in the order of two rows at a time, so that it does not depend on how many are
 * read together.
 */
export function multiplyPacked(packed: Float64Array, size: number): (vector: Float64Array) => Float64Array {
  return (vector) => {
    const out = new Float64Array(size);
    let at = 0; // of the row's diagonal
    let row = 0;
    for (; row + 3 < size; row += 4) {
      addFourRows(packed, at, vector, out, row);
      at += 4 * (size - row) - 6;
    }
    for (; row + 1 < size; row += 2) {
      const length = size - row;
      const first = packed.subarray(at, at + length);
      const second = packed.subarray(at + length, at + 2 * length - 1);
      const v0 = vector[row];
      const v1 = vector[row + 1];
      const rest = vector.subarray(row + 2);
      const below = out.subarray(row + 2);
      let s0 = first[0] * v0 + first[1] * v1;
      let s1 = first[1] * v0 + second[0] * v1;
      for (let k = 0; k < rest.length; k++) {
        const e0 = first[k + 2];
        const e1 = second[k + 1];
        const x = rest[k];
        s0 += e0 * x;
        s1 += e1 * x;
        below[k] += e0 * v0 + e1 * v1;
      }
      out[row] += s0;
      out[row + 1] += s1;
      at += 2 * length - 1;
    }
    if (row < size) out[row] += packed[at] * vector[row];
    return out;
  };
}

/** What rows row … row + 3 of the triangle add to a product; `at` is where the first of them begins. */
function addFourRows(
  packed: Float64Array,
  at: number,
  vector: Float64Array,
  out: Float64Array,
  row: number,
): void {
  const size = vector.length;
  const length = size - row;
  // a[k], b[k], c[k], d[k] are the entries of the four rows in column row + k.
  const a = packed.subarray(at, at + length);
  const b = packed.subarray(at + length - 1, at + 2 * length - 1);
  const c = packed.subarray(at + 2 * length - 3, at + 3 * length - 3);
  const d = packed.subarray(at + 3 * length - 6, at + 4 * length - 6);
  const x = vector.subarray(row, row + length);
  const to = out.subarray(row, row + length);
  const v0 = x[0];
  const v1 = x[1];
  const v2 = x[2];
  const v3 = x[3];
  let s0 = a[0] * v0 + a[1] * v1 + a[2] * v2 + a[3] * v3;
  let s1 = a[1] * v0 + b[1] * v1 + b[2] * v2 + b[3] * v3;
  to[2] += a[2] * v0 + b[2] * v1;
  to[3] += a[3] * v0 + b[3] * v1;
  let s2 = c[2] * v2 + c[3] * v3;
  let s3 = c[3] * v2 + d[3] * v3;
  for (let k = 4; k < length; k++) {
    const e0 = a[k];
    const e1 = b[k];
    const e2 = c[k];
    const e3 = d[k];
    const own = x[k];
    s0 += e0 * own;
    s1 += e1 * own;
    s2 += e2 * own;
    s3 += e3 * own;
    to[k] = to[k] + (e0 * v0 + e1 * v1) + (e2 * v2 + e3 * v3);
  }
  to[0] += s0;
  to[1] += s1;
  to[2] += s2;
  to[3] += s3;
}

/** Twice is enough (Kahan): the second pass removes what rounding left. */
function orthogonalize(vector: Float64Array, basis: readonly Float64Array[]): void {
  for (let pass = 0; pass < 2; pass++) {
    for (const each of basis) {
      const part = dot(vector, each);
      for (let a = 0; a < vector.length; a++) vector[a] -= part * each[a];
    }
  }
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
}

function lengthOf(vector: Float64Array): number {
  return Math.sqrt(dot(vector, vector));
}
