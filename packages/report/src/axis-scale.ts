import type { Axis } from './chart-spec.js';
import { formatNumber } from './markup.js';

/** An axis laid out on a line of pixels. */
export interface AxisScale {
  readonly min: number;
  readonly max: number;
  readonly ticks: readonly number[];
  /** Position between `from` (at min) and `to` (at max); may lie outside for values out of range. */
  position(value: number): number;
  /** A marked value, and a measured one, in words. */
  tickWords(tick: number): string;
  words(value: number): string;
}

/**
 * Lays an axis out over the pixels `from … to`, for the values it has to show. `about` is the wished number
 * of ticks. Values that cannot be shown (not finite, or not positive on a log axis) are ignored.
 */
export function axisScale(
  axis: Axis,
  values: readonly number[],
  from: number,
  to: number,
  about: number,
): AxisScale {
  const logarithmic = axis.scale === 'log';
  const shown = values.filter((value) => Number.isFinite(value) && (!logarithmic || value > 0));
  const isTime = axis.scale === 'time';
  const range = logarithmic
    ? logRange(shown, axis)
    : isTime
      ? { min: Math.min(...shown), max: Math.max(...shown) }
      : linearRange(shown, axis, about);
  const made = logarithmic ? logTicks : isTime ? monthTicks : linearTicks;
  const ticks = (axis.ticks ?? made(range, about)).filter(
    (tick) => tick >= range.min - 1e-9 * Math.abs(range.min) && tick <= range.max * (1 + 1e-9) + 1e-300,
  );
  const f = logarithmic ? Math.log : (value: number) => value;
  const low = f(range.min);
  const span = f(range.max) - low;
  return {
    ...range,
    ticks,
    position: (value) => from + ((f(value) - low) / span) * (to - from),
    tickWords: isTime ? (tick) => months.format(tick) : formatNumber,
    words: isTime ? (value) => days.format(value) : formatNumber,
  };
}

interface Range {
  readonly min: number;
  readonly max: number;
  /** Distance of ticks, where the ends were moved out to multiples of it. */
  readonly step?: number;
}

/**
 * Extremes of the data; a zoomed axis (both ends given) is taken as it is, otherwise ends move out to round
 * numbers.
 */
function linearRange(values: readonly number[], axis: Axis, about: number): Range {
  let min = axis.min ?? values.reduce((a, b) => Math.min(a, b), Infinity);
  let max = axis.max ?? values.reduce((a, b) => Math.max(a, b), -Infinity);
  if (!(min <= max)) [min, max] = [0, 1];
  if (nearlyEqual(min, max)) {
    const half = min === 0 ? 1 : Math.abs(min) * 0.05;
    if (axis.min === undefined) min -= half;
    if (axis.max === undefined || nearlyEqual(min, max)) max += half;
  }
  const step = niceStep((max - min) / about);
  if (axis.min === undefined) min = Math.floor(min / step + 1e-9) * step;
  if (axis.max === undefined) max = Math.ceil(max / step - 1e-9) * step;
  return { min, max, step };
}

function logRange(values: readonly number[], axis: Axis): Range {
  let min = axis.min ?? values.reduce((a, b) => Math.min(a, b), Infinity);
  let max = axis.max ?? values.reduce((a, b) => Math.max(a, b), 0);
  if (!(min > 0 && min <= max)) [min, max] = [0.1, 10];
  const margin = nearlyEqual(min, max) ? 1 : Math.log(max / min) * 0.04;
  if (axis.min === undefined) min *= Math.exp(-margin);
  if (axis.max === undefined || nearlyEqual(min, max)) max *= Math.exp(margin);
  return { min, max };
}

/** Closer than ticks could be told apart in floating point: shown as one value in the middle. */
function nearlyEqual(min: number, max: number): boolean {
  return max - min <= 1e-9 * Math.max(Math.abs(min), Math.abs(max));
}

/** The smallest of 1, 2, 5 × 10^k that is at least `rough`. */
function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= rough * (1 - 1e-9));
  return (step ?? 10) * power;
}

/**
 * Multiples of a round step; of a finer one where a range that does not begin or end at a multiple holds
 * fewer than two.
 */
function linearTicks({ min, max, step }: Range, about: number): number[] {
  for (let wished = about; ; wished *= 2) {
    const each = step !== undefined && wished === about ? step : niceStep((max - min) / wished);
    // A range of 10⁻⁹ of its ends still has its multiples found: their quotients are off by a few units in
    // the last place.
    const slack = 1e-9 + (2 ** -50 * Math.max(Math.abs(min), Math.abs(max))) / each;
    const ticks: number[] = [];
    for (let k = Math.ceil(min / each - slack); k <= max / each + slack; k++) {
      ticks.push(Number((k * each).toPrecision(14)));
    }
    if (ticks.length >= 2) return ticks;
  }
}

/** 1, 2, 5 × 10^k where they fit, else powers of ten alone, else every few of them. */
function logTicks({ min, max }: Range, about: number): number[] {
  const decades = Math.log10(max / min);
  const factors = decades * 3 <= about * 1.5 ? [1, 2, 5] : [1];
  const stride = Math.max(1, Math.ceil(decades / (1.5 * about)));
  const ticks: number[] = [];
  for (let k = Math.floor(Math.log10(min)); k <= Math.ceil(Math.log10(max)); k += stride) {
    for (const factor of factors) {
      const tick = Number((factor * 10 ** k).toPrecision(12));
      if (tick >= min && tick <= max) ticks.push(tick);
    }
  }
  return ticks.length >= 2 ? ticks : linearTicks({ min, max }, about);
}

const months = new Intl.DateTimeFormat('en', { month: 'short', year: 'numeric', timeZone: 'UTC' });
const days = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

/** Beginnings of months, of every few where there are more than fit. */
function monthTicks({ min, max }: Range, about: number): number[] {
  const [first, last] = [min, max].map((at) => {
    const date = new Date(at);
    return 12 * (date.getUTCFullYear() - 1970) + date.getUTCMonth();
  });
  const stride =
    [1, 2, 3, 6].find((each) => last - first <= each * about) ??
    12 * Math.ceil((last - first) / (12 * about));
  const ticks: number[] = [];
  for (let month = Math.ceil(first / stride) * stride; month <= last; month += stride)
    ticks.push(Date.UTC(1970, month));
  return ticks;
}
