/** A matrix that should be positive definite is not: no personal fit exists. */
export class NotPositiveDefiniteError extends RangeError {
  override readonly name = 'NotPositiveDefiniteError';
  readonly pivot: number;
  constructor(pivot: number) {
    super(`The normal equations are not positive definite (pivot ${pivot}): the ridge must be > 0.`);
    this.pivot = pivot;
  }
}

/**
 * Overwrites the lower triangle of the d × d symmetric A by L with A = L Lᵀ. O(d³/3); float64.
 *
 * `numerics` has one too; this package is what a browser downloads and stays free of engines and threads.
 */
export function choleskyInPlace(a: Float64Array, d: number): void {
  for (let i = 0; i < d; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = a[i * d + j];
      for (let k = 0; k < j; k++) sum -= a[i * d + k] * a[j * d + k];
      if (i !== j) a[i * d + j] = sum / a[j * d + j];
      else if (sum > 0) a[i * d + i] = Math.sqrt(sum);
      else throw new NotPositiveDefiniteError(i);
    }
  }
}

/** Overwrites x by A⁻¹x, given the L of `choleskyInPlace`. O(d²). */
export function choleskySolve(l: Float64Array, d: number, x: Float64Array): void {
  for (let i = 0; i < d; i++) {
    let sum = x[i];
    for (let k = 0; k < i; k++) sum -= l[i * d + k] * x[k];
    x[i] = sum / l[i * d + i];
  }
  for (let i = d - 1; i >= 0; i--) {
    let sum = x[i];
    for (let k = i + 1; k < d; k++) sum -= l[k * d + i] * x[k];
    x[i] = sum / l[i * d + i];
  }
}
