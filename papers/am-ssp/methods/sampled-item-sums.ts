import type { PlannedMechanism, ReleaseRecorder } from '@hushrec/privacy';
import type { People } from '@hushrec/statistics';
import type { ReleasedItemSums } from '../../shared/item-step.js';
import { itemBlocks, jointSensitivity } from '../../shared/statistics/item-sum-bounds.js';
import {
  type SampledSumsQuestion,
  sampledItemSums,
  sampledUnits,
} from '../../shared/statistics/item-sums.js';

/** Sensitivity of the joint release of a sample's sums, in its own units. */
export const sampledSensitivity = jointSensitivity;

/** Label of the releases of samples' sums. */
export const sampledSumsName = 'sampled-item-sums';

interface SamplingSettings {
  readonly samplingRate: number;
  readonly sampled: string;
}

/**
 * What a sample's release costs. Sampling people amplifies: each is in with probability `samplingRate`,
 * independently. Sampling examples is charged without amplification: with everyone's coins fixed, a person
 * moves the sums by at most the same sensitivity, so the Gaussian mechanism's cost holds for every outcome of
 * the coins; that her examples are drawn one by one gives no proof of less (some of them are nearly always
 * in).
 */
export function sampledMechanism({ samplingRate, sampled }: SamplingSettings): PlannedMechanism {
  return sampled === 'people'
    ? { kind: 'poisson-sampled-gaussian', rate: samplingRate }
    : { kind: 'gaussian' };
}

/**
 * Releases a sample's sums as one joint statistic, block by block, scaled by 1/rate so that they estimate the
 * sums over everyone.
 */
export async function* releaseSampledSums(
  recorder: ReleaseRecorder,
  people: People,
  question: Omit<SampledSumsQuestion, 'begin' | 'end'>,
  signal?: AbortSignal,
): AsyncGenerator<ReleasedItemSums> {
  const { width } = question.own.items;
  const release = recorder.begin(sampledSumsName);
  for (const { part, begin, end } of itemBlocks(people.itemCount, width)) {
    const block = { ...question, begin, end };
    const sums = await people.sum(sampledItemSums, block, signal);
    const units = sampledUnits(block);
    const symmetric = { kind: 'symmetric', width } as const;
    const matrices = await release.add(2 * part, sums.matrices.statistic, sums.matrices.gridStep, symmetric);
    const vectors = await release.add(2 * part + 1, sums.vectors.statistic, sums.vectors.gridStep);
    for (let at = 0; at < matrices.length; at++) matrices[at] *= units.matrix / question.rate;
    for (let at = 0; at < vectors.length; at++) vectors[at] *= units.vector / question.rate;
    yield { begin, end, matrices, vectors };
  }
  release.close();
}
