import { clip } from './protected-rating.js';

/** Ratings as three aligned arrays in the order in which stochastic descent visits them. */
export interface VisitedRatings {
  readonly users: Uint32Array;
  readonly items: Uint32Array;
  readonly values: Float32Array;
}

export interface StochasticDescent {
  readonly width: number;
  readonly learningRate: number;
  readonly ridge: number;
  /** Errors are clipped to ± this; `Infinity` leaves them. */
  readonly errorBound: number;
  /**
   * `simultaneous`: both updates read the old vectors (eq. 2 of Friedman et al. 2016).
   * `item-first`: the user update reads the updated item vector (their Algorithms 4 and 5 as printed).
   */
  readonly update: 'simultaneous' | 'item-first';
}

/**
 * One pass of stochastic gradient descent, for each rating e = clip(r − u·v, ±e_max):
 *
 *   v ← v + γ(e u − λ v),   u ← u + γ(e v − λ u)
 *
 * In place. O(ratings · width).
 */
export function descentRound(
  ratings: VisitedRatings,
  userRows: Float64Array,
  itemRows: Float64Array,
  { width, learningRate, ridge, errorBound, update }: StochasticDescent,
): void {
  const { users, items, values } = ratings;
  const keep = 1 - learningRate * ridge;
  const itemFirst = update === 'item-first';
  for (let at = 0; at < values.length; at++) {
    const u = users[at] * width;
    const v = items[at] * width;
    const step = learningRate * clip(errorOf(values[at], userRows, u, itemRows, v, width), errorBound);
    // With the updated item keep·v + step·u in place of v, the user update is (keep + step²)u + step·keep·v.
    const ofUser = itemFirst ? keep + step * step : keep;
    const ofItem = itemFirst ? step * keep : step;
    for (let c = 0; c < width; c++) {
      const user = userRows[u + c];
      const item = itemRows[v + c];
      itemRows[v + c] = keep * item + step * user;
      userRows[u + c] = ofUser * user + ofItem * item;
    }
  }
}

/** r − u·v, of the vectors that begin at u and v. */
export function errorOf(
  rating: number,
  userRows: Float64Array,
  u: number,
  itemRows: Float64Array,
  v: number,
  width: number,
): number {
  let error = rating;
  for (let c = 0; c < width; c++) error -= userRows[u + c] * itemRows[v + c];
  return error;
}

/** 0 … count−1 in a uniformly random order (Fisher–Yates), from public randomness. */
export function randomOrder(count: number, random: () => number): Uint32Array {
  const order = new Uint32Array(count);
  for (let at = 0; at < count; at++) order[at] = at;
  for (let at = count - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    const held = order[at];
    order[at] = order[other];
    order[other] = held;
  }
  return order;
}
