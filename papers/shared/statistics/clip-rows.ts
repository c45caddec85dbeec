import type { FactorMatrix } from '@hushrec/numerics';
import { clipFactor, requireBound, roundingMargin } from '@hushrec/statistics';

declare const clipped: unique symbol;

/** Rows whose Euclidean norm is proved to be at most `bound`. Only `clipRows` makes them. */
export interface ClippedRows {
  readonly rows: FactorMatrix;
  readonly bound: number;
  readonly [clipped]: 'rows';
}

/**
 * u ← u · min(1, Γ/‖u‖), row by row, in place (`clipFactor` has the lemma).
 *
 * It is a minimum: with a maximum, as printed in Chien et al. 2021 (Algorithm 1) and Curmei et al. 2023 (step
 * 7), short rows are stretched, long ones pass, and no noise gives any guarantee. A row with a coordinate
 * that is not finite becomes 0, so the bound holds for every input whatever. Each row depends on itself
 * alone.
 *
 * Bound: rows are scaled to Γ(1 − 2⁻²⁰), see `roundingMargin`; float32 storage adds at most 2⁻²⁴, so ‖u‖ < Γ
 * for the stored numbers. O(rows × width).
 */
export function clipRows(rows: FactorMatrix, bound: number): ClippedRows {
  requireBound('clip norm', bound);
  const { rowCount, width, data } = rows;
  const limit = bound * roundingMargin;
  for (let row = 0; row < rowCount; row++) {
    const begin = row * width;
    const end = begin + width;
    let square = 0;
    for (let at = begin; at < end; at++) square += data[at] * data[at];
    if (square <= limit * limit) continue;
    // NaN fails the comparison above and, like ∞, ends here with factor 0.
    const factor = Number.isFinite(square) ? clipFactor(Math.sqrt(square), limit) : 0;
    if (factor === 0) data.fill(0, begin, end);
    else for (let at = begin; at < end; at++) data[at] = data[at] * factor;
  }
  return { rows, bound } as ClippedRows;
}
