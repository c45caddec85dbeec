/** Eigenvalues did not converge: the matrix has NaN or infinite entries. */
export class EigenError extends RangeError {
  override readonly name = 'EigenError';
  constructor() {
    super('An eigenvalue did not converge. Check the matrix for NaN or infinite entries.');
  }
}

/** Squared length below which a column counts as reduced already: far below ε², far above underflow. */
const NEGLIGIBLE_TAIL = 1e-200;

/**
 * A symmetric matrix as Q T Qᵀ with T tridiagonal (Householder 1958; Golub & Van Loan §8.3.1). Works on the
 * lower triangle of the full d × d `matrix`, whose largest entry should be about 1. On return column k below
 * the sub-diagonal holds the k-th reflector v (H = I − τ v vᵀ, v₁ = 1 implied at row k+1), `scales[k]` = τ.
 * 4/3·d³ flops.
 */
function tridiagonalize(
  matrix: Float64Array,
  width: number,
  diagonal: Float64Array,
  offDiagonal: Float64Array,
  scales: Float64Array,
  work: Float64Array,
): void {
  const d = width;
  for (let k = 0; k < d - 1; k++) {
    diagonal[k] = matrix[k * d + k];
    const head = matrix[(k + 1) * d + k];
    let tail = 0;
    for (let r = k + 2; r < d; r++) tail += matrix[r * d + k] ** 2;
    if (tail < NEGLIGIBLE_TAIL) {
      offDiagonal[k] = head;
      scales[k] = 0;
      continue;
    }
    const beta = head >= 0 ? -Math.sqrt(head * head + tail) : Math.sqrt(head * head + tail);
    const tau = (beta - head) / beta;
    const inverse = 1 / (head - beta);
    offDiagonal[k] = beta;
    scales[k] = tau;
    matrix[(k + 1) * d + k] = 1;
    for (let r = k + 2; r < d; r++) matrix[r * d + k] *= inverse;
    // p = τ B v for the trailing block B, then B ← B − v wᵀ − w vᵀ with w = p − ½τ(pᵀv) v.
    for (let r = k + 1; r < d; r++) work[r] = 0;
    for (let r = k + 1; r < d; r++) {
      const v = matrix[r * d + k];
      let sum = matrix[r * d + r] * v;
      for (let c = k + 1; c < r; c++) {
        sum += matrix[r * d + c] * matrix[c * d + k];
        work[c] += matrix[r * d + c] * v;
      }
      work[r] += sum;
    }
    let dot = 0;
    for (let r = k + 1; r < d; r++) {
      work[r] *= tau;
      dot += work[r] * matrix[r * d + k];
    }
    const half = 0.5 * tau * dot;
    for (let r = k + 1; r < d; r++) work[r] -= half * matrix[r * d + k];
    for (let r = k + 1; r < d; r++) {
      const v = matrix[r * d + k];
      const w = work[r];
      for (let c = k + 1; c <= r; c++) {
        matrix[r * d + c] -= v * work[c] + w * matrix[c * d + k];
      }
    }
  }
  diagonal[d - 1] = matrix[d * d - 1];
}

/**
 * Steps for one eigenvalue after which entries below ε times the norm count as 0, an error that making the
 * matrix tridiagonal has brought already. A few steps do, but where the rank is far below the width a block
 * is nothing but rounding errors, beside which no entry of it is ever small.
 */
const PATIENCE = 60;

/**
 * Eigenvalues of a tridiagonal matrix by implicit QL steps with Wilkinson's shift (Golub & Van Loan §8.3.3);
 * each plane rotation of columns (i, i+1) is reported as it is made: the eigenvectors are the product of all
 * of them. `diagonal` becomes the eigenvalues, unordered; `offDiagonal` (length d, last entry free) is
 * destroyed.
 */
function tridiagonalEigenvalues(
  diagonal: Float64Array,
  offDiagonal: Float64Array,
  width: number,
  rotate: (i: number, cosine: number, sine: number) => void,
): void {
  offDiagonal[width - 1] = 0;
  let norm = 0;
  for (let k = 0; k < width; k++) norm = Math.max(norm, Math.abs(diagonal[k]) + Math.abs(offDiagonal[k]));
  // Splitting below this adds an error of ε² times the norm, and ends where neighbouring diagonals are both 0.
  let negligible = Number.EPSILON ** 2 * norm;
  for (let low = 0; low < width; low++) {
    for (let iteration = 0; ; iteration++) {
      let high = low;
      while (high < width - 1) {
        const scale = Math.abs(diagonal[high]) + Math.abs(diagonal[high + 1]);
        if (Math.abs(offDiagonal[high]) <= Number.EPSILON * scale + negligible) break;
        high++;
      }
      if (high === low) break;
      if (iteration === 2 * PATIENCE) throw new EigenError();
      if (iteration === PATIENCE) negligible = Number.EPSILON * norm;
      let g = (diagonal[low + 1] - diagonal[low]) / (2 * offDiagonal[low]);
      let r = Math.hypot(g, 1);
      g = diagonal[high] - diagonal[low] + offDiagonal[low] / (g + (g >= 0 ? r : -r));
      let sine = 1;
      let cosine = 1;
      let p = 0;
      let i = high - 1;
      for (; i >= low; i--) {
        const f = sine * offDiagonal[i];
        const b = cosine * offDiagonal[i];
        r = Math.hypot(f, g);
        offDiagonal[i + 1] = r;
        if (r === 0) {
          diagonal[i + 1] -= p;
          offDiagonal[high] = 0;
          break;
        }
        sine = f / r;
        cosine = g / r;
        g = diagonal[i + 1] - p;
        r = (diagonal[i] - g) * sine + 2 * cosine * b;
        p = sine * r;
        diagonal[i + 1] = g + p;
        g = cosine * r - b;
        rotate(i, cosine, sine);
      }
      if (r === 0 && i >= low) continue;
      diagonal[low] -= p;
      offDiagonal[low] = g;
      offDiagonal[high] = 0;
    }
  }
}

/** A = Σ_k values[k] q_k q_kᵀ. */
export interface SymmetricEigen {
  /** Ascending. */
  readonly values: Float64Array;
  /** Row k is the unit eigenvector of values[k]. */
  readonly vectors: Float64Array;
}

/**
 * All eigenvalues and eigenvectors of a full symmetric d × d matrix (only its lower triangle is read), which
 * is left unchanged. About 9·d³ flops. Throws `EigenError` on NaN or infinite entries.
 */
export function symmetricEigen(matrix: Float64Array, width: number): SymmetricEigen {
  const d = width;
  const reflectors = Float64Array.from(matrix);
  let largest = 0;
  for (const value of reflectors) {
    if (!Number.isFinite(value)) throw new EigenError();
    largest = Math.max(largest, Math.abs(value));
  }
  // A power of two, so that scaling is exact; squares then neither overflow nor vanish.
  const scale = largest > 0 ? 2 ** Math.floor(Math.log2(largest)) : 1;
  for (let k = 0; k < d * d; k++) reflectors[k] /= scale;
  const values = new Float64Array(d);
  const offDiagonal = new Float64Array(d);
  const scales = new Float64Array(d);
  tridiagonalize(reflectors, d, values, offDiagonal, scales, new Float64Array(d));
  // Rows of `rows` are the columns of Q = H₀ H₁ …, made backwards from the identity.
  const rows = new Float64Array(d * d);
  for (let a = 0; a < d; a++) rows[a * d + a] = 1;
  for (let k = d - 2; k >= 0; k--) {
    for (let row = k + 1; row < d; row++) {
      let dot = 0;
      for (let c = k + 1; c < d; c++) dot += reflectors[c * d + k] * rows[row * d + c];
      dot *= scales[k];
      for (let c = k + 1; c < d; c++) rows[row * d + c] -= dot * reflectors[c * d + k];
    }
  }
  tridiagonalEigenvalues(values, offDiagonal, d, (i, cosine, sine) => {
    for (let c = 0; c < d; c++) {
      const high = rows[(i + 1) * d + c];
      const low = rows[i * d + c];
      rows[(i + 1) * d + c] = sine * low + cosine * high;
      rows[i * d + c] = cosine * low - sine * high;
    }
  });
  for (let k = 0; k < d; k++) values[k] *= scale;
  const order = Array.from(values.keys()).sort((a, b) => values[a] - values[b]);
  const vectors = new Float64Array(d * d);
  order.forEach((from, to) => {
    vectors.set(rows.subarray(from * d, (from + 1) * d), to * d);
  });
  return { values: values.slice().sort(), vectors };
}
