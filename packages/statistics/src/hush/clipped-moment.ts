import { clipFactor } from '../clip-factor.js';
import { marginFor } from './jointly-clipped.js';

/**
 * Steps of the grid up to the bound, as in `clippedShape`. Not imported: engines fold their own constants
 * alone.
 */
const gridSteps = 2 ** 20;

/**
 * Adds one person's symmetric matrix, packed upper triangle, scaled to a Frobenius norm of at most `bound`.
 * Not finite counts as none.
 *
 * Sensitivity `bound` in the Frobenius norm of the full matrix (release it with the symmetric layout):
 * scaling, then truncation towards zero of every entry. Replacing a person: 2·bound, or √2·bound when all
 * matrices are positive semi-definite. O(width²).
 */
export function addClippedMoment(
  into: Float64Array,
  matrix: Float64Array,
  width: number,
  bound: number,
): void {
  let squares = 0;
  for (let a = 0, at = 0; a < width; a++) {
    squares += matrix[at] * matrix[at];
    at++;
    for (let b = a + 1; b < width; b++, at++) squares += 2 * matrix[at] * matrix[at];
  }
  const norm = Math.sqrt(squares);
  if (!(norm < Infinity) || norm === 0) return;
  const scale = (clipFactor(norm, bound) * marginFor(matrix.length) * gridSteps) / bound;
  for (let at = 0; at < matrix.length; at++) into[at] += Math.trunc(matrix[at] * scale);
}

/**
 * The same for weight · (v vᵀ + diag(spread)), weight and spread ≥ 0, and the same integers. The square of
 * its norm is weight² · (‖v‖⁴ + Σ spread · (2v² + spread)), so that for most people, who are not scaled,
 * nothing has to be found out about the matrix: rounding cannot make up for 2⁻²⁰ of the bound.
 *
 * @param matrix room for a packed triangle
 */
export function addClippedOuter(
  into: Float64Array,
  vector: Float64Array,
  weight: number,
  bound: number,
  matrix: Float64Array,
  spread?: Float64Array,
): void {
  const width = vector.length;
  let square = 0;
  let ofSpread = 0;
  for (let a = 0; a < width; a++) {
    const own = vector[a] * vector[a];
    square += own;
    if (spread !== undefined) ofSpread += spread[a] * (2 * own + spread[a]);
  }
  const inside = weight * Math.sqrt(square * square + ofSpread) <= bound * (1 - 2 ** -20);
  const scale = (marginFor(matrix.length) * gridSteps) / bound;
  for (let a = 0, at = 0; a < width; a++) {
    const own = vector[a];
    const scaled = weight * own;
    const diagonal = spread === undefined ? scaled * own : weight * (own * own + spread[a]);
    if (inside) {
      into[at++] += Math.trunc(diagonal * scale);
      for (let b = a + 1; b < width; b++, at++) into[at] += Math.trunc(scaled * vector[b] * scale);
    } else {
      matrix[at++] = diagonal;
      for (let b = a + 1; b < width; b++, at++) matrix[at] = scaled * vector[b];
    }
  }
  if (!inside) addClippedMoment(into, matrix, width, bound);
}
