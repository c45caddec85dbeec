import { symmetricEigen } from '@hushrec/numerics';

/** Largest eigenvalues, descending, and their unit eigenvectors: vector k is `vectors[k]`. */
export interface TopEigenpairs {
  readonly values: readonly number[];
  readonly vectors: readonly Float64Array[];
}

/**
 * Largest (algebraic) eigenpairs of a symmetric operator by the Lanczos process with full reorthogonalization (Golub & Van Loan, §10.1).
 * `steps` products with the operator; 2·count + 40 is ample for the few leading pairs of a noisy covariance.
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
  }
  const kept = basis.length;
  const projected = new Float64Array(kept * kept);
  for (let k = 0; k < kept; k++) {
    projected[k * kept + k] = diagonal[k]!;
    if (k + 1 < kept) {
      projected[k * kept + k + 1] = beside[k]!;
      projected[(k + 1) * kept + k] = beside[k]!;
    }
  }
  const eigen = symmetricEigen(projected, kept);
  const wanted = Math.min(count, kept);
  const values: number[] = [];
  const vectors: Float64Array[] = [];
  for (let k = 0; k < wanted; k++) {
    const row = kept - 1 - k;
    values.push(eigen.values[row]!);
    const vector = new Float64Array(size);
    basis.forEach((each, at) => {
      const factor = eigen.vectors[row * kept + at]!;
      for (let a = 0; a < size; a++) vector[a]! += factor * each[a]!;
    });
    vectors.push(vector);
  }
  return { values, vectors };
}

/** Product with a packed upper triangle. O(size²). */
export function multiplyPacked(packed: Float64Array, size: number): (vector: Float64Array) => Float64Array {
  return (vector) => {
    const out = new Float64Array(size);
    for (let row = 0, at = 0; row < size; row++) {
      const own = vector[row]!;
      let sum = packed[at++]! * own;
      for (let column = row + 1; column < size; column++, at++) {
        const entry = packed[at]!;
        sum += entry * vector[column]!;
        out[column]! += entry * own;
      }
      out[row]! += sum;
    }
    return out;
  };
}

/** Twice is enough (Kahan): the second pass removes what rounding left. */
function orthogonalize(vector: Float64Array, basis: readonly Float64Array[]): void {
  for (let pass = 0; pass < 2; pass++) {
    for (const each of basis) {
      const part = dot(vector, each);
      for (let a = 0; a < vector.length; a++) vector[a]! -= part * each[a]!;
    }
  }
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k]! * b[k]!;
  return sum;
}

function lengthOf(vector: Float64Array): number {
  return Math.sqrt(dot(vector, vector));
}
