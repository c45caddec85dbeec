import { choleskyInPlace, choleskySolve, type SymmetricEigen, symmetricEigen } from '@hushrec/numerics';

/**
 * argmin xᵀHx − 2cᵀx over ‖x‖₂ ≤ radius, for any symmetric H (d × d, full; indefinite allowed) and as many c
 * as wanted.
 *
 * x solves (H + νI)x = c with ν ≥ max(0, −λ_min) and ν(‖x‖ − radius) = 0 (Moré & Sorensen 1983). With
 * H = QΛQᵀ and c̃ = Qᵀc, ‖x(ν)‖² = Σ c̃²/(λ+ν)² decreases in ν: found by Newton on 1/‖x(ν)‖, which is nearly
 * linear in ν, kept inside a bracket by bisection. Hard case (c̃ = 0 on the lowest eigenspace and the rest
 * too short): the missing length is taken along the lowest eigenvector; both signs are minimisers, the
 * positive one is returned.
 *
 * The result has norm ≤ radius up to the last bits. O(d³) once for H, then O(d²) for each c; eigenvectors are
 * only computed when H is not positive definite or an unconstrained minimiser lies outside.
 */
export class QuadraticOnBall {
  readonly #matrix: Float64Array;
  readonly #width: number;
  readonly #factor: Float64Array;
  readonly #positiveDefinite: boolean;
  #eigen: SymmetricEigen | undefined;

  constructor(matrix: Float64Array, width: number) {
    this.#matrix = Float64Array.from(matrix);
    this.#width = width;
    this.#factor = Float64Array.from(matrix);
    this.#positiveDefinite = choleskyInPlace(this.#factor, width) < 0;
  }

  minimize(linear: Float64Array, radius: number): Float64Array {
    const width = this.#width;
    if (this.#positiveDefinite) {
      const unconstrained = Float64Array.from(linear);
      choleskySolve(this.#factor, width, unconstrained);
      if (norm(unconstrained) <= radius) return unconstrained;
    }
    this.#eigen ??= symmetricEigen(this.#matrix, width);
    return constrained(this.#eigen, linear, radius);
  }
}

/** `QuadraticOnBall` for a single c. */
export function minimizeOnBall(
  matrix: Float64Array,
  linear: Float64Array,
  width: number,
  radius: number,
): Float64Array {
  return new QuadraticOnBall(matrix, width).minimize(linear, radius);
}

function constrained(
  { values, vectors }: SymmetricEigen,
  linear: Float64Array,
  radius: number,
): Float64Array {
  const width = values.length;
  const rotated = new Float64Array(width);
  for (let k = 0; k < width; k++)
    for (let c = 0; c < width; c++) rotated[k] += vectors[k * width + c] * linear[c];
  const lowest = values[0];
  // Squares of smaller components underflow, and no objective can tell them from 0.
  const negligible = Math.max(
    1e-150,
    1e-30 * radius * Math.max(Math.abs(lowest), Math.abs(values[width - 1])),
  );
  for (let k = 0; k < width; k++) if (Math.abs(rotated[k]) < negligible) rotated[k] = 0;
  const solution = new Float64Array(width);
  // ν = t − λ_min, so that λ_k + ν = (λ_k − λ_min) + t has no cancellation where it matters, near t = 0.
  const lengthAt = (t: number): number => {
    let squared = 0;
    for (let k = 0; k < width; k++) {
      solution[k] = rotated[k] === 0 ? 0 : rotated[k] / (values[k] - lowest + t);
      squared += solution[k] * solution[k];
    }
    return Math.sqrt(squared);
  };

  const floor = Math.max(0, lowest);
  const lengthAtFloor = lengthAt(floor);
  if (lengthAtFloor <= radius) {
    // Either the constraint is idle (λ_min > 0) or this is the hard case.
    if (lowest < 0) solution[0] += Math.sqrt(Math.max(0, radius * radius - lengthAtFloor * lengthAtFloor));
  } else {
    let low = floor;
    // ‖x‖ ≤ ‖c‖/t, so here the length is at most the radius.
    let high = norm(linear) / radius;
    let t = high;
    for (let step = 0; step < 200; step++) {
      const length = lengthAt(t);
      if (length > radius) low = t;
      else high = t;
      if (Math.abs(length - radius) <= 1e-13 * radius || high - low <= 1e-15 * high) break;
      let slope = 0;
      for (let k = 0; k < width; k++) slope += (solution[k] * solution[k]) / (values[k] - lowest + t);
      const newton = t + ((length - radius) / radius) * ((length * length) / slope);
      t = newton > low && newton < high ? newton : (low + high) / 2;
    }
  }

  const result = new Float64Array(width);
  for (let k = 0; k < width; k++)
    for (let c = 0; c < width; c++) result[c] += vectors[k * width + c] * solution[k];
  const length = norm(result);
  if (length > radius) {
    const shrink = (radius / length) * (1 - 2 ** -50);
    for (let c = 0; c < width; c++) result[c] *= shrink;
  }
  return result;
}

function norm(vector: Float64Array): number {
  let squared = 0;
  for (const value of vector) squared += value * value;
  return Math.sqrt(squared);
}
