import { sharedFloat32 } from '@hushrec/numerics';
import type { ReleaseRecorder } from '@hushrec/privacy';
import {
  type ItemStatisticsInput,
  itemBlocks,
  jointItemStatistics,
  jointSensitivity,
} from '@hushrec/statistics';
import type { ReleasedItemSums } from '../shared/item-step.js';

/** Sensitivity of the joint release of a sample's sums, in its own units. */
export const sampledSensitivity = jointSensitivity;

/**
 * Uniform numbers in [0, 1) from the host's cryptographic source. Amplification by sampling needs coins that nobody can
 * predict or recompute; a seeded generator would void it.
 */
export function secretUniform(): () => number {
  const words = new Uint32Array(4096);
  let next = words.length;
  return () => {
    if (next === words.length) {
      crypto.getRandomValues(words);
      next = 0;
    }
    return words[next++]! / 2 ** 32;
  };
}

/**
 * Poisson sample: every person (or every example) stays with probability `samplingRate`, independently; the others get weight 0. A
 * batch of fixed size would not have the accounted guarantee. Sampling examples costs at most what sampling people costs (an item
 * is one block of coordinates and a person has one example in it; integer-order Rényi costs are super-additive over blocks).
 */
export function drawSample(
  input: ItemStatisticsInput,
  settings: { readonly samplingRate: number; readonly sampled: string },
  random: () => number,
): ItemStatisticsInput {
  const { byItem, rootWeights, budget } = input.contributions;
  const kept = sharedFloat32(byItem.indices.length);
  const stays = () => random() < settings.samplingRate;
  if (settings.sampled === 'people') {
    const person = Uint8Array.from({ length: byItem.columnCount }, () => (stays() ? 1 : 0));
    for (let at = 0; at < kept.length; at++)
      kept[at] = person[byItem.indices[at]!]! * (rootWeights?.[at] ?? 1);
  } else {
    for (let at = 0; at < kept.length; at++) kept[at] = stays() ? (rootWeights?.[at] ?? 1) : 0;
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
  const release = recorder.begin('sampled-item-sums');
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
