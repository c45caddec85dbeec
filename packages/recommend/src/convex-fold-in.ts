import { type ConvexLoss, convexLosses, type FactorModel, labelOf, type ModelLoss } from '@hushrec/model';
import { choleskyInPlace, choleskySolve } from './cholesky.js';
import type { FoldedIn } from './fold-in.js';
import type { IndexedHistory } from './scorer.js';

/** Steps of Newton's method at most; some ten are usual, and every one goes downhill. */
const mostSteps = 60;
/** Halvings of one step at most. */
const mostHalvings = 40;

/**
 * Fits one person to fixed item vectors under a convex loss ℓ of scores z_k = offset + b_k + w·x_k, with
 * x_k = v_k (followed by 1 where an intercept is fitted) and w = (u, c):
 *
 *   f(w) = Σ_k ℓ(z_k, y_k) + ½ wᵀRw,    R = diag(ridge·ν, …, ridge·ν, interceptRidge),    ν = (n + ridgeCountOffset)^ridgeExponent
 *
 * by Newton's method with a line search. f is strictly convex (R > 0), so there is one minimum and nothing to
 * choose. At it w = M⁻¹ Σ_k x_k t_k with M = Σ_k ℓ″_k x_k x_kᵀ + R and t_k = ℓ″_k w·x_k − ℓ′_k: linear in the
 * t_k, as with squared error, so that reasons add up to the score. An empty history gives 0.
 * O(steps × (n·d² + d³)); float64.
 */
export function convexFoldIn(model: FactorModel, loss: ModelLoss, history: IndexedHistory): FoldedIn {
  const d = model.rank;
  const { ridge, ridgeExponent, ridgeCountOffset = 0, interceptRidge } = model.foldIn;
  const width = interceptRidge === undefined ? d : d + 1;
  const n = history.items.length;
  const targets = new Float64Array(n);
  const none = new Float64Array(width); // features of people are for squared error
  if (n === 0)
    return { vector: new Float64Array(d), intercept: 0, targets, expected: none, solve: (x) => x.fill(0) };

  const rows = new Float64Array(n * width);
  const bases = new Float64Array(n);
  const labels = new Float64Array(n);
  for (let k = 0; k < n; k++) {
    const item = history.items[k];
    for (let a = 0; a < d; a++) rows[k * width + a] = model.itemFactors[item * d + a];
    if (width > d) rows[k * width + d] = 1;
    bases[k] = model.offset + (model.itemBias?.[item] ?? 0);
    labels[k] = labelOf(loss, history.ratings[k]);
  }
  const ridges = new Float64Array(width).fill(ridge * (n + ridgeCountOffset) ** ridgeExponent);
  if (interceptRidge !== undefined) ridges[d] = interceptRidge;
  const { w, m } = minimum({ loss: convexLosses[loss.kind], rows, bases, labels, ridges }, targets);
  return {
    vector: w.subarray(0, d),
    intercept: width > d ? w[d] : 0,
    targets,
    expected: none,
    solve: (x) => choleskySolve(m, width, x),
  };
}

interface Fit {
  readonly loss: ConvexLoss;
  /** n × width. */
  readonly rows: Float64Array;
  readonly bases: Float64Array;
  readonly labels: Float64Array;
  readonly ridges: Float64Array;
}

/** w, and the Cholesky factor of M there; `targets` ← t. */
function minimum(fit: Fit, targets: Float64Array): { readonly w: Float64Array; readonly m: Float64Array } {
  const { loss, rows, bases, labels, ridges } = fit;
  const width = ridges.length;
  const m = new Float64Array(width * width);
  const step = new Float64Array(width);
  let w = new Float64Array(width);
  let trial = new Float64Array(width);
  let value = objective(fit, w);
  for (let steps = 0; ; steps++) {
    m.fill(0);
    for (let a = 0; a < width; a++) {
      m[a * width + a] = ridges[a];
      step[a] = ridges[a] * w[a];
    }
    for (let k = 0; k < labels.length; k++) {
      const from = k * width;
      let own = 0;
      for (let a = 0; a < width; a++) own += w[a] * rows[from + a];
      const slope = loss.slope(bases[k] + own, labels[k]);
      const curvature = loss.curvature(bases[k] + own, labels[k]);
      targets[k] = curvature * own - slope;
      for (let a = 0; a < width; a++) {
        const x = rows[from + a];
        step[a] += slope * x;
        for (let b = 0; b <= a; b++) m[a * width + b] += curvature * x * rows[from + b];
      }
    }
    const gradient = step.slice();
    choleskyInPlace(m, width);
    choleskySolve(m, width, step);
    let decrement = 0; // twice what the quadratic expansion promises
    for (let a = 0; a < width; a++) decrement += gradient[a] * step[a];
    if (steps === mostSteps || decrement <= 1e-24 * (1 + Math.abs(value))) return { w, m };
    // Rounding of f is allowed for: near the minimum, steps are good long after f has stopped to show it.
    const slack = 1e-13 * (1 + Math.abs(value));
    let next = Infinity;
    for (let halvings = 0, t = 1; halvings < mostHalvings; halvings++, t /= 2) {
      for (let a = 0; a < width; a++) trial[a] = w[a] - t * step[a];
      next = objective(fit, trial);
      if (next <= value - 1e-4 * t * decrement + slack) break;
      next = Infinity;
    }
    if (next === Infinity) return { w, m };
    [w, trial] = [trial, w];
    value = next;
  }
}

function objective({ loss, rows, bases, labels, ridges }: Fit, w: Float64Array): number {
  const width = ridges.length;
  let value = 0;
  for (let a = 0; a < width; a++) value += 0.5 * ridges[a] * w[a] * w[a];
  for (let k = 0; k < labels.length; k++) {
    let score = bases[k];
    for (let a = 0; a < width; a++) score += w[a] * rows[k * width + a];
    value += loss.value(score, labels[k]);
  }
  return value;
}
