import { sensitive } from '@hushrec/privacy';
import type { ClippedTargets } from './clip-targets.js';
import type { ContributionsByItem } from './contributions.js';
import type { GridSums } from './grid-sums.js';

const gridBits = 20;

/**
 * s_j = Σ_i w_ij (how much weight item j has) and x_j = Σ_i w_ij y_ij (weighted sum of centred, clipped ratings): what
 * private item effects are made of.
 *
 * Sensitivity √β and √β·Γ_y: person i moves coordinate j by trunc(w_ij 2²⁰) and trunc(w_ij y_ij 2²⁰/Γ_y) grid steps,
 * |y| ≤ Γ_y, Σ_j w_ij² ≤ β, and truncation only shrinks. Replacing: √2·√β (weights are non-negative) and 2·√β·Γ_y.
 * O(ratings).
 *
 * @param targets aligned with contributions.byItem.values
 */
export function itemBiasSums(
  contributions: ContributionsByItem,
  targets: ClippedTargets,
): { readonly weights: GridSums; readonly targets: GridSums } {
  const { byItem, rootWeights, budget } = contributions;
  const weightSums = new Float64Array(byItem.rowCount);
  const targetSums = new Float64Array(byItem.rowCount);
  const scale = 2 ** gridBits;
  for (let item = 0; item < byItem.rowCount; item++) {
    let weightSum = 0;
    let targetSum = 0;
    for (let at = byItem.offsets[item]; at < byItem.offsets[item + 1]; at++) {
      const weight = rootWeights === undefined ? 1 : rootWeights[at] * rootWeights[at];
      weightSum += Math.trunc(weight * scale);
      targetSum += Math.trunc((weight * targets.values[at] * scale) / targets.bound);
    }
    weightSums[item] = weightSum;
    targetSums[item] = targetSum;
  }
  return {
    weights: { statistic: sensitive(weightSums, 'l2', Math.sqrt(budget)), gridStep: 2 ** -gridBits },
    targets: {
      statistic: sensitive(targetSums, 'l2', Math.sqrt(budget) * targets.bound),
      gridStep: targets.bound * 2 ** -gridBits,
    },
  };
}
