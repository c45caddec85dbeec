import { type FactorMatrix, sharedFloat32 } from '@hushrec/numerics';
import { sensitive } from '@hushrec/privacy';
import { clipTargets } from './clip-targets.js';
import { exactItemSums } from './exact-item-sums.js';
import type { GridSums } from './grid-sums.js';
import {
  type ItemStatisticsInput,
  itemStatistics,
  matrixSensitivity,
  vectorSensitivity,
} from './item-statistics.js';
import { defaultGrid } from './statistic-grid.js';

/** First and second derivative of a loss ℓ(z, y), convex in z, with respect to z. */
export interface ConvexLoss {
  slope(score: number, label: number): number;
  curvature(score: number, label: number): number;
}

/** Bounds that a person's slope and curvature are shrunk to, from settings or from the loss itself. */
export interface LossBounds {
  readonly slope: number;
  readonly curvature: number;
}

/** L2 (Frobenius) sensitivity of the curvature sums: √β·a_max·Γ_u². */
export function curvatureSensitivity(budget: number, vectorBound: number, bounds: LossBounds): number {
  return matrixSensitivity(budget, vectorBound) * bounds.curvature;
}

/** L2 sensitivity of the slope sums: √β·g_max·Γ_u. */
export function slopeSensitivity(budget: number, vectorBound: number, bounds: LossBounds): number {
  return vectorSensitivity(budget, vectorBound, bounds.slope);
}

/**
 * H_j = Σ_i w s a u uᵀ and g_j = Σ_i w s g u at the present item vectors, a and g being curvature and slope of person i's loss on item j, and
 * s = min(1, a_max/a, g_max/|g|) one common shrinkage, so that a clipped example keeps its direction (Krichene et al. 2024, Algorithm 7).
 *
 * Sensitivity: s·a ≤ a_max and s·|g| ≤ g_max, so that per item the change is at most w·a_max·Γ_u² and w·g_max·Γ_u; sum over items as for
 * `itemStatistics`. Scores read released item vectors, the person's own clipped vector and own label. O(ratings × d²).
 */
export async function curvatureSums(
  input: Omit<ItemStatisticsInput, 'targets'>,
  /** v_j: released. */
  items: FactorMatrix,
  /** Aligned with contributions.byItem.values. */
  labels: Float32Array,
  loss: ConvexLoss,
  bounds: LossBounds,
): Promise<
  (begin: number, end: number) => Promise<{ readonly matrices: GridSums; readonly vectors: GridSums }>
> {
  const { contributions, users } = input;
  const { byItem, rootWeights, budget } = contributions;
  const { width, data } = users.rows;
  const slopes = sharedFloat32(labels.length);
  const roots = sharedFloat32(labels.length);
  for (let item = 0; item < byItem.rowCount; item++) {
    for (let at = byItem.offsets[item]!; at < byItem.offsets[item + 1]!; at++) {
      const from = byItem.indices[at]! * width;
      let score = 0;
      for (let a = 0; a < width; a++) score += data[from + a]! * items.data[item * width + a]!;
      const slope = loss.slope(score, labels[at]!);
      const curvature = loss.curvature(score, labels[at]!);
      const shrink = Math.min(1, bounds.curvature / curvature, bounds.slope / Math.abs(slope));
      const usable = shrink > 0 && curvature >= 0 && Number.isFinite(slope) && Number.isFinite(curvature);
      slopes[at] = usable ? shrink * slope : 0;
      const ratio = usable ? Math.min(1, (shrink * curvature) / bounds.curvature) : 0;
      roots[at] = (rootWeights?.[at] ?? 1) * Math.sqrt(ratio);
    }
  }
  const targets = clipTargets(slopes, bounds.slope);
  const curved = { ...input, targets, contributions: { byItem, rootWeights: roots, budget } };
  return async (begin, end) => {
    const { matrices } = await exactItemSums(curved, begin, end, true);
    const { vectors } = await itemStatistics({ ...input, targets }, begin, end, { matrices: false });
    // The engine summed a/a_max; the unit of the grid carries the factor a_max back.
    const { vectorBits } = input.grid ?? defaultGrid;
    const gridStep = (users.bound * 2 ** -vectorBits) ** 2 * bounds.curvature;
    const sensitivity = curvatureSensitivity(budget, users.bound, bounds);
    return { matrices: { statistic: sensitive(matrices, 'l2', sensitivity), gridStep }, vectors };
  };
}
