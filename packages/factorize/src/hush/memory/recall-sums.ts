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

/**
 * Today's noisy sums y put together with those x′ that are remembered, by inverse variance. What is
 * remembered is scaled item by item by how much more the item is chosen (`growth`), and direction by
 * direction by one factor g_k: least squares of y on x′ with the noise of x′ taken out, g_k = (Σ y
 * x′/σ² + 1/s²)/(Σ (x′² − v′)/σ² + 1/s²), within 0 to 2, with a prior of s² = 0.09·(1 − kept) around 1.
 * Besides, sums move by δ_jk with Var δ_jk = q_k·size_j, where q_k ≥ 0 is what is left of (y − g x′)² beyond
 * both noises, less two standard errors of it. So what is remembered has the variance g²v′/kept + q·size.
 * Writes into `now`. Reads released numbers only: post-processing. O(items · d).
 */
export function recallSums(
  now: MeasuredSums,
  then: KnownSums,
  growth: Float64Array,
  sizes: Float64Array,
  kept: number,
): MeasuredSums {
  const { width, values, variances } = now;
  const trust = 1 / (factorSpread ** 2 * Math.max(1e-3, 1 - kept));
  for (let k = 0; k < Math.min(width, then.width); k++) {
    const past = new Float64Array(sizes.length);
    const pastVariances = new Float64Array(sizes.length).fill(Number.POSITIVE_INFINITY);
    let [cross, square] = [trust, trust];
    for (let item = 0; item < sizes.length; item++) {
      const at = item * width + k;
      const from = item * then.width + k;
      if (!(then.precisions[from] > 0)) continue;
      past[item] = growth[item] * then.values[from];
      pastVariances[item] = growth[item] ** 2 / (kept * then.precisions[from]);
      if (!(variances[at] > 0)) continue;
      cross += (values[at] * past[item]) / variances[at];
      square += (past[item] ** 2 - kept * pastVariances[item]) / variances[at];
    }
    const factor = square > 0 ? Math.min(2, Math.max(0, cross / square)) : 1;
    const spread = driftOf(now, k, past, pastVariances, factor, sizes);
    for (let item = 0; item < sizes.length; item++) {
      const at = item * width + k;
      if (!Number.isFinite(pastVariances[item]) || !(variances[at] > 0)) continue;
      const variance = factor ** 2 * pastVariances[item] + spread * sizes[item];
      const share = variances[at] / (variances[at] + variance);
      values[at] += share * (factor * past[item] - values[at]);
      variances[at] *= 1 - share;
    }
  }
  return now;
}

/** q_k of the text. */
function driftOf(
  { width, values, variances }: MeasuredSums,
  k: number,
  past: Float64Array,
  pastVariances: Float64Array,
  factor: number,
  sizes: Float64Array,
): number {
  let [left, error, scale] = [0, 0, 0];
  for (let item = 0; item < sizes.length; item++) {
    const at = item * width + k;
    if (!Number.isFinite(pastVariances[item]) || !(variances[at] > 0)) continue;
    const both = variances[at] + factor ** 2 * pastVariances[item];
    const weight = sizes[item] / both ** 2;
    left += weight * ((values[at] - factor * past[item]) ** 2 - both);
    error += 2 * (weight * both) ** 2;
    scale += weight * sizes[item];
  }
  return scale > 0 ? Math.max(0, (left - sure * Math.sqrt(error)) / scale) : 0;
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

/** Today's moment and the one that is remembered, entry by entry, by inverse variance. O(d²). */
export function recallMoment(
  matrix: Float64Array,
  noise: number,
  width: number,
  weight: number,
  then: KnownMoment | undefined,
  kept: number,
): RecalledMoment {
  const together = Float64Array.from(matrix);
  const variances = new Float64Array(width * width);
  const known = then?.spreads.length ?? 0;
  for (let a = 0; a < width; a++)
    for (let b = 0; b < width; b++) {
      const at = a * width + b;
      const own = noise ** 2 / (a === b ? 1 : 2);
      variances[at] = own;
      if (then === undefined || a >= known || b >= known || own === 0) continue;
      const past = (weight * then.spreads[a] * then.spreads[b]) ** 2 / kept;
      const share = Number.isFinite(past) ? own / (own + past) : 0;
      together[at] += share * (weight * then.matrix[a * known + b] - together[at]);
      variances[at] = own * (1 - share);
    }
  if (then === undefined) return { matrix: together, variances, noise };
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
