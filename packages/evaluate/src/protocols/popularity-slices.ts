import type { Csr } from '@hushrec/numerics';

/** Items in equal-size groups by how often they were rated in training. */
export interface PopularitySlices {
  readonly count: number;
  /** Slice of each item; 0 holds the rarest. */
  readonly sliceOf: Uint8Array;
}

/**
 * Equal-size item buckets by training count (Krichene et al. 2023 use 5), ties by item index. Exact counts:
 * evaluation only, never part of a released model. O(entries + items log items).
 */
export function popularitySlices(trainedOn: Csr, count = 5): PopularitySlices {
  const items = trainedOn.columnCount;
  const counts = new Uint32Array(items);
  for (let k = 0; k < trainedOn.indices.length; k++) counts[trainedOn.indices[k]!]!++;
  const order = Uint32Array.from({ length: items }, (_, item) => item);
  order.sort((a, b) => counts[a]! - counts[b]! || a - b);
  const sliceOf = new Uint8Array(items);
  order.forEach((item, place) => {
    sliceOf[item] = Math.floor((place * count) / items);
  });
  return { count, sliceOf };
}
