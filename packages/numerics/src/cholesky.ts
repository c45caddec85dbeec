/** A system that has no unique solution, or none that the arithmetic can find. */
export class NotPositiveDefiniteError extends RangeError {
  override readonly name = 'NotPositiveDefiniteError';
  /** Where the factorisation stopped. */
  readonly pivot: number;
  constructor(pivot: number) {
    super(
      `A least-squares system is not positive definite (pivot ${pivot}). Use a ridge above 0, or a larger one; check the input for NaN.`,
    );
    this.pivot = pivot;
  }
}

/**
 * Cholesky factor of a symmetric d × d matrix, in place: A = UᵀU with U in the upper triangle (the strict
 * lower triangle is left as it was). Returns −1, or the first pivot that is not positive (NaN included), in
 * which case the matrix is spoilt. d³/3 flops.
 */
export function choleskyInPlace(matrix: Float64Array, width: number): number {
  for (let a = 0; a < width; a++) {
    const pivot = matrix[a * width + a];
    if (!(pivot > 0) || pivot === Infinity) return a;
    const inverse = 1 / Math.sqrt(pivot);
    for (let c = a; c < width; c++) matrix[a * width + c] *= inverse;
    for (let b = a + 1; b < width; b++) {
      const factor = matrix[a * width + b];
      for (let c = b; c < width; c++) matrix[b * width + c] -= factor * matrix[a * width + c];
    }
  }
  return -1;
}

/** Solves UᵀU x = b in place for a factor of `choleskyInPlace`. 2d² flops. */
export function choleskySolve(factor: Float64Array, width: number, vector: Float64Array): void {
  for (let a = 0; a < width; a++) {
    const value = vector[a] / factor[a * width + a];
    vector[a] = value;
    for (let c = a + 1; c < width; c++) vector[c] -= factor[a * width + c] * value;
  }
  for (let a = width - 1; a >= 0; a--) {
    let value = vector[a];
    for (let c = a + 1; c < width; c++) value -= factor[a * width + c] * vector[c];
    vector[a] = value / factor[a * width + a];
  }
}

/** Solves A x = b; both are destroyed, x is left in `vector`. Throws `NotPositiveDefiniteError`. */
export function solvePositiveDefinite(matrix: Float64Array, width: number, vector: Float64Array): void {
  const pivot = choleskyInPlace(matrix, width);
  if (pivot >= 0) throw new NotPositiveDefiniteError(pivot);
  choleskySolve(matrix, width, vector);
}
