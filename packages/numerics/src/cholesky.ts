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

/**
 * U becomes U⁻¹, an upper triangle in place; what is below it is neither read nor written. d³/6
 * multiply-adds.
 */
export function invertUpper(triangle: Float64Array, width: number): void {
  for (let row = width - 1; row >= 0; row--) {
    const own = 1 / triangle[row * width + row];
    for (let column = width - 1; column > row; column--) {
      let sum = 0;
      for (let k = row + 1; k <= column; k++) sum += triangle[row * width + k] * triangle[k * width + column];
      triangle[row * width + column] = -own * sum;
    }
    triangle[row * width + row] = own;
  }
}

/**
 * A = UᵀU, of which the upper triangle is read, becomes A⁻¹ = U⁻¹U⁻ᵀ, all of it, in place; false, and the
 * matrix spoilt, where it is not positive definite. d³/2 multiply-adds.
 */
export function invertPositiveDefinite(matrix: Float64Array, width: number): boolean {
  if (choleskyInPlace(matrix, width) >= 0) return false;
  invertUpper(matrix, width);
  for (let row = 0; row < width; row++)
    for (let column = row; column < width; column++) {
      let sum = 0;
      for (let k = column; k < width; k++) sum += matrix[row * width + k] * matrix[column * width + k];
      matrix[row * width + column] = sum;
    }
  for (let row = 1; row < width; row++)
    for (let column = 0; column < row; column++) matrix[row * width + column] = matrix[column * width + row];
  return true;
}
