import { type Csr, type Engine, type FactorMatrix, randomFactors, zeroFactors } from '@hushrec/numerics';
import type { PlannedRelease, ReleaseRecorder } from '@hushrec/privacy';
import {
  type ClippedTargets,
  type ContributionsByItem,
  clipRows,
  itemBlocks,
  itemStatistics,
  type StatisticGrid,
  vectorSensitivity,
} from '@hushrec/statistics';
import { orthonormalizeColumns } from '../shared/orthonormal-columns.js';

const releaseName = 'principal-item-directions';

/**
 * Plan line of `privateSubspace`. Person i's row x_ij = w_ij y_ij has norm ≤ √β·Γ_y; with orthonormal X one power step adds
 * x_i (Xᵀx_i)ᵀ, of Frobenius norm ≤ ‖x_i‖² ≤ β·Γ_y². (Chien et al. 2021, remark 2, scale the noise to Γ_y² and lose the factor β = k.)
 */
export function planSubspace(
  steps: number,
  share: number,
  budget: number,
  targetBound: number,
): PlannedRelease {
  return {
    name: releaseName,
    mechanism: { kind: 'gaussian' },
    sensitivity: vectorSensitivity(budget, Math.sqrt(budget) * targetBound, targetBound),
    count: steps,
    share,
  };
}

/**
 * Orthonormal basis of the main directions of Σ_i x_i x_iᵀ by noisy power iteration: X ← orth(Σ_i x_i (Xᵀx_i)ᵀ + noise). The sum
 * is an item statistic with "user vectors" z_i = Xᵀx_i, each computed from the person's own row and the released X and clipped to
 * √β·Γ_y, so that the sensitivity holds although X is orthonormal only up to rounding. O(steps × ratings × d).
 */
export async function privateSubspace(options: {
  readonly engine: Engine;
  readonly recorder: ReleaseRecorder;
  readonly contributions: ContributionsByItem;
  /** Aligned with contributions.byItem.values. */
  readonly targets: ClippedTargets;
  readonly width: number;
  readonly steps: number;
  readonly random: () => number;
  readonly grid: StatisticGrid;
}): Promise<FactorMatrix> {
  const { engine, recorder, contributions, targets, width } = options;
  const { byItem, rootWeights, budget } = contributions;
  const directions = randomFactors(byItem.rowCount, width, 1, options.random);
  orthonormalizeColumns(directions);
  for (let step = 0; step < options.steps; step++) {
    const scores = weightedRows(byItem, rootWeights, targets.values, directions);
    const users = clipRows(scores, Math.sqrt(budget) * targets.bound);
    const release = recorder.begin(releaseName);
    for (const { part, begin, end } of itemBlocks(byItem.rowCount, width)) {
      const input = { engine, contributions, users, targets, grid: options.grid };
      const { vectors } = await itemStatistics(input, begin, end, { matrices: false });
      directions.data.set(await release.add(part, vectors.statistic, vectors.gridStep), begin * width);
    }
    release.close();
    orthonormalizeColumns(directions);
  }
  return directions;
}

/** z_i = Σ_j w_ij y_ij X_j for every person. */
function weightedRows(
  byItem: Csr,
  rootWeights: Float32Array | undefined,
  targets: Float32Array,
  directions: FactorMatrix,
): FactorMatrix {
  const { width, data } = directions;
  const scores = zeroFactors(byItem.columnCount, width);
  for (let item = 0; item < byItem.rowCount; item++) {
    for (let at = byItem.offsets[item]!; at < byItem.offsets[item + 1]!; at++) {
      const value = targets[at]! * (rootWeights === undefined ? 1 : rootWeights[at]! ** 2);
      const to = byItem.indices[at]! * width;
      for (let a = 0; a < width; a++) scores.data[to + a]! += value * data[item * width + a]!;
    }
  }
  return scores;
}
