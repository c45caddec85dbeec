import type { Sensitive } from '@hushrec/privacy';

/**
 * Sums about people on a grid: values are whole numbers of `gridStep`, the sensitivity is in real units
 * (values × gridStep). Noise on the same grid then hides them without traces in low-order bits.
 */
export interface GridSums {
  readonly statistic: Sensitive<Float64Array>;
  readonly gridStep: number;
}
