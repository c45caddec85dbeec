import { logNormalCdf } from '@hushrec/privacy';

/**
 * How large the exact counts of a catalogue's items are, in standard deviations of the noise that was added
 * to them.
 */
export interface SpreadOfCounts {
  /** Number of items in all. */
  readonly items: number;
  /** Items whose exact count is more than two standard deviations of the noise; need not be whole. */
  readonly above: number;
  /** Mean square of the exact counts of the most counted tenth, and of the least counted half. */
  readonly headSquare: number;
  readonly tailSquare: number;
}

/**
 * An item stands out of the noise where its count is more than this many standard deviations of the noise.
 */
export const standsOutAt = 2;
/** The head is the most counted tenth of items, the tail the least counted half. */
export const headPart = 0.1;
export const tailPart = 0.5;

/** Counts beyond this many standard deviations are taken as they are: noise changes them little. */
const clear = 8;
const step = 0.125;
const passes = 400;

/**
 * What the exact counts must be like for their noisy release to look as it does. Counts that clearly stand
 * out speak for themselves; the others are explained by the mixture of grid points θ ≥ 0 that makes them
 * likeliest (Kiefer & Wolfowitz 1956), found by expectation maximization over a histogram. Looking at the
 * largest noisy counts instead would take lucky noise for signal. Post-processing of released numbers: free.
 * O(items + bins · grid · passes).
 *
 * @param noise standard deviation that was added, > 0
 */
export function spreadOfCounts(released: ArrayLike<number>, noise: number): SpreadOfCounts {
  const items = released.length;
  const isFloored = flooredAt(released, noise);
  const clearSquares: number[] = [];
  const bins = new Float64Array(Math.round((clear + 6) / step));
  let floored = 0;
  for (let item = 0; item < items; item++) {
    const x = released[item] / noise;
    if (x > clear) clearSquares.push(x * x - 1);
    else if (isFloored && x <= 1.0001) floored++;
    else bins[Math.max(0, Math.min(bins.length - 1, Math.floor((x + 6) / step)))]++;
  }
  const grid = Float64Array.from({ length: Math.round((clear + 2) / step) }, (_, point) => point * step);
  const masses = likeliestMixture(bins, floored, grid);
  const points = [
    ...clearSquares.map((square) => ({ square, items: 1 })),
    ...Array.from(grid, (theta, point) => ({ square: theta * theta, items: masses[point] })),
  ].sort((a, b) => b.square - a.square);
  const meanSquare = (from: number, to: number) => {
    let [seen, sum] = [0, 0];
    for (const point of points) {
      const part = Math.max(0, Math.min(to, seen + point.items) - Math.max(from, seen));
      sum += part * point.square;
      seen += point.items;
    }
    return sum / (to - from);
  };
  return {
    items,
    above: points.reduce((sum, point) => sum + (point.square > standsOutAt ** 2 ? point.items : 0), 0),
    headSquare: meanSquare(0, headPart * items),
    tailSquare: meanSquare((1 - tailPart) * items, items),
  };
}

/** Some methods publish counts with their noise as a floor: what lies there is only known not to be more. */
function flooredAt(released: ArrayLike<number>, noise: number): boolean {
  for (let item = 0; item < released.length; item++) if (released[item] < 0.999 * noise) return false;
  return true;
}

/** Items at each grid point; together as many as there are in the bins and at the floor. */
function likeliestMixture(bins: Float64Array, floored: number, grid: Float64Array): Float64Array {
  const total = bins.reduce((sum, count) => sum + count, floored);
  let masses = new Float64Array(grid.length).fill(total / grid.length);
  if (total === 0) return masses;
  const cdf = (x: number) => Math.exp(logNormalCdf(x));
  const kernels = [...bins.keys()]
    .filter((bin) => bins[bin] > 0)
    .map((bin) => ({
      count: bins[bin],
      chances: grid.map((theta) => {
        const low = bin * step - 6 - theta;
        return bin === 0 ? cdf(low + step) : Math.max(1e-300, cdf(low + step) - cdf(low));
      }),
    }));
  if (floored > 0) kernels.push({ count: floored, chances: grid.map((theta) => cdf(1 - theta)) });
  for (let pass = 0; pass < passes; pass++) {
    const next = new Float64Array(grid.length);
    for (const { count, chances } of kernels) {
      let sum = 0;
      for (let point = 0; point < grid.length; point++) sum += chances[point] * masses[point];
      for (let point = 0; point < grid.length; point++)
        next[point] += (count * chances[point] * masses[point]) / sum;
    }
    masses = next;
  }
  return masses;
}
