import type { RatingMatrix } from '../rating-matrix.js';

/**
 * Items in groups by how often they were rated in training. For evaluation only: exact counts are private.
 */
export interface PopularityBuckets {
  readonly count: number;
  /** By item: 0 is the rarest group. */
  readonly bucketOf: Uint8Array;
  /** Share of the training ratings that fall in each bucket; adds up to 1. */
  readonly shareOfRatings: Float64Array;
}

/**
 * Buckets of equally many items (±1), rarest first; equal counts are ordered by item index. O(ratings + items
 * log items).
 */
export function popularityBuckets(train: RatingMatrix, count: number): PopularityBuckets {
  const { itemCount, byUser } = train;
  if (!Number.isInteger(count) || count < 1 || count > Math.min(255, itemCount))
    throw new RangeError(`buckets is ${count}; expected 1 to ${Math.min(255, itemCount)}.`);
  const ratings = new Uint32Array(itemCount);
  for (let k = 0; k < byUser.indices.length; k++) ratings[byUser.indices[k]]++;
  const order = Uint32Array.from(ratings, (_, item) => item).sort((a, b) => ratings[a] - ratings[b] || a - b);
  const bucketOf = new Uint8Array(itemCount);
  const shareOfRatings = new Float64Array(count);
  order.forEach((item, place) => {
    const bucket = Math.floor((place * count) / itemCount);
    bucketOf[item] = bucket;
    shareOfRatings[bucket] += ratings[item] / Math.max(1, byUser.indices.length);
  });
  return { count, bucketOf, shareOfRatings };
}
