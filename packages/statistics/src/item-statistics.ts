import type { Engine, ItemStatistics } from '@hushrec/numerics';
import { sensitive } from '@hushrec/privacy';
import type { ClippedRows } from './clip-rows.js';
import type { ClippedTargets } from './clip-targets.js';
import type { ContributionsByItem } from './contributions.js';
import { exactItemSums } from './exact-item-sums.js';
import type { GridSums } from './grid-sums.js';
import { defaultGrid, type StatisticGrid } from './statistic-grid.js';

export interface ItemStatisticsInput {
  readonly engine: Engine;
  readonly contributions: ContributionsByItem;
  readonly users: ClippedRows;
  /** Aligned with contributions.byItem.values. */
  readonly targets: ClippedTargets;
  readonly grid?: StatisticGrid;
}

/** L2 (Frobenius) sensitivity of all item matrices together: √β·Γ_u². */
export function matrixSensitivity(budget: number, vectorBound: number): number {
  return Math.sqrt(budget) * vectorBound ** 2;
}

/** L2 sensitivity of all item vectors together: √β·Γ_u·Γ_y. */
export function vectorSensitivity(budget: number, vectorBound: number, targetBound: number): number {
  return Math.sqrt(budget) * vectorBound * targetBound;
}

/** Sums of one block of items, behind the wall: packed upper triangles A_j, and vectors b_j. */
export interface ItemSums {
  readonly matrices?: GridSums;
  readonly vectors: GridSums;
}

const buffers: unique symbol = Symbol('buffers');

/**
 * Memory of one block's sums, to be used again for the next block: whoever passes the same one twice is done with what the first call
 * returned. What is in it is nobody's to read, as it may not be released yet.
 */
export class SumBuffers {
  [buffers]?: ItemStatistics;
}

/**
 * A_j = Σ_i w_ij u_i u_iᵀ and b_j = Σ_i w_ij y_ij u_i for items [begin, end), on a grid.
 *
 * Lemma (Chien et al. 2021, corrected; here L4). Adding or removing person i changes all A_j together by Frobenius
 * norm ≤ √β·Γ_u² and all b_j together by L2 norm ≤ √β·Γ_u·Γ_y.
 * Proof. Items are disjoint coordinates and a pair occurs once, so the squared changes are Σ_j ‖x_ij‖⁴ and
 * Σ_j t_ij²‖x_ij‖² with the integers x_ij = trunc(√w_ij u_i 2^v/Γ_u), t_ij = trunc(√w_ij y_ij 2^t/Γ_y). Truncation goes
 * towards zero, and √w, u, y leave room for floating-point error (`roundingMargin`), hence ‖x_ij‖² ≤ w_ij 2^(2v),
 * t_ij² ≤ w_ij 2^(2t), and Σ_j w_ij² ≤ β. Sums of integers below 2⁵³ are exact in any order. Other people's u_i
 * do not change, because they are functions of released item vectors and their own ratings (L1). ∎
 * The bound is on the whole catalogue: all blocks of one release share it. Replacing a person: √2 times for A,
 * 2 times for b (y may change sign).
 *
 * O(ratings of the block × d²); memory O(items of the block × d²).
 */
export async function itemStatistics(
  input: ItemStatisticsInput,
  begin: number,
  end: number,
  want: { readonly matrices: boolean; readonly into?: SumBuffers } = { matrices: true },
): Promise<ItemSums> {
  const { contributions, users, targets } = input;
  const { budget } = contributions;
  const { vectorBits, targetBits } = input.grid ?? defaultGrid;
  const { into } = want;
  const sums = await exactItemSums(input, begin, end, want.matrices, into?.[buffers]);
  if (into) into[buffers] = sums;
  const vectorStep = users.bound * 2 ** -vectorBits;
  const vectors: GridSums = {
    statistic: sensitive(sums.vectors, 'l2', vectorSensitivity(budget, users.bound, targets.bound)),
    gridStep: vectorStep * targets.bound * 2 ** -targetBits,
  };
  if (!want.matrices) return { vectors };
  return {
    matrices: {
      statistic: sensitive(sums.matrices, 'l2', matrixSensitivity(budget, users.bound)),
      gridStep: vectorStep ** 2,
    },
    vectors,
  };
}

/** Item sums scaled so that one person moves all of them together by at most 1. */
export interface JointItemSums {
  readonly matrices: GridSums;
  readonly vectors: GridSums;
  /** What the released numbers are multiplied with to get A_j and b_j back. */
  readonly matrixUnit: number;
  readonly vectorUnit: number;
}

/** L2 sensitivity of `jointItemStatistics`. */
export const jointSensitivity = 1;

/**
 * The same sums as one statistic: A_j·√φ/(√β·Γ_u²) and b_j·√(1−φ)/(√β·Γ_u·Γ_y), φ = `matrixShare`. By the lemma above the squared
 * change is at most φ + (1 − φ) = 1.
 *
 * Sums over a random sample must be released this way: A and b share the coin that decides whether a person is in, and the
 * cost of sampled noise is super-additive in the squared shift, so charging A and b as two sampled releases would be too little.
 */
export async function jointItemStatistics(
  input: ItemStatisticsInput,
  begin: number,
  end: number,
  matrixShare: number,
): Promise<JointItemSums> {
  const { contributions, users, targets } = input;
  const { vectorBits, targetBits } = input.grid ?? defaultGrid;
  const { budget } = contributions;
  const sums = await exactItemSums(input, begin, end, true);
  const matrixUnit = matrixSensitivity(budget, users.bound) / Math.sqrt(matrixShare);
  const vectorUnit = vectorSensitivity(budget, users.bound, targets.bound) / Math.sqrt(1 - matrixShare);
  const vectorStep = users.bound * 2 ** -vectorBits;
  return {
    matrices: {
      statistic: sensitive(sums.matrices, 'l2', jointSensitivity),
      gridStep: vectorStep ** 2 / matrixUnit,
    },
    vectors: {
      statistic: sensitive(sums.vectors, 'l2', jointSensitivity),
      gridStep: (vectorStep * targets.bound * 2 ** -targetBits) / vectorUnit,
    },
    matrixUnit,
    vectorUnit,
  };
}

/** Blocks of items small enough that their matrices take about 32 MB. Depends on public sizes alone. */
export function itemBlocks(
  itemCount: number,
  width: number,
): { readonly part: number; readonly begin: number; readonly end: number }[] {
  const perItem = (width * (width + 1)) / 2 + width;
  const size = Math.max(1, Math.floor(4_000_000 / perItem));
  const blocks = [];
  for (let begin = 0, part = 0; begin < itemCount; begin += size, part++) {
    blocks.push({ part, begin, end: Math.min(itemCount, begin + size) });
  }
  return blocks;
}
