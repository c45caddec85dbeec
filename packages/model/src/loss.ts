/**
 * What a factor model is fitted by where that is not squared error: a loss ℓ(z, y), convex in the score z, of
 * what the person said about the item.
 *
 * logistic: y is 1 where the rating is `likedFrom` or more, else 0; the prediction is the chance of that.
 * poisson: y is the rating as a count; the prediction is the count to be expected.
 */
export type ModelLoss =
  | { readonly kind: 'logistic'; readonly likedFrom: number }
  | { readonly kind: 'poisson' };

/** A loss with its derivatives by the score, and the prediction that a score stands for. */
export interface ConvexLoss {
  value(score: number, label: number): number;
  slope(score: number, label: number): number;
  curvature(score: number, label: number): number;
  predict(score: number): number;
}

const sigmoid = (score: number) => 1 / (1 + Math.exp(-score));

/** ℓ(z, y) = ln(1 + e^z) − y z for y ∈ {0, 1}: slope σ(z) − y ∈ (−1, 1), curvature σ(z)(1 − σ(z)) ≤ 1/4. */
const logistic: ConvexLoss = {
  value: (score, label) => Math.max(score, 0) + Math.log1p(Math.exp(-Math.abs(score))) - label * score,
  slope: (score, label) => sigmoid(score) - label,
  curvature: (score) => sigmoid(score) * (1 - sigmoid(score)),
  predict: sigmoid,
};

/** ℓ(z, y) = e^z − y z for counts y ≥ 0: slope e^z − y, curvature e^z, both unbounded. */
const poisson: ConvexLoss = {
  value: (score, label) => Math.exp(score) - label * score,
  slope: (score, label) => Math.exp(score) - label,
  curvature: (score) => Math.exp(score),
  predict: Math.exp,
};

/** The losses by name. */
export const convexLosses: Readonly<Record<ModelLoss['kind'], ConvexLoss>> = { logistic, poisson };

/** Counts beyond this are taken as this many. */
const largestCount = 1e4;

/** y: 0 or 1 for the logistic loss; for counts the rating, kept within 0 … 10⁴ (0 where it is no number). */
export function labelOf(loss: ModelLoss, rating: number): number {
  if (loss.kind === 'logistic') return Number(rating >= loss.likedFrom);
  return Number.isNaN(rating) ? 0 : Math.min(largestCount, Math.max(0, rating));
}

/** What a model predicts at a score: the score itself where it was fitted by squared error. */
export function predictionAt(loss: ModelLoss | undefined, score: number): number {
  if (loss === undefined) return score;
  return loss.kind === 'logistic' ? sigmoid(score) : Math.exp(score);
}
