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

/**
 * Counts of items from the most counted to the least, over their mean: f(p) = a + c·(−ln p)^k, p the place
 * over the number of items. Without `a` a stretched exponential, which MovieLens follows closely over the
 * whole catalogue; with it a catalogue in which nothing is rare. k and a are those that give the shares;
 * shares that no such curve has get the nearest one with a = 0.
 */
export function popularityCurve({ headShare, tailShare }: PopularityShape): Float64Array {
  const logs = Float64Array.from({ length: parts }, (_, part) => -Math.log((part + 0.5) / parts));
  const shareOf = (values: Float64Array, from: number, to: number) =>
    values.slice(from * parts, to * parts).reduce((sum, value) => sum + value, 0) / parts;
  const fitted = (k: number) => {
    const stretched = logs.map((log) => log ** k);
    const mean = stretched.reduce((sum, value) => sum + value, 0) / parts;
    const values = stretched.map((value) => value / mean);
    const tail = shareOf(values, 0.5, 1);
    const floor = Math.max(0, Math.min(1, (tailShare - tail) / (0.5 - tail)));
    return values.map((value) => floor + (1 - floor) * value);
  };
  let [low, high] = [0.05, 6];
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    if (shareOf(fitted(middle), 0, 0.1) < headShare) low = middle;
    else high = middle;
  }
  return fitted((low + high) / 2);
}
