import type { Csr } from '@hushrec/numerics';
import type { RatingMatrix } from '@hushrec/ratings';
import { SeededRandom } from '@hushrec/ratings/seeded-random';

/** A year of a shop, made up from a data set without one. */
export interface Arrivals {
  readonly ratings: RatingMatrix;
  /** Day of each rating, aligned with `ratings.byUser.values`. */
  readonly days: Float64Array;
}

/** Days of a year, and those after it of which the last figures are. */
export const yearDays = 365;
const lastDay = yearDays + 30;
/** Part of the people who are there when the year begins, and of the items that appear during it. */
const thereFromTheStart = 0.4;
const newItems = 0.25;

/**
 * Made-up days: two fifths of the people are there on day 0 and the others join on any day of the year; each
 * rates from then on, evenly, until 30 days after the year. A quarter of the items appear on any day of the
 * year, and nobody rates one before.
 */
export function madeUpArrivals(ratings: RatingMatrix, seed: number): Arrivals {
  const random = new SeededRandom(seed);
  const appears = Float64Array.from({ length: ratings.itemCount }, () =>
    random.uniform() < newItems ? random.uniform() * yearDays : 0,
  );
  const { rowCount, offsets, indices } = ratings.byUser;
  const days = new Float64Array(indices.length);
  for (let user = 0; user < rowCount; user++) {
    const joins = random.uniform() < thereFromTheStart ? 0 : random.uniform() * yearDays;
    for (let at = offsets[user]; at < offsets[user + 1]; at++) {
      const begin = Math.max(joins, appears[indices[at]]);
      days[at] = begin + random.uniform() * (lastDay - begin);
    }
  }
  return { ratings, days };
}

/** Days as they are in the data, counted from its first rating. */
export function realArrivals(ratings: RatingMatrix): Arrivals {
  const { times } = ratings;
  if (times === undefined) throw new RangeError('These ratings have no times.');
  const first = times.reduce((least, time) => Math.min(least, time), Infinity);
  return { ratings, days: Float64Array.from(times, (time) => (time - first) / 86_400) };
}

/** Ratings of days from `begin` (included) to `end` (excluded), of people of one part. */
export function ratedBetween(
  { ratings, days }: Arrivals,
  begin: number,
  end: number,
  isOf: (user: number) => boolean,
): RatingMatrix {
  const { rowCount, columnCount, offsets, indices, values } = ratings.byUser;
  const rows: number[] = [0];
  const [columns, kept]: [number[], number[]] = [[], []];
  for (let user = 0; user < rowCount; user++) {
    if (!isOf(user)) continue;
    for (let at = offsets[user]; at < offsets[user + 1]; at++)
      if (days[at] >= begin && days[at] < end) {
        columns.push(indices[at]);
        kept.push(values[at]);
      }
    rows.push(columns.length);
  }
  const byUser: Csr = {
    rowCount: rows.length - 1,
    columnCount,
    offsets: Uint32Array.from(rows),
    indices: Uint32Array.from(columns),
    values: Float32Array.from(kept),
  };
  return { userCount: byUser.rowCount, itemCount: columnCount, scale: ratings.scale, byUser };
}

/** The same people without those who have rated nothing: rows are people who are there. */
export function withoutEmptyRows(ratings: RatingMatrix): RatingMatrix {
  const { rowCount, offsets } = ratings.byUser;
  const ends = [0];
  for (let user = 0; user < rowCount; user++)
    if (offsets[user + 1] > offsets[user]) ends.push(offsets[user + 1]);
  const byUser = { ...ratings.byUser, rowCount: ends.length - 1, offsets: Uint32Array.from(ends) };
  return { ...ratings, userCount: byUser.rowCount, byUser };
}
