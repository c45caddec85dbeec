import { logNormalCdf } from '@hushrec/privacy';
import { knownCatalogues } from './known-catalogues.js';
import { popularityCurve } from './popularity-shape.js';

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
  /** About the standard deviation of the logarithm of √headSquare over all noise there might have been. */
  readonly headError: number;
  /** √headSquare is hardly more than this (one time in twenty), however much of it noise hides. */
  readonly mostHead: number;
  /** So many items have a count of about `size`, from the largest on. */
  readonly points: readonly { readonly size: number; readonly items: number }[];
}

/**
 * An item stands out from the noise where its count is more than this many standard deviations of the noise.
 */
export const standsOutAt = 2;
/** The head is the most counted tenth of items, the tail the least counted half. */
export const headPart = 0.1;
export const tailPart = 0.5;

/** Counts beyond this many standard deviations are taken as they are: noise changes them little. */
const clear = 8;
/** Width of a bin of the histogram, and distance of the sizes that counts may have. */
export const step = 0.125;
const lowest = -6;

/**
 * Where the search for the sizes of counts begins, and how long it goes on. `flat` was the first way, and
 * `verify` still knows it: all sizes alike, and on until nothing changes, which follows every accident of the
 * noise. `known`: from the sizes of known catalogues, each as likely as it makes the release, and a few steps
 * from there: where noise rules, what is left is the total, which is known best, in a usual shape; where
 * counts stand out, they decide.
 */
const ways = {
  flat: { passes: 400, beyond: 2 },
  known: { passes: 10, beyond: 4 },
} as const;

/**
 * What the exact counts must be like for their noisy release to look as it does. Counts that clearly stand
 * out speak for themselves; the others are explained by a mixture of sizes θ ≥ 0 that makes them likely
 * (Kiefer & Wolfowitz 1956), found by expectation maximization over a histogram. Looking at the largest noisy
 * counts instead would take lucky noise for signal. Post-processing of released numbers: free. O(items + bins
 * · sizes · (passes + candidates)).
 *
 * @param noise standard deviation that was added, > 0
 */
export function spreadOfCounts(
  released: ArrayLike<number>,
  noise: number,
  way: keyof typeof ways = 'known',
): SpreadOfCounts {
  const items = released.length;
  const isFloored = flooredAt(released, noise);
  const clearSquares: number[] = [];
  const bins = new Float64Array(Math.round((clear - lowest) / step));
  let [floored, total] = [0, 0];
  for (let item = 0; item < items; item++) {
    const x = released[item] / noise;
    total += x;
    if (x > clear) clearSquares.push(x * x - 1);
    else if (isFloored && x <= 1.0001) floored++;
    else bins[Math.max(0, Math.min(bins.length - 1, Math.floor((x - lowest) / step)))]++;
  }
  // The total of counts that were cut off at a floor says nothing.
  const used = isFloored ? 'flat' : way;
  const sizes = Float64Array.from(
    { length: Math.round((clear + ways[used].beyond) / step) },
    (_, point) => point * step,
  );
  const seen = { bins, floored, clear: clearSquares.length, mean: total / Math.max(1, items) };
  const masses = mixtureOf(seen, sizes, used);
  const points = [
    ...clearSquares.map((square) => ({ size: Math.sqrt(square), items: 1 })),
    ...Array.from(sizes, (size, point) => ({ size, items: masses[point] })),
  ].sort((a, b) => b.size - a.size);
  const headSquare = meanSquare(points, 0, headPart * items);
  return {
    items,
    above: points.reduce((sum, point) => sum + (point.size > standsOutAt ? point.items : 0), 0),
    headSquare,
    tailSquare: meanSquare(points, (1 - tailPart) * items, items),
    ...errorOfHead(headSquare, items, used === 'flat' ? undefined : seen.mean),
    points,
  };
}

/** Mean square of the sizes from one place in the order to another. */
function meanSquare(points: SpreadOfCounts['points'], from: number, to: number): number {
  let [seen, sum] = [0, 0];
  for (const point of points) {
    const part = Math.max(0, Math.min(to, seen + point.items) - Math.max(from, seen));
    sum += part * point.size ** 2;
    seen += point.items;
  }
  return sum / (to - from);
}

/** Catalogues of the same total differ by about this much in the logarithm of their head. */
const shapesDiffer = 0.25;
/** Root mean square of the head over the mean of all, of a usual catalogue. */
const usualHead = 5.5;
/** Standard deviations that one draw in twenty is above. */
export const oneInTwenty = 1.645;

/**
 * Two things tell the head. Its own counts: the mean of n squares has variance (2 + 4m)/n, and not knowing
 * which items belong to the head about doubles its root (seen in simulations on real catalogues). And the
 * total, whose noise is √items, with what shapes differ by.
 */
function errorOfHead(
  headSquare: number,
  items: number,
  mean: number | undefined,
): Pick<SpreadOfCounts, 'headError' | 'mostHead'> {
  const square = Math.max(1e-9, headSquare);
  const ofSquare = 2 * Math.sqrt((2 + 4 * square) / (headPart * items));
  const own = { headError: ofSquare / (2 * square), mostHead: Math.sqrt(square + oneInTwenty * ofSquare) };
  if (mean === undefined) return own;
  const ofMean = 1 / Math.sqrt(items);
  // Its noise may have been in its favour: it is taken for one standard deviation less.
  const byTotal = Math.hypot(ofMean / Math.max(1e-9, mean - ofMean), shapesDiffer);
  return {
    headError: 1 / Math.hypot(1 / own.headError, 1 / byTotal),
    mostHead: Math.min(own.mostHead, usualHead * Math.max(ofMean, mean + oneInTwenty * ofMean)),
  };
}

/** Some methods publish counts with their noise as a floor: what lies there is only known not to be more. */
function flooredAt(released: ArrayLike<number>, noise: number): boolean {
  for (let item = 0; item < released.length; item++) if (released[item] < 0.999 * noise) return false;
  return true;
}

/** A histogram of released counts: bins, how many lie at a floor, how many are clear, and the mean of all. */
interface SeenCounts {
  readonly bins: Float64Array;
  readonly floored: number;
  readonly clear: number;
  readonly mean: number;
}

/** Items of each size; together as many as there are in the bins and at the floor. */
function mixtureOf(seen: SeenCounts, sizes: Float64Array, way: keyof typeof ways): Float64Array {
  const { bins, floored } = seen;
  const total = bins.reduce((sum, count) => sum + count, floored);
  let masses = new Float64Array(sizes.length).fill(total / sizes.length);
  if (total === 0) return masses;
  const cdf = (x: number) => Math.exp(logNormalCdf(x));
  const kernels = [...bins.keys()]
    .filter((bin) => bins[bin] > 0)
    .map((bin) => ({
      count: bins[bin],
      chances: sizes.map((size) => {
        const low = bin * step + lowest - size;
        return bin === 0 ? cdf(low + step) : Math.max(1e-300, cdf(low + step) - cdf(low));
      }),
    }));
  if (floored > 0) kernels.push({ count: floored, chances: sizes.map((size) => cdf(1 - size)) });
  if (way === 'known') {
    const unclear = sizes.map((size) => cdf(clear - size));
    const start = fromKnownCatalogues(seen, kernels, unclear);
    // A thousandth alike everywhere: what no known catalogue has is not ruled out.
    masses = start.map((share) => total * (0.999 * share + 0.001 / sizes.length));
  }
  for (let pass = 0; pass < ways[way].passes; pass++) {
    const next = new Float64Array(sizes.length);
    for (const { count, chances } of kernels) {
      let sum = 0;
      for (let point = 0; point < sizes.length; point++) sum += chances[point] * masses[point];
      for (let point = 0; point < sizes.length; point++)
        next[point] += (count * chances[point] * masses[point]) / sum;
    }
    masses = next;
  }
  return masses;
}

/** Totals are tried so many standard deviations of their noise around the released one, in steps. */
const triedTotals = { beyond: 3, step: 0.25 } as const;
const leastChance = 1e-12;

/**
 * Shares of sizes among counts that are not clear: each known catalogue at each likely total, weighed by how
 * likely it makes the release. Sums to 1.
 */
function fromKnownCatalogues(
  { clear: clearItems, bins, floored, mean }: SeenCounts,
  kernels: readonly { readonly count: number; readonly chances: Float64Array }[],
  unclear: Float64Array,
): Float64Array {
  const items = bins.reduce((sum, count) => sum + count, floored) + clearItems;
  const error = 1 / Math.sqrt(items);
  const candidates: { readonly shares: Float64Array; readonly likely: number }[] = [];
  for (const curve of knownCurves())
    for (let at = -triedTotals.beyond; at <= triedTotals.beyond; at += triedTotals.step) {
      const scale = Math.max(0.02 * error, mean + at * error);
      const shares = sharesOfSizes(curve, scale, unclear.length);
      let likely = clearItems * Math.log(Math.max(leastChance, 1 - dot(shares, unclear)));
      for (const { count, chances } of kernels)
        likely += count * Math.log(Math.max(leastChance, dot(shares, chances)));
      candidates.push({ shares, likely });
    }
  const most = Math.max(...candidates.map(({ likely }) => likely));
  const mixed = new Float64Array(unclear.length);
  for (const { shares, likely } of candidates) {
    const weight = Math.exp(likely - most);
    for (let point = 0; point < mixed.length; point++) mixed[point] += weight * shares[point];
  }
  const sum = mixed.reduce((all, share) => all + share, 0);
  return sum > 0 ? mixed.map((share) => share / sum) : mixed.fill(1 / mixed.length);
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += a[at] * b[at];
  return sum;
}

/** A curve of counts over their mean, put on the sizes; what lies beyond the last one is left out. */
function sharesOfSizes(curve: Float64Array, scale: number, sizes: number): Float64Array {
  const shares = new Float64Array(sizes);
  for (const value of curve) {
    const place = (value * scale) / step;
    const below = Math.floor(place);
    if (below + 1 >= sizes) continue;
    shares[below] += (1 - place + below) / curve.length;
    shares[below + 1] += (place - below) / curve.length;
  }
  return shares;
}

/** So many neighbouring parts of a curve are taken together. */
const together = 5;
let curves: readonly Float64Array[] | undefined;

function knownCurves(): readonly Float64Array[] {
  curves ??= knownCatalogues.map((shape) => {
    const curve = popularityCurve(shape);
    return Float64Array.from(
      { length: curve.length / together },
      (_, part) =>
        curve.subarray(together * part, together * (part + 1)).reduce((sum, value) => sum + value, 0) /
        together,
    );
  });
  return curves;
}
