import { choleskyInPlace, choleskySolve, symmetricEigen } from '@hushrec/numerics';

/**
 * argmin xᵀHx − 2cᵀx over ‖x‖₂ ≤ radius, for any symmetric H (d × d, full; indefinite allowed).
 *
 * x solves (H + νI)x = c with ν ≥ max(0, −λ_min) and ν(‖x‖ − radius) = 0 (Moré & Sorensen 1983). With H = QΛQᵀ and
 * c̃ = Qᵀc, ‖x(ν)‖² = Σ c̃²/(λ+ν)² decreases in ν: found by Newton on 1/‖x(ν)‖, which is nearly linear in ν,
 * kept inside a bracket by bisection. Hard case (c̃ = 0 on the lowest eigenspace and the rest too short): the missing
 * length is taken along the lowest eigenvector; both signs are minimisers, the positive one is returned.
 *
 * The result has norm ≤ radius exactly. O(d³); a first attempt by Cholesky avoids the eigenvectors when H is
 * positive definite and the unconstrained minimiser lies inside.
 */
export function minimizeOnBall(
  matrix: Float64Array,
  linear: Float64Array,
  width: number,
  radius: number,
): Float64Array {
  const unconstrained = Float64Array.from(linear);
  const factor = Float64Array.from(matrix);
  if (choleskyInPlace(factor, width) < 0) {
    choleskySolve(factor, width, unconstrained);
    if (norm(unconstrained) <= radius) return unconstrained;
  }

  const { values, vectors } = symmetricEigen(matrix, width);
  const rotated = new Float64Array(width);
  for (let k = 0; k < width; k++)
    for (let c = 0; c < width; c++) rotated[k] += vectors[k * width + c] * linear[c];
  const lowest = values[0];
  const scale = Math.max(Math.abs(lowest), Math.abs(values[width - 1]), Number.MIN_VALUE);
  const floor = Math.max(0, -lowest);

  const solution = new Float64Array(width);
  const lengthAt = (shift: number): number => {
    let squared = 0;
    for (let k = 0; k < width; k++) {
      const denominator = values[k] + shift;
      if (rotated[k] === 0) solution[k] = 0;
      else if (denominator > scale * 1e-15) solution[k] = rotated[k] / denominator;
      else return Number.POSITIVE_INFINITY;
      squared += solution[k] * solution[k];
    }
    return Math.sqrt(squared);
  };

  let low = floor;
  // ‖x(ν)‖ ≤ ‖c‖/(λ_min + ν), so here the length is at most the radius.
  let high = floor + norm(linear) / radius;
  const lengthAtFloor = lengthAt(floor);
  if (lengthAtFloor <= radius) {
    // Either the constraint is idle (H positive semi-definite) or this is the hard case.
    const missing = floor > 0 ? Math.sqrt(Math.max(0, radius * radius - lengthAtFloor * lengthAtFloor)) : 0;
    solution[0] += missing;
  } else {
    let shift = high;
    for (let step = 0; step < 200; step++) {
      const length = lengthAt(shift);
      if (length > radius) low = shift;
      else high = shift;
      if (Math.abs(length - radius) <= 1e-14 * radius || high - low <= 1e-16 * high) break;
      let slope = 0;
      for (let k = 0; k < width; k++) slope += (solution[k] * solution[k]) / (values[k] + shift);
      const newton = shift + ((length - radius) / radius) * ((length * length) / slope);
      shift = newton > low && newton < high ? newton : (low + high) / 2;
    }
    lengthAt(high);
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
