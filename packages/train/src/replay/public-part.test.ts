import { smallRatings } from '@hushrec/testing';
import { describe, expect, it } from 'vitest';
import { publicPart } from './public-part.js';

const ratings = smallRatings(9, 5, 3);

describe('what a unit leaves public', () => {
  it('is nobody, where people are protected', () => {
    const { userCount, itemCount, byUser } = publicPart(ratings, 'user');
    expect([userCount, itemCount, byUser.rowCount, byUser.indices.length]).toEqual([0, 5, 0, 0]);
  });

  it('is the list of people, where the presence of ratings is', () => {
    const { userCount, byUser } = publicPart(ratings, 'rating-presence');
    expect([userCount, byUser.indices.length, Math.max(...byUser.offsets)]).toEqual([9, 0, 0]);
  });

  it('is who rated what, where values are', () => {
    const { byUser } = publicPart(ratings, 'rating-value');
    expect(byUser.indices).toEqual(ratings.byUser.indices);
    expect(new Set(byUser.values)).toEqual(new Set([ratings.scale.min]));
  });
});
