/** How unevenly a catalogue is used: what a shop can say of itself without looking at anyone. */
export interface PopularityShape {
  /** Share of all ratings that go to the most rated tenth of items. */
  readonly headShare: number;
  /** Share of all ratings that go to the least rated half. */
  readonly tailShare: number;
}

/** Of MovieLens 1M, for those who do not know better. */
export const usualShape: PopularityShape = { headShare: 0.445, tailShare: 0.076 };

/** The curve is known at the middles of so many equal parts of the catalogue. */
const parts = 2000;

const drawn = new Map<string, Float64Array>();
const mostDrawn = 100;

/** The curve of a shape; a forecast asks for the same few again and again, at every ε. Not to be changed. */
export function popularityCurve(shape: PopularityShape): Float64Array {
  const name = `${shape.headShare} ${shape.tailShare}`;
  const known = drawn.get(name);
  if (known !== undefined) return known;
  const curve = fittedCurve(shape);
  if (drawn.size >= mostDrawn) drawn.clear();
  drawn.set(name, curve);
  return curve;
}

/**
 * Counts of items from the most counted to the least, over their mean: f(p) = a + c·(−ln p)^k, p the place
 * over the number of items. Without `a` a stretched exponential, which MovieLens follows closely over the
 * whole catalogue; with it a catalogue in which nothing is rare. k and a are those that give the shares;
 * shares that no such curve has get the nearest one with a = 0.
 */
function fittedCurve({ headShare, tailShare }: PopularityShape): Float64Array {
  const logs = Float64Array.from({ length: parts }, (_, part) => -Math.log((part + 0.5) / parts));
  const shareOf = (values: Float64Array, from: number, to: number) =>
    values.subarray(from * parts, to * parts).reduce((sum, value) => sum + value, 0) / parts;
  const fitted = (k: number) => {
    const stretched = logs.map((log) => log ** k);
    const mean = stretched.reduce((sum, value) => sum + value, 0) / parts;
    const values = stretched.map((value) => value / mean);
    const tail = shareOf(values, 0.5, 1);
    const floor = Math.max(0, Math.min(1, (tailShare - tail) / (0.5 - tail)));
    return values.map((value) => floor + (1 - floor) * value);
  };
  // False position, halving an end that stays twice (Illinois): a quarter of the work of bisection.
  const missing = (k: number) => shareOf(fitted(k), 0, 0.1) - headShare;
  let [low, high] = [0.05, 6];
  let [below, above] = [missing(low), missing(high)];
  if (below >= 0) return fitted(low);
  if (above <= 0) return fitted(high);
  let moved: 'low' | 'high' | undefined;
  for (;;) {
    const k = (low * above - high * below) / (above - below);
    const left = missing(k);
    if (Math.abs(left) < 1e-7 || high - low < 1e-9) return fitted(k);
    if (left < 0) {
      [low, below] = [k, left];
      if (moved === 'low') above /= 2;
      moved = 'low';
    } else {
      [high, above] = [k, left];
      if (moved === 'high') below /= 2;
      moved = 'high';
    }
  }
}
