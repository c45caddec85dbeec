import { sharedFloat32 } from '@hushrec/numerics';
import type { LineCoins, PlannedMechanism, ReleaseRecorder } from '@hushrec/privacy';
import {
  type ItemStatisticsInput,
  itemBlocks,
  jointItemStatistics,
  jointSensitivity,
} from '@hushrec/statistics';
import type { ReleasedItemSums } from '../shared/item-step.js';

/** Sensitivity of the joint release of a sample's sums, in its own units. */
export const sampledSensitivity = jointSensitivity;

/** Label of the releases of samples' sums. */
export const sampledSumsName = 'sampled-item-sums';

interface SamplingSettings {
  readonly samplingRate: number;
  readonly sampled: string;
}

/**
 * What a sample's release costs. Sampling people amplifies: each is in with probability `samplingRate`, independently. Sampling
 * examples is charged without amplification: with everyone's coins fixed, a person moves the sums by at most the same
 * sensitivity, so the Gaussian mechanism's cost holds for every outcome of the coins; that her examples are drawn one by one gives no
 * proof of less (some of them are nearly always in).
 */
export function sampledMechanism({ samplingRate, sampled }: SamplingSettings): PlannedMechanism {
  return sampled === 'people'
    ? { kind: 'poisson-sampled-gaussian', rate: samplingRate }
    : { kind: 'gaussian' };
}

/**
 * Poisson sample: every person (or every example) stays with probability `samplingRate`, independently, by the person's own coins; the
 * others get weight 0. A batch of fixed size would not have the accounted guarantee.
 */
export function drawSample(
  input: ItemStatisticsInput,
  { samplingRate, sampled }: SamplingSettings,
  coins: LineCoins,
): ItemStatisticsInput {
  const { byItem, rootWeights, budget } = input.contributions;
  const { offsets, indices } = byItem;
  const kept = sharedFloat32(indices.length);
  if (sampled === 'people') {
    const stays = Uint8Array.from({ length: byItem.columnCount }, (_, person) =>
      coins.uniform(person) < samplingRate ? 1 : 0,
    );
    for (let at = 0; at < kept.length; at++) kept[at] = stays[indices[at]!]! * (rootWeights?.[at] ?? 1);
  } else {
    for (let item = 0; item < byItem.rowCount; item++)
      for (let at = offsets[item]!; at < offsets[item + 1]!; at++)
        kept[at] = coins.uniformFor(indices[at]!, item) < samplingRate ? (rootWeights?.[at] ?? 1) : 0;
  }
  return { ...input, contributions: { byItem, rootWeights: kept, budget } };
}

/** Releases a sample's sums as one joint statistic, block by block, scaled by 1/rate so that they estimate the sums over everyone. */
export async function* releaseSampledSums(
  recorder: ReleaseRecorder,
  input: ItemStatisticsInput,
  samplingRate: number,
  matrixShare: number,
): AsyncGenerator<ReleasedItemSums> {
  const width = input.users.rows.width;
  const release = recorder.begin(sampledSumsName);
  for (const { part, begin, end } of itemBlocks(input.contributions.byItem.rowCount, width)) {
    const sums = await jointItemStatistics(input, begin, end, matrixShare);
    const symmetric = { kind: 'symmetric', width } as const;
    const matrices = await release.add(2 * part, sums.matrices.statistic, sums.matrices.gridStep, symmetric);
    const vectors = await release.add(2 * part + 1, sums.vectors.statistic, sums.vectors.gridStep);
    for (let at = 0; at < matrices.length; at++) matrices[at]! *= sums.matrixUnit / samplingRate;
    for (let at = 0; at < vectors.length; at++) vectors[at]! *= sums.vectorUnit / samplingRate;
    yield { begin, end, matrices, vectors };
  }
  release.close();
}
