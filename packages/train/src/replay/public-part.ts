import type { PrivacyUnit } from '@hushrec/privacy';
import { type RatingMatrix, withoutRatings } from '@hushrec/ratings';

/**
 * What a unit of privacy leaves public of a data set, and nothing else. `user`: no people. `rating-presence`:
 * who is in the data, with no ratings. `rating-value`: who rated what, all values erased (the scale's least
 * in their place).
 */
export function publicPart(ratings: RatingMatrix, unit: PrivacyUnit): RatingMatrix {
  const { itemCount, scale, byUser } = ratings;
  switch (unit) {
    case 'user':
      return withoutRatings(0, ratings);
    case 'rating-presence':
      return withoutRatings(byUser.rowCount, ratings);
    case 'rating-value':
      return {
        userCount: byUser.rowCount,
        itemCount,
        scale,
        byUser: { ...byUser, values: new Float32Array(byUser.values.length).fill(scale.min) },
      };
    default:
      return unit satisfies never;
  }
}

/**
 * The same of people who are elsewhere, of whom the catalogue and the scale are known here.
 *
 * @throws TypeError for another unit than `user`: what those leave public is not here
 */
export function publicPartOfSums(
  people: Pick<RatingMatrix, 'itemCount' | 'scale'>,
  unit: PrivacyUnit,
): RatingMatrix {
  if (unit !== 'user')
    throw new TypeError(`A method that works from sums over people protects them, not ${unit}.`);
  return withoutRatings(0, people);
}
