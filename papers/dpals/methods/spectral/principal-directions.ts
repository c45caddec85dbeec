import type { PlannedRelease, ReleaseRecorder } from '@hushrec/privacy';
import type { People } from '@hushrec/statistics';
import { type RowQuestion, rowCovariance } from '../../statistics/covariance.js';
import { requireCovarianceFits } from '../../statistics/item-covariance.js';
import { multiplyPacked, type TopEigenpairs, topEigenpairs } from './lanczos.js';

const releaseName = 'item-covariance';

/**
 * Plan line of `principalDirections`: rows have norm ≤ L, so one person moves the covariance by L² in
 * Frobenius norm.
 *
 * @throws CovarianceSizeError
 */
export function planDirections(itemCount: number, rowBound: number, share: number): PlannedRelease {
  requireCovarianceFits(itemCount);
  return { name: releaseName, mechanism: { kind: 'gaussian' }, sensitivity: rowBound ** 2, count: 1, share };
}

/**
 * Leading eigenvectors, of unit length, and eigenvalues of the noised covariance of people's rows: Algorithm
 * 1 of Dwork et al. 2014 ("Analyze Gauss"). One release of items² numbers. O(ratings² of a person,
 * summed, + items² × width).
 */
export async function principalDirections(
  people: People,
  recorder: ReleaseRecorder,
  question: RowQuestion,
  width: number,
  random: () => number,
  signal?: AbortSignal,
): Promise<TopEigenpairs> {
  const { itemCount } = people;
  const { covariance } = await people.sum(rowCovariance, question, signal); // C = Σ x_i x_iᵀ, ‖x_i‖ ≤ L
  const { statistic, gridStep } = covariance;
  const release = recorder.begin(releaseName);
  const shape = { kind: 'symmetric', width: itemCount } as const;
  const noisy = await release.add(0, statistic, gridStep, shape, { overwrite: true }); // + GOE
  release.close();
  signal?.throwIfAborted();
  return topEigenpairs(multiplyPacked(noisy, itemCount), itemCount, width, random);
}
