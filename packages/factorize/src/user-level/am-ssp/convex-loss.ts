import type { ConvexLoss, LossBounds } from '@hushrec/statistics';

const sigmoid = (score: number) => 1 / (1 + Math.exp(-score));

/** ℓ(z, y) = ln(1 + e^z) − y z for y ∈ {0, 1}: slope σ(z) − y ∈ (−1, 1), curvature σ(z)(1 − σ(z)) ≤ 1/4. */
export const logisticLoss: ConvexLoss = {
  slope: (score, label) => sigmoid(score) - label,
  curvature: (score) => sigmoid(score) * (1 - sigmoid(score)),
};

/** Bounds that never clip the logistic loss. */
export const logisticBounds: LossBounds = { slope: 1, curvature: 0.25 };

/** ℓ(z, y) = e^z − y z for counts y ≥ 0: slope e^z − y, curvature e^z, both unbounded, so examples are shrunk to the bounds. */
export const poissonLoss: ConvexLoss = {
  slope: (score, label) => Math.exp(score) - label,
  curvature: (score) => Math.exp(score),
};
