import { type Engine, type ItemStatistics, type ItemStatisticsJob, MAX_VECTOR_BITS } from '@hushrec/numerics';
import type { ContributionsByItem } from '@hushrec/statistics';
import type { ClippedRows } from './clip-rows.js';
import type { ClippedTargets } from './clip-targets.js';
import { fineGramian, fineItemStatistics } from './fine-grid-sums.js';
import { defaultGrid, type StatisticGrid } from './statistic-grid.js';

/** What item sums are made of. */
export interface ItemStatisticsInput {
  readonly engine: Engine;
  readonly contributions: ContributionsByItem;
  readonly users: ClippedRows;
  /** Aligned with contributions.byItem.values. */
  readonly targets: ClippedTargets;
  readonly grid?: StatisticGrid;
}

/**
 * Integer sums about people, unprotected: for the files of this package that declare their sensitivity, and
 * nobody else.
 */
export async function exactItemSums(
  input: ItemStatisticsInput,
  begin: number,
  end: number,
  matrices: boolean,
  into?: ItemStatistics,
): Promise<ItemStatistics> {
  const { engine, contributions, users, targets } = input;
  const { byItem, rootWeights } = contributions;
  const { vectorBits, targetBits } = input.grid ?? defaultGrid;
  const job: ItemStatisticsJob = {
    byItem,
    users: users.rows,
    ...(rootWeights === undefined ? {} : { rootWeights }),
    targets: targets.values,
    vectorBound: users.bound,
    targetBound: targets.bound,
    vectorBits,
    targetBits,
    matrices,
    begin,
    end,
    ...(into && { into }),
  };
  return vectorBits > MAX_VECTOR_BITS ? fineItemStatistics(job) : engine.itemStatistics(job);
}

/** Σ_i x_i x_iᵀ in whole numbers, packed. Unprotected, as above. */
export async function exactGramian(
  engine: Engine,
  users: ClippedRows,
  vectorBits: number,
): Promise<Float64Array> {
  return vectorBits > MAX_VECTOR_BITS
    ? fineGramian(users.rows, users.bound, vectorBits)
    : engine.exactGramian({ users: users.rows, vectorBound: users.bound, vectorBits });
}
