import { type FactorMatrix, randomFactors, zeroFactors } from '@hushrec/numerics';
import type { PlannedRelease, ReleaseRecorder } from '@hushrec/privacy';
import type { People } from '@hushrec/statistics';
import { orthonormalizeColumns } from '../../shared/orthonormal-columns.js';
import { itemBlocks, vectorSensitivity } from '../../shared/statistics/item-sum-bounds.js';
import { type SubspaceQuestion, subspaceStep } from '../../shared/statistics/item-sums.js';

const releaseName = 'principal-item-directions';

/**
 * Plan line of `privateSubspace`. Person i's row x_ij = w_ij y_ij has norm ≤ √β·Γ_y; with orthonormal X one
 * power step adds x_i (Xᵀx_i)ᵀ, of Frobenius norm ≤ ‖x_i‖² ≤ β·Γ_y². (Chien et al. 2021, remark 2, scale the
 * noise to Γ_y² and lose the factor β = k.)
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
 * Orthonormal basis of the main directions of Σ_i x_i x_iᵀ by noisy power iteration: X ← orth(Σ_i x_i
 * (Xᵀx_i)ᵀ + noise), from sums of `subspaceStep`. O(steps × ratings × d).
 */
export async function privateSubspace(options: {
  readonly people: People;
  readonly recorder: ReleaseRecorder;
  readonly question: Omit<SubspaceQuestion, 'directions' | 'begin' | 'end'>;
  readonly width: number;
  readonly steps: number;
  readonly random: () => number;
}): Promise<FactorMatrix> {
  const { people, recorder, question, width } = options;
  let directions = randomFactors(people.itemCount, width, 1, options.random);
  orthonormalizeColumns(directions);
  for (let step = 0; step < options.steps; step++) {
    const next = zeroFactors(people.itemCount, width);
    const release = recorder.begin(releaseName);
    for (const { part, begin, end } of itemBlocks(people.itemCount, width)) {
      const { vectors } = await people.sum(subspaceStep, { ...question, directions, begin, end });
      next.data.set(await release.add(part, vectors.statistic, vectors.gridStep), begin * width);
    }
    release.close();
    orthonormalizeColumns(next);
    directions = next;
  }
  return directions;
}
