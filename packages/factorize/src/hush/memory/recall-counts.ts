import type { ReleasedSums } from '../release-sums.js';

/** Numbers by item, and one over the variance of the noise that is left on each; 0 where nothing is known. */
export interface KnownCounts {
  readonly values: Float64Array;
  readonly precisions: Float64Array;
}

/** What is known of counts now. */
export interface RecalledCounts extends KnownCounts {
  /** Noise of what is typically counted, for rules that know one noise for all items. */
  readonly noise: number;
  /** G: today's total over that of the memory. */
  readonly growth: number;
  /** False where what is remembered surely explains less than half of what counts are today. */
  readonly isFitting: boolean;
}

/** A figure with its noise, and what is remembered of it. */
export interface Figure {
  readonly value: number;
  /** One over its variance; 0 where nothing is known. */
  readonly precision: number;
}

/** What was released of a number, as a figure. */
export function figureOf({ value, noise }: ReleasedSums): Figure {
  return { value: value[0], precision: precisionOf(noise) };
}

/** Both by inverse variance; what is remembered with the part `kept` of its precision. */
export function recallFigure(now: Figure, then: Figure, kept: number): Figure {
  const before = kept * then.precision;
  if (!(before > 0) || !Number.isFinite(now.precision)) return now;
  const precision = now.precision + before;
  return { value: (now.precision * now.value + before * then.value) / precision, precision };
}

/** 1/σ², at most what a float32 holds without becoming infinite: a noise of 0 is that of simulations. */
function precisionOf(noise: number): number {
  return noise > 0 ? Math.min(1e30, noise ** -2) : 1e30;
}

/** Standard errors by which something has to stand out before it is believed. */
const sure = 2;

/**
 * Today's released counts put together with those that are remembered, by inverse variance. All counts grow
 * by about one factor G, the total of today (itself put together with the one that is remembered) over that
 * of the memory; besides, the count of an item moves by δ_j with Var δ_j = q·c_j, where q ≥ 0 is what is left
 * of (ĉ_j − G c_j′)² beyond both noises, by weighted moments, less two standard errors of it. What is
 * remembered has the variance G²v′/kept + q·c_j. Reads released numbers only: post-processing. O(items).
 */
export function recallCounts(now: ReleasedSums, then: KnownCounts, kept: number): RecalledCounts {
  const { value: released, noise } = now;
  const variance = noise ** 2;
  const alone = {
    values: Float64Array.from(released),
    precisions: new Float64Array(released.length).fill(precisionOf(noise)),
    noise,
    growth: 1,
  };
  const known = then.precisions.reduce((count, precision) => count + (precision > 0 ? 1 : 0), 0);
  if (known === 0 || noise === 0) return { ...alone, isFitting: known > 0 };
  const growth = growthOf(now, then, kept);
  const before = Float64Array.from(then.values, (value) => growth * value);
  const variances = Float64Array.from(then.precisions, (precision) =>
    precision > 0 ? growth ** 2 / (kept * precision) : Number.POSITIVE_INFINITY,
  );
  const sizes = before.map((value) => Math.max(value, noise / 10));
  const { spread, isFitting } = driftOf(now, before, variances, sizes, kept);
  const values = new Float64Array(released.length);
  const precisions = new Float64Array(released.length);
  let [typical, all] = [0, 0];
  for (let item = 0; item < released.length; item++) {
    const past = 1 / (variances[item] + spread * sizes[item]);
    const precision = 1 / variance + past;
    values[item] = (released[item] / variance + past * before[item]) / precision;
    precisions[item] = precision;
    const weight = Math.max(values[item], noise / 10);
    typical += weight * precision;
    all += weight;
  }
  return { values, precisions, noise: Math.sqrt(all / typical), growth, isFitting };
}

/** G of the text, within 1/3 to 3; 1 where the remembered total does not stand out from its noise. */
function growthOf({ value, noise }: ReleasedSums, then: KnownCounts, kept: number): number {
  let [today, past, pastVariance, items] = [0, 0, 0, 0];
  for (let item = 0; item < value.length; item++) {
    if (!(then.precisions[item] > 0)) continue;
    today += value[item];
    past += then.values[item];
    pastVariance += 1 / then.precisions[item];
    items++;
  }
  if (!(past > sure * Math.sqrt(pastVariance))) return 1;
  const figure = recallFigure(
    { value: today, precision: 1 / (items * noise ** 2) },
    { value: past, precision: 1 / pastVariance },
    kept,
  );
  return Math.min(3, Math.max(1 / 3, figure.value / past));
}

/**
 * q, and whether the memory fits. Today's counts are b·c_j′ and what is left, E = b²Σ(c_j′² − v_j) and
 * L = Σ((ĉ_j − b c_j′)² − σ² − b²v_j), v_j the noise that was added, whatever was forgotten since; it fits
 * unless L less two standard errors is above E.
 *
 * @param variances v_j/kept
 */
function driftOf(
  { value, noise }: ReleasedSums,
  before: Float64Array,
  variances: Float64Array,
  sizes: Float64Array,
  kept: number,
): { readonly spread: number; readonly isFitting: boolean } {
  const variance = noise ** 2;
  let [left, error, scale, cross, square] = [0, 0, 0, 0, 0];
  for (let item = 0; item < value.length; item++) {
    if (!Number.isFinite(variances[item])) continue;
    const both = variance + variances[item];
    const weight = sizes[item] / both ** 2;
    left += weight * ((value[item] - before[item]) ** 2 - both);
    error += 2 * (weight * both) ** 2;
    scale += weight * sizes[item];
    cross += value[item] * before[item];
    square += before[item] ** 2 - kept * variances[item];
  }
  const spread = Math.max(0, (left - sure * Math.sqrt(error)) / scale);
  const slope = square > 0 ? Math.max(0, cross / square) : 0;
  let [rest, doubt] = [0, 0];
  for (let item = 0; item < value.length; item++) {
    if (!Number.isFinite(variances[item])) continue;
    const both = variance + slope ** 2 * kept * variances[item];
    rest += (value[item] - slope * before[item]) ** 2 - both;
    doubt += 2 * both ** 2 + 4 * both * Math.max(0, value[item] - slope * before[item]) ** 2;
  }
  return { spread, isFitting: rest - sure * Math.sqrt(doubt) <= slope ** 2 * Math.max(0, square) };
}

/**
 * (count now)/(count then) of every item, both smoothed by two standard deviations of today's noise and the
 * deviation from G kept within ⅓ to 3: sums grow with people and with how much an item is chosen.
 */
export function growthOfItems(now: RecalledCounts, then: KnownCounts): Float64Array {
  const smooth = sure * now.noise;
  return now.values.map((value, item) => {
    const part = (Math.max(0, value / now.growth) + smooth) / (Math.max(0, then.values[item]) + smooth);
    return now.growth * Math.min(3, Math.max(1 / 3, part));
  });
}
