import type { RatingMatrix } from '@hushrec/ratings';
import { type Person, ratingsOf } from './neighbours.js';

/** The data set in which one rating (by its place in byUser) has another value. */
export function withRatingChanged(ratings: RatingMatrix, at: number, value: number): RatingMatrix {
  const values = ratings.byUser.values.slice();
  values[at] = value;
  return { ...ratings, byUser: { ...ratings.byUser, values } };
}

/** The data set in which one rating (by its place in byUser) never was. Users and items stay. */
export function withoutRating(ratings: RatingMatrix, at: number): RatingMatrix {
  const { byUser } = ratings;
  const drop = <T extends Uint32Array | Float32Array>(from: T) =>
    from.filter((_, place) => place !== at) as T;
  const offsets = byUser.offsets.map((offset) => (offset > at ? offset - 1 : offset));
  return {
    ...ratings,
    byUser: { ...byUser, offsets, indices: drop(byUser.indices), values: drop(byUser.values) },
  };
}

/**
 * Small ratings with the shapes that break bounds: someone with every item, someone with one, values at both
 * ends of the scale and far outside it. Deterministic in `seed`.
 */
export function smallRatings(users: number, items: number, seed: number): RatingMatrix {
  let state = (seed % 2147483646) + 1;
  const random = () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  const people = Array.from({ length: users }, (_, user): Person => {
    const share = user === 0 ? 1 : user === 1 ? 0 : random();
    const chosen = Array.from({ length: items }, (_, item) => item).filter(
      (item) => random() < share || (user === 1 && item === 0),
    );
    const rate = () =>
      random() < 0.1 ? -1e9 : random() < 0.4 ? 1 + 4 * Math.round(random()) : 1 + Math.floor(random() * 5);
    return { name: `person ${user}`, items: chosen, ratings: chosen.map(rate) };
  });
  return ratingsOf(people, items);
}
