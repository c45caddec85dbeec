import type { FactorModel, ItemModel } from '@hushrec/model';
import { choleskyInPlace, choleskySolve } from './cholesky.js';
import { convexFoldIn } from './convex-fold-in.js';
import { expectedOf } from './expected-of.js';
import type { IndexedHistory, ModelCache } from './scorer.js';

/** The personal part of a factor model, computed on the person's device and never sent anywhere. */
export interface FoldedIn {
  /** u, d coordinates. */
  readonly vector: Float64Array;
  /** c; 0 where the model fits none. */
  readonly intercept: number;
  /**
   * What each entry of the history pulls towards: r_k − offset − b_k (explicit), its grade (implicit), or as
   * `convexFoldIn` says (a loss).
   */
  readonly targets: Float64Array;
  /** What her features add to (u, c), histories aside: M⁻¹(ridge·ν·p, 0); 0 where the model has none. */
  readonly expected: Float64Array;
  /**
   * M⁻¹x in place, M the matrix of the normal equations (width d, or d + 1 with an intercept, which comes
   * last).
   */
  solve(x: Float64Array): void;
}

/**
 * Fits one person to fixed item vectors: with x_k = v_k (followed by 1 where an intercept is fitted),
 *
 *   explicit: M = Σ_k x_k x_kᵀ + diag(ridge·ν, …, ridge·ν, interceptRidge),      (u, c) = M⁻¹ Σ_k x_k (r_k − offset − b_k)
 *   implicit: M = Σ_k g_k v_k v_kᵀ + unobservedWeight · Σ_j v_j v_jᵀ + ridge·ν·I,    u = M⁻¹ Σ_k g_k v_k
 *
 * with ν = (n + ridgeCountOffset)^ridgeExponent and g the grade of a rating where the model has grades, else
 * 1; models with a loss are fitted by `convexFoldIn`. Where features of people expect p of her, ridge·ν·p is
 * added to the right-hand side. The same minimiser as training uses, in float64. An empty history gives p, or 0.
 * O(n·d² + d³), plus O(items·d²) once per implicit model (kept in `cache`).
 */
export function foldIn(model: FactorModel, history: IndexedHistory, cache: ModelCache = {}): FoldedIn {
  if (model.loss !== undefined) return convexFoldIn(model, model.loss, history);
  const d = model.rank;
  const { ridge, ridgeExponent, ridgeCountOffset = 0, interceptRidge, unobservedWeight } = model.foldIn;
  const hasIntercept = model.feedback === 'explicit' && interceptRidge !== undefined;
  const width = hasIntercept ? d + 1 : d;
  const n = history.items.length;
  const targets = foldInTargets(model, history);
  const prior = model.personFeatures ? expectedOf(model.personFeatures, d, history) : new Float64Array(d);
  const expected = new Float64Array(width);
  expected.set(prior);
  if (n === 0) return { vector: prior, intercept: 0, targets, expected, solve: (x) => x.fill(0) };

  const m = new Float64Array(width * width);
  const b = new Float64Array(width);
  if (model.feedback === 'implicit' && unobservedWeight > 0) {
    cache.gramian ??= itemGramian(model);
    for (let i = 0; i < m.length; i++) m[i] = unobservedWeight * cache.gramian[i];
  }
  for (let k = 0; k < n; k++) {
    const base = history.items[k] * d;
    const y = targets[k];
    const weight = model.feedback === 'implicit' ? y : 1; // a choice of grade g is g of a choice
    for (let i = 0; i < d; i++) {
      const vi = model.itemFactors[base + i];
      b[i] = b[i] + y * vi;
      for (let j = 0; j <= i; j++)
        m[i * width + j] = m[i * width + j] + weight * vi * model.itemFactors[base + j];
      if (hasIntercept) m[d * width + i] = m[d * width + i] + vi;
    }
    if (hasIntercept) b[d] = b[d] + y;
  }
  const rowRidge = ridge * (n + ridgeCountOffset) ** ridgeExponent;
  for (let i = 0; i < d; i++) m[i * width + i] = m[i * width + i] + rowRidge;
  if (hasIntercept) m[d * width + d] = n + interceptRidge;
  for (let i = 0; i < d; i++) expected[i] *= rowRidge;
  for (let i = 0; i < width; i++) b[i] += expected[i];
  choleskyInPlace(m, width);
  choleskySolve(m, width, b);
  choleskySolve(m, width, expected);
  return {
    vector: b.subarray(0, d),
    intercept: hasIntercept ? b[d] : 0,
    targets,
    expected,
    solve: (x) => choleskySolve(m, width, x),
  };
}

/**
 * How much a rating says that something was liked, 0 to 1: its place on the scale that the model learned
 * from, as in training (float32); 1 where it learned from choices.
 */
export function gradeOf(model: ItemModel, rating: number): number {
  const grades = model.kind === 'factors' ? model.foldIn.grades : undefined;
  if (grades === undefined) return 1;
  return Math.fround(Math.min(1, Math.max(0, (rating - grades.min) / (grades.max - grades.min))));
}

function foldInTargets(model: FactorModel, history: IndexedHistory): Float64Array {
  const targets = new Float64Array(history.items.length);
  for (let k = 0; k < targets.length; k++) {
    targets[k] =
      model.feedback === 'implicit'
        ? gradeOf(model, history.ratings[k])
        : history.ratings[k] - model.offset - (model.itemBias?.[history.items[k]] ?? 0);
  }
  return targets;
}

/** Σ_j v_j v_jᵀ over all items, d × d (both triangles). O(items·d²). */
export function itemGramian(model: FactorModel): Float64Array {
  const d = model.rank;
  const gramian = new Float64Array(d * d);
  for (let base = 0; base < model.itemFactors.length; base += d) {
    for (let i = 0; i < d; i++) {
      const vi = model.itemFactors[base + i];
      for (let j = 0; j <= i; j++) gramian[i * d + j] = gramian[i * d + j] + vi * model.itemFactors[base + j];
    }
  }
  for (let i = 0; i < d; i++) for (let j = 0; j < i; j++) gramian[j * d + i] = gramian[i * d + j];
  return gramian;
}
