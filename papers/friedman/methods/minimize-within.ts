import { minimizeOnBall } from './ball-constrained-quadratic.js';

/** argmin xᵀMx − 2bᵀx over ‖x‖ ≤ radius, with M = Σ vvᵀ + ridge·I. */
export interface BallProblem {
  /** d × d, full; exact but for one rounding of each diagonal entry, where the ridge was added. */
  readonly matrix: Float64Array;
  /** Exact. */
  readonly linear: Float64Array;
  readonly width: number;
  readonly radius: number;
  readonly ridge: number;
}

const unit = 2 ** -53;

/**
 * A point within `distance` of the exact minimiser x*, whatever rounding did. The usual solver's answer is
 * taken where `distanceToMinimizer` proves it near enough, which it does but for contrived data; otherwise
 * `descend` computes it.
 *
 * @param distance at least `reachableDistance`
 */
export function minimizeWithin(
  problem: BallProblem,
  distance: number,
  solve: typeof minimizeOnBall = minimizeOnBall,
): Float64Array {
  const { matrix, linear, width, radius } = problem;
  try {
    const solved = solve(matrix, linear, width, radius);
    if (distanceToMinimizer(problem, solved) <= distance) return solved;
  } catch {
    // No eigenvalues, no answer: that must not show, since it would depend on who rated what.
  }
  return descend(problem, distance);
}

/**
 * A bound on ‖x − x*‖, by what x leaves of the optimality condition.
 *
 * Lemma 1. Let ν ≥ 0 and r = (M + νI)x − b. Then x is within ‖r‖/ridge of the minimiser w over the ball of
 * radius ‖x‖ (or over any larger one, where ν = 0).
 * Proof. w satisfies (Mw − b)·(x − w) ≥ 0. Also (Mx − b)·(w − x) = r·(w − x) + ν(‖x‖² − x·w) ≥ r·(w − x), as
 * ‖w‖ ≤ ‖x‖ (or ν = 0). Added: (w − x)ᵀM(w − x) ≤ r·(x − w) ≤ ‖r‖‖x − w‖, and M ⪰ ridge·I. ∎
 *
 * Lemma 2. The minimiser x*(R) over the ball of radius R moves by at most √(trace M/ridge)·|R − R′| between
 * two radii.
 * Proof. Where the ball binds, (M + νI)x = b with ‖x‖ = R; with N = (M + νI)⁻¹, dx = −Nx dν and
 * dR = −(xᵀNx/‖x‖) dν, so ‖dx/dR‖ = ‖Nx‖‖x‖/(xᵀNx) ≤ √cond N ≤ √(trace M/ridge), by writing z = N^½x.
 * Elsewhere x* does not depend on R. ∎
 *
 * Rounding: r is computed from d + 2 products a coordinate; the error of its norm is at most
 * (d + 8)·2u·((trace M + ν)‖x‖ + ‖b‖), which includes the roundings of the diagonal, and of the norms
 * themselves (Higham 2002, §3.1; (d + 8)u < 2⁻⁴⁰ for all d allowed).
 */
export function distanceToMinimizer(
  { matrix, linear, width, radius, ridge }: BallProblem,
  x: Float64Array,
): number {
  const residual = gradient(matrix, linear, width, x);
  const length = norm(x);
  const inside = length <= radius * (1 - 2 ** -40);
  let outward = 0;
  for (let c = 0; c < width; c++) outward -= residual[c] * x[c];
  const nu = inside || length === 0 ? 0 : Math.max(0, outward / (length * length));
  for (let c = 0; c < width; c++) residual[c] += nu * x[c];
  const trace = traceOf(matrix, width);
  const rounding = (width + 8) * 2 * unit;
  const left = norm(residual) + rounding * ((trace + nu) * length + norm(linear));
  const gap = inside ? 0 : Math.abs(length - radius) + rounding * radius;
  const bound = (left / ridge + Math.sqrt(trace / ridge) * gap) * (1 + 2 ** -30);
  return Number.isNaN(bound) ? Number.POSITIVE_INFINITY : bound;
}

/**
 * The distance that `descend` always reaches, where an added pair moves x* by at most
 * `move` = norm·(B + radius·norm)/ridge, for `terms` pairs at most of vectors of that norm and targets of at
 * most B.
 */
export function reachableDistance(move: number, terms: number, width: number, radius: number): number {
  return move * (2 ** -17 + (width + 15) * terms * 2 ** -50) + width * (width + 16) * 2 ** -50 * radius;
}

/**
 * Projected gradient descent x ← Π(x − (Mx − b)/t), t = trace M, from 0.
 *
 * Lemma 3. It ends within `reachableDistance` of x*.
 * Proof. In exact arithmetic a step brings x nearer to x* by the factor 1 − ridge/t, since ridge·I ⪯ M ⪯ t·I
 * and Π is nonexpansive. In floating point it is off by at most η = (2d + 30)u(2R + ‖b‖/t): the gradient by
 * (d + 2)u(tR + ‖b‖), its step and the sum by 3u(2R + ‖b‖/t), the projection by (d + 8)uR + 2⁻⁵⁰R. After T
 * steps the distance is at most (1 − ridge/t)^T·R + (t/ridge)η. With t ≤ n·norm² + d·ridge and ‖b‖ ≤ n·norm·B
 * the second part is at most (2d + 30)u(2n·move + 2dR), half of `reachableDistance`; T is chosen so that the
 * first is at most a quarter of `distance`. ∎
 */
export function descend(
  { matrix, linear, width, radius, ridge }: BallProblem,
  distance: number,
): Float64Array {
  const trace = traceOf(matrix, width) * (1 + 2 ** -40);
  const steps = Math.ceil((trace / ridge) * Math.log(Math.max(1, radius / (distance / 4))));
  const x = new Float64Array(width);
  for (let step = 0; step < steps; step++) {
    const slope = gradient(matrix, linear, width, x);
    for (let c = 0; c < width; c++) x[c] -= slope[c] / trace;
    const length = norm(x);
    if (length > radius) {
      const shrink = (radius / length) * (1 - 2 ** -50);
      for (let c = 0; c < width; c++) x[c] *= shrink;
    }
  }
  return x;
}

/** Mx − b. */
function gradient(matrix: Float64Array, linear: Float64Array, width: number, x: Float64Array): Float64Array {
  const slope = new Float64Array(width);
  for (let a = 0; a < width; a++) {
    let sum = -linear[a];
    for (let c = 0; c < width; c++) sum += matrix[a * width + c] * x[c];
    slope[a] = sum;
  }
  return slope;
}

function traceOf(matrix: Float64Array, width: number): number {
  let trace = 0;
  for (let c = 0; c < width; c++) trace += matrix[c * width + c];
  return trace;
}

function norm(vector: Float64Array): number {
  let squared = 0;
  for (const value of vector) squared += value * value;
  return Math.sqrt(squared);
}
