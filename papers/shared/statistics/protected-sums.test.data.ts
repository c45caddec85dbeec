import type { Engine, ItemStatistics } from '@hushrec/numerics';
import { sensitive } from '@hushrec/privacy';
import type { GridSums } from '../../../packages/statistics/src/grid-sums.js';
import type { ClippedRows } from './clip-rows.js';
import { exactGramian, exactItemSums, type ItemStatisticsInput } from './exact-item-sums.js';
import { jointSensitivity, matrixSensitivity, vectorSensitivity } from './item-sum-bounds.js';
import { defaultGrid } from './statistic-grid.js';

/** The sums of `itemSums` from contributions, vectors and targets that a test chose, with their bounds. */
export async function itemStatistics(
  input: ItemStatisticsInput,
  begin: number,
  end: number,
  into?: ItemStatistics,
): Promise<{ readonly matrices: GridSums; readonly vectors: GridSums; readonly exact: ItemStatistics }> {
  const { contributions, users, targets } = input;
  const { budget } = contributions;
  const { vectorBits, targetBits } = input.grid ?? defaultGrid;
  const exact = await exactItemSums(input, begin, end, true, into);
  const vectorStep = users.bound * 2 ** -vectorBits;
  return {
    matrices: {
      statistic: sensitive(exact.matrices, 'l2', matrixSensitivity(budget, users.bound)),
      gridStep: vectorStep ** 2,
    },
    vectors: {
      statistic: sensitive(exact.vectors, 'l2', vectorSensitivity(budget, users.bound, targets.bound)),
      gridStep: vectorStep * targets.bound * 2 ** -targetBits,
    },
    exact,
  };
}

/** The same as one statistic, as `sampledItemSums` scales it. */
export async function jointItemStatistics(input: ItemStatisticsInput, end: number, matrixShare: number) {
  const { matrices, vectors, exact } = await itemStatistics(input, 0, end);
  const matrixUnit = matrices.statistic.sensitivity / Math.sqrt(matrixShare);
  const vectorUnit = vectors.statistic.sensitivity / Math.sqrt(1 - matrixShare);
  return {
    matrices: {
      statistic: sensitive(exact.matrices, 'l2', jointSensitivity),
      gridStep: matrices.gridStep / matrixUnit,
    },
    vectors: {
      statistic: sensitive(exact.vectors, 'l2', jointSensitivity),
      gridStep: vectors.gridStep / vectorUnit,
    },
  };
}

/** The sum of `userGramian` from vectors that a test chose. */
export async function globalGramian(engine: Engine, users: ClippedRows): Promise<GridSums> {
  const { vectorBits } = defaultGrid;
  return {
    statistic: sensitive(await exactGramian(engine, users, vectorBits), 'l2', users.bound ** 2),
    gridStep: (users.bound * 2 ** -vectorBits) ** 2,
  };
}
