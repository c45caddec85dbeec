import { smallProduct } from '@hushrec/numerics';
import { carryOver, type MeasuredSums } from '../earlier-rounds.js';

/** Sums of every item as they are remembered, items by rows; a precision of 0 says that nothing is known. */
export interface KnownSums {
  readonly width: number;
  readonly values: Float64Array;
  readonly precisions: Float64Array;
}

/** The factor of a direction is expected at 1, give or take this times what is forgotten. */
const factorSpread = 0.3;
const sure = 2;

/** What was measured, with the variance of the noise on each number; ∞ where nothing is known. */
interface Measured {
  readonly values: Float64Array;
  readonly variances: Float64Array;
}

/**
 * Today's noisy numbers y put together with those that are remembered, x′, by inverse variance, in place.
 * All that is remembered is scaled by one factor g: least squares of y on x′ with the noise of x′ taken out,
 * g = (Σ y x′/σ² + 1/s²)/(Σ (x′² − v′)/σ² + 1/s²), within 0 to 2, with a prior of s² = 0.09·(1 − kept) around
 * 1. Besides, numbers move by δ_j with Var δ_j = q·size_j, where q ≥ 0 is what is left of (y − g x′)² beyond
 * both noises, less two standard errors of it. So what is remembered has the variance g²v′/kept + q·size.
 * Reads released numbers only: post-processing. O(numbers).
 *
 * @param then its variances are v′/kept
 */
function recallNumbers(now: Measured, then: Measured, sizes: Float64Array, kept: number): void {
  const trust = 1 / (factorSpread ** 2 * Math.max(1e-3, 1 - kept));
  const isKnown = (at: number) => now.variances[at] > 0 && Number.isFinite(then.variances[at]);
  let [cross, square] = [trust, trust];
  for (let at = 0; at < sizes.length; at++) {
    if (!isKnown(at)) continue;
    cross += (now.values[at] * then.values[at]) / now.variances[at];
    square += (then.values[at] ** 2 - kept * then.variances[at]) / now.variances[at];
  }
  const factor = square > 0 ? Math.min(2, Math.max(0, cross / square)) : 1;
  let [left, error, scale] = [0, 0, 0];
  for (let at = 0; at < sizes.length; at++) {
    if (!isKnown(at)) continue;
    const both = now.variances[at] + factor ** 2 * then.variances[at];
    const weight = sizes[at] / both ** 2;
    left += weight * ((now.values[at] - factor * then.values[at]) ** 2 - both);
    error += 2 * (weight * both) ** 2;
    scale += weight * sizes[at];
  }
  const spread = scale > 0 ? Math.max(0, (left - sure * Math.sqrt(error)) / scale) : 0;
  for (let at = 0; at < sizes.length; at++) {
    if (!isKnown(at)) continue;
    const variance = factor ** 2 * then.variances[at] + spread * sizes[at];
    const share = now.variances[at] / (now.variances[at] + variance);
    now.values[at] += share * (factor * then.values[at] - now.values[at]);
    now.variances[at] *= 1 - share;
  }
}

/**
 * Sums of items, direction by direction: what is remembered is scaled item by item by how much more the item
 * is chosen (`growth`), and put together with today's (`recallNumbers`). Writes into `now`. O(items · d).
 */
export function recallSums(
  now: MeasuredSums,
  then: KnownSums,
  growth: Float64Array,
  sizes: Float64Array,
  kept: number,
): MeasuredSums {
  const { width, values, variances } = now;
  for (let k = 0; k < Math.min(width, then.width); k++) {
    const column = (of: (item: number) => number) => Float64Array.from(sizes, (_, item) => of(item));
    const today = {
      values: column((item) => values[item * width + k]),
      variances: column((item) => variances[item * width + k]),
    };
    const before = {
      values: column((item) => growth[item] * then.values[item * then.width + k]),
      variances: column((item) => {
        const precision = then.precisions[item * then.width + k];
        return precision > 0 ? growth[item] ** 2 / (kept * precision) : Number.POSITIVE_INFINITY;
      }),
    };
    recallNumbers(today, before, sizes, kept);
    for (let item = 0; item < sizes.length; item++) {
      values[item * width + k] = today.values[item];
      variances[item * width + k] = today.variances[item];
    }
  }
  return now;
}

/** A symmetric matrix per unit of weight, and s with the noise s_k·s_l on entry (k, l); ∞ where it is new. */
export interface KnownMoment {
  readonly matrix: Float64Array;
  readonly spreads: Float64Array;
}

/** What is known of a second moment: the matrix, and the variance of the noise on each entry. */
export interface RecalledMoment {
  readonly matrix: Float64Array;
  readonly variances: Float64Array;
  /** Root mean square of the noise on the diagonal. */
  readonly noise: number;
}

/**
 * Today's moment and the one that is remembered, entry by entry (`recallNumbers`): tastes found with other
 * vectors are longer or shorter, and a moment that only notes its noise would be believed for ever. The size
 * of entry (a, b) is that of the remembered diagonal, or of its noise where that is more. O(d²).
 */
export function recallMoment(
  matrix: Float64Array,
  noise: number,
  width: number,
  weight: number,
  then: KnownMoment | undefined,
  kept: number,
): RecalledMoment {
  const together = Float64Array.from(matrix);
  const variances = Float64Array.from(matrix, (_, at) => noise ** 2 / (at % (width + 1) === 0 ? 1 : 2));
  if (then === undefined) return { matrix: together, variances, noise };
  const across = then.spreads.length;
  const known = Math.min(width, across);
  const entries = Array.from({ length: known ** 2 }, (_, at) => [Math.floor(at / known), at % known]).filter(
    ([a, b]) => a <= b,
  );
  const of = (value: (a: number, b: number) => number) => Float64Array.from(entries, ([a, b]) => value(a, b));
  const today = {
    values: of((a, b) => matrix[a * width + b]),
    variances: of((a, b) => variances[a * width + b]),
  };
  const before = {
    values: of((a, b) => weight * then.matrix[a * across + b]),
    variances: of((a, b) => (weight * then.spreads[a] * then.spreads[b]) ** 2 / kept),
  };
  const size = (k: number) => weight * Math.max(then.matrix[k * (across + 1)], then.spreads[k] ** 2);
  recallNumbers(
    today,
    before,
    of((a, b) => size(a) * size(b)),
    kept,
  );
  entries.forEach(([a, b], entry) => {
    for (const at of [a * width + b, b * width + a]) {
      together[at] = today.values[entry];
      variances[at] = today.variances[entry];
    }
  });
  let square = 0;
  for (let a = 0; a < width; a++) square += variances[a * width + a] / width;
  return { matrix: together, variances, noise: Math.sqrt(square) };
}

/** T M Tᵀ per unit of weight, and the noise that it has then; T by rows. O(d³). */
export function turnedMoment(
  { matrix, variances }: RecalledMoment,
  turn: Float64Array,
  width: number,
  weight: number,
): KnownMoment {
  const half = new Float64Array(width * width);
  const full = new Float64Array(width * width);
  smallProduct(half, turn, matrix, width, width, width);
  const turnedOver = transposed(turn, width);
  smallProduct(full, half, turnedOver, width, width, width);
  const spreads = new Float64Array(width);
  for (let k = 0; k < width; k++) {
    let variance = 0;
    for (let a = 0; a < width; a++)
      for (let b = 0; b < width; b++)
        variance += turn[k * width + a] ** 2 * turn[k * width + b] ** 2 * variances[a * width + b];
    spreads[k] = Math.sqrt(Math.sqrt(variance) / weight);
  }
  return { matrix: full.map((value) => value / weight), spreads };
}

/** T x of every item and the precision that it has then; T by rows. O(items · d²). */
export function turnedSums({ width, values, variances }: MeasuredSums, turn: Float64Array): KnownSums {
  const turned = { width, values: Float64Array.from(values), variances: Float64Array.from(variances) };
  carryOver(turned, turn);
  return {
    width,
    values: turned.values,
    precisions: turned.variances.map((variance) => Math.min(1e30, 1 / variance)),
  };
}

function transposed(matrix: Float64Array, width: number): Float64Array {
  return matrix.map((_, at) => matrix[(at % width) * width + Math.floor(at / width)]);
}
