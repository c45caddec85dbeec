/** Grid of user vectors and targets: 2^bits steps from 0 to their bound. */
export interface StatisticGrid {
  readonly vectorBits: number;
  readonly targetBits: number;
}

/**
 * Fine enough that rounding is far below any noise, coarse enough that sums over 8 million people stay exact.
 */
export const defaultGrid: StatisticGrid = { vectorBits: 15, targetBits: 15 };
