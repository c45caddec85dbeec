import { fft } from '../real/fft.js';
import type { Bound, GridLoss } from './loss-grid.js';

/** A loss on the grid, `count` times. All losses of a composition share their step. */
export interface CountedLoss {
  readonly loss: GridLoss;
  readonly count: number;
}

/** Composition needed more than 2^21 grid points. */
export class GridTooFineError extends RangeError {
  override readonly name = 'GridTooFineError';
  readonly kind = 'privacy';
}

const MOST_POINTS = 2 ** 21;
/** Room for the rounding errors of masses, powers and exponentials, which are a few 10⁻¹² of δ. */
const RELATIVE_ERROR = 1e-9;
/** ln of the mass that may fall outside the window of the transform, relative to all (tilted) mass. */
const LOG_OUTSIDE = -42;

/**
 * ε at which the sum of the losses has hockey-stick value δ: an upper bound for pessimistic losses, a lower
 * bound for optimistic ones.
 *
 * The sum's law is one product of Fourier transforms. A plain transform has absolute errors near 10⁻¹⁶,
 * useless for small δ; so each law is first tilted by e^(λL) with the λ that minimises the Chernoff bound on
 * δ, which moves the region that decides δ to the centre of the law, where errors are relative to δ itself.
 * O(N log N + N·log count).
 */
export function composedEpsilon(losses: readonly CountedLoss[], delta: number, bound: Bound): number {
  const infinite = losses.reduce((sum, { loss, count }) => sum + count * loss.infinite, 0);
  const budget = delta - infinite;
  if (!(budget > 0)) return Infinity;
  const computed = epsilonOfFiniteLosses(losses, budget, bound);
  // Without infinite losses nothing lies beyond the largest possible sum, whatever rounding says.
  return infinite > 0 ? computed : Math.min(computed, Math.max(0, largestSum(losses)));
}

function largestSum(losses: readonly CountedLoss[]): number {
  return losses.reduce((sum, { loss, count }) => {
    let last = loss.masses.length - 1;
    while (last > 0 && loss.masses[last] === 0) last--;
    return sum + count * ((loss.first + last) * loss.step + loss.offset);
  }, 0);
}

function epsilonOfFiniteLosses(losses: readonly CountedLoss[], budget: number, bound: Bound): number {
  const tilt = chernoffTilt(losses, budget);
  const { window, start } = tiltedLaw(losses, tilt.lambda);
  const { step } = losses[0].loss;
  const offset = losses.reduce((sum, { loss, count }) => sum + count * loss.offset, 0);
  // In units of scale = e^(K(λ) − λ·reference) the mass at S is window·e^(−λ(S − reference)).
  const reference = tilt.epsilon;
  const logScale = tilt.logMoment - tilt.lambda * reference;
  const sign = bound === 'pessimistic' ? 1 : -1;
  const limit = Math.exp(Math.log(budget) - logScale) * (1 - sign * RELATIVE_ERROR);
  const slack = sign * transformError(losses, window, tilt.lambda, step);

  const decay = Math.exp(-step);
  let tail = 0;
  let curve = 0;
  for (let i = window.length - 1; i >= 0; i--) {
    // `curve` is δ at the position of entry i, `tail` the mass above it.
    const position = (start + i) * step + offset;
    const above = (start + i + 1) * step + offset;
    const next = -Math.expm1(-step) * tail + decay * curve;
    if (next + slack > limit || position < 0) {
      if (position < 0 && next + slack <= limit) return 0;
      return Math.max(0, between(above, step, curve + slack, next + slack, limit));
    }
    curve = next;
    tail += Math.max(0, window[i]) * Math.exp(-tilt.lambda * (position - reference));
  }
  return Math.max(0, start * step + offset);
}

/** Between two grid points the curve is linear in e^ε. */
function between(above: number, step: number, low: number, high: number, limit: number): number {
  if (!(high > low)) return above;
  const share = Math.min(1, Math.max(0, (limit - low) / (high - low)));
  return above + Math.log1p(share * Math.expm1(-step));
}

/**
 * What the transform may have got wrong, in the units of `composedEpsilon`: mass outside the window, and
 * rounding of 10⁻¹⁵ in every entry, summed against e^(−λ·distance).
 */
function transformError(
  losses: readonly CountedLoss[],
  window: Float64Array,
  lambda: number,
  step: number,
): number {
  const total = losses.reduce((sum, { count }) => sum + count, 0);
  let largest = 0;
  for (const mass of window) largest = Math.max(largest, mass);
  const perEntry = 1e-15 + total * 2e-16 * largest;
  return 2 * Math.exp(LOG_OUTSIDE) + perEntry / Math.max(-Math.expm1(-lambda * step), 1 / window.length);
}

/** ln E[e^(λL)] of one loss without its infinite part. */
function logMoment({ step, first, offset, logMasses }: GridLoss, lambda: number): number {
  const slope = lambda * step;
  let largest = -Infinity;
  for (let i = 0; i < logMasses.length; i++) {
    const exponent = slope * i + logMasses[i];
    if (exponent > largest) largest = exponent;
  }
  let sum = 0;
  for (let i = 0; i < logMasses.length; i++) {
    const exponent = slope * i + logMasses[i] - largest;
    if (exponent > -60) sum += Math.exp(exponent);
  }
  return largest + Math.log(sum) + lambda * (first * step + offset);
}

const totalLogMoment = (losses: readonly CountedLoss[], lambda: number): number =>
  losses.reduce((sum, { loss, count }) => sum + count * logMoment(loss, lambda), 0);

/** The λ that minimises (K(λ) + ln 1/δ)/λ, the ε of the Chernoff bound δ ≤ e^(K(λ) − λε). */
function chernoffTilt(
  losses: readonly CountedLoss[],
  delta: number,
): { lambda: number; epsilon: number; logMoment: number } {
  const epsilonAt = (exponent: number): number => {
    const lambda = Math.exp(exponent);
    return (totalLogMoment(losses, lambda) - Math.log(delta)) / lambda;
  };
  let low = Math.log(1e-3);
  // Neighbouring grid points must stay comparable, or the lighter ones drown in rounding errors.
  let high = Math.max(low + 1, Math.log(0.5 / losses[0].loss.step));
  const golden = (Math.sqrt(5) - 1) / 2;
  let left = high - golden * (high - low);
  let right = low + golden * (high - low);
  let atLeft = epsilonAt(left);
  let atRight = epsilonAt(right);
  for (let i = 0; i < 24; i++) {
    if (atLeft <= atRight) {
      high = right;
      [right, atRight] = [left, atLeft];
      left = high - golden * (high - low);
      atLeft = epsilonAt(left);
    } else {
      low = left;
      [left, atLeft] = [right, atRight];
      right = low + golden * (high - low);
      atRight = epsilonAt(right);
    }
  }
  const lambda = Math.exp((low + high) / 2);
  const moment = totalLogMoment(losses, lambda);
  return { lambda, epsilon: Math.max(0, (moment - Math.log(delta)) / lambda), logMoment: moment };
}

/** The law of the tilted sum in a window that holds all but e^-42 of it; entry i is at (start + i) steps. */
function tiltedLaw(losses: readonly CountedLoss[], lambda: number): { window: Float64Array; start: number } {
  const { step } = losses[0].loss;
  const { low, high } = tiltedRange(losses, lambda, step);
  let size = 2;
  const longest = losses.reduce((length, { loss }) => Math.max(length, loss.masses.length), 0);
  while (size < Math.max(high - low + 2, longest)) size *= 2;
  if (size > MOST_POINTS)
    throw new GridTooFineError(`A composition needs ${size} grid points; at most ${MOST_POINTS}.`);
  const productReal = new Float64Array(size).fill(1);
  const productImaginary = new Float64Array(size);
  let shift = 0;
  for (const { loss, count } of losses) {
    const real = new Float64Array(size);
    const imaginary = new Float64Array(size);
    const normaliser = logMoment(loss, lambda) - lambda * loss.offset;
    for (let i = 0; i < loss.masses.length; i++) {
      real[i] = Math.exp(loss.logMasses[i] + lambda * (loss.first + i) * step - normaliser);
    }
    fft(real, imaginary, false);
    multiplyByPower(productReal, productImaginary, real, imaginary, count);
    shift += count * loss.first;
  }
  fft(productReal, productImaginary, true);
  // Entry r of the cyclic result stands for all positions ≡ r + shift; unroll it to start at `low`.
  const window = new Float64Array(size);
  const begin = (((low - shift) % size) + size) % size;
  window.set(productReal.subarray(begin));
  window.set(productReal.subarray(0, begin), size - begin);
  return { window, start: low };
}

/** product ← product · factor^count, entry by entry, by repeated squaring. Destroys `factor`. */
function multiplyByPower(
  productReal: Float64Array,
  productImaginary: Float64Array,
  factorReal: Float64Array,
  factorImaginary: Float64Array,
  count: number,
): void {
  for (let left = count; left > 0; left = Math.floor(left / 2)) {
    const odd = left % 2 === 1;
    for (let i = 0; i < factorReal.length; i++) {
      const re = factorReal[i];
      const im = factorImaginary[i];
      if (odd) {
        const p = productReal[i];
        const r = productImaginary[i];
        productReal[i] = p * re - r * im;
        productImaginary[i] = p * im + r * re;
      }
      factorReal[i] = re * re - im * im;
      factorImaginary[i] = 2 * re * im;
    }
  }
}

/** Grid positions between which the tilted sum lies, except for e^-42 on either side, by Chernoff's bound. */
function tiltedRange(
  losses: readonly CountedLoss[],
  lambda: number,
  step: number,
): { low: number; high: number } {
  const base = totalLogMoment(losses, lambda);
  const offset = losses.reduce((sum, { loss, count }) => sum + count * loss.offset, 0);
  let high = Infinity;
  let low = -Infinity;
  for (let exponent = -10; exponent <= 8; exponent++) {
    const theta = Math.exp(exponent);
    const up = (totalLogMoment(losses, lambda + theta) - base - LOG_OUTSIDE) / theta - offset;
    if (up < high) high = up;
    const down = (base - totalLogMoment(losses, lambda - theta) + LOG_OUTSIDE) / theta - offset;
    if (down > low) low = down;
  }
  const ends = losses.map(({ loss, count }) => [
    count * loss.first,
    count * (loss.first + loss.masses.length - 1),
  ]);
  return {
    low: Math.max(
      Math.floor(low / step),
      ends.reduce((sum, [least]) => sum + least, 0),
    ),
    high: Math.min(
      Math.ceil(high / step),
      ends.reduce((sum, [, most]) => sum + most, 0),
    ),
  };
}
