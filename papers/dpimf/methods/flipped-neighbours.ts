import type { NeighbourLists } from '../../friedman/methods/nearest-neighbours.js';
import { type FlippedBits, reportedCounts } from './flipped-bits.js';
import { NearestLists } from './nearest-lists.js';
import { onesInBoth } from './ones-in-both.js';

/** A similarity from unbiased estimates of how many people have item j, item l, and both. */
export type PairSimilarity = (one: number, other: number, both: number) => number;

/** Items whose bit rows stay in cache while all others pass by. */
const tile = 32;

/**
 * For the `listed` items with the most reports their k most similar listed items, from estimates of true
 * counts. With flips of probability f the observed 2×2 table is (K⊗K) times the true one, K = [[1−f, f], [f,
 * 1−f]]; inverted:
 *
 *   n̂_j = (ñ_j − nf)/(1−2f),   n̂_jl = (ñ_jl − f(ñ_j + ñ_l) + nf²)/(1−2f)²
 *
 * Which items are listed follows from the reported bits alone, so choosing them costs no privacy. Every pair
 * is counted once; memory is the bits plus the lists, never items². O(listed² · people/64).
 */
export async function neighboursFromFlips(
  bits: FlippedBits,
  { k, listed }: { readonly k: number; readonly listed: number },
  similarity: PairSimilarity,
  tick: (done: number, total: number) => Promise<void> = async () => undefined,
): Promise<NeighbourLists & { readonly popularity: Float32Array }> {
  const { items, people, words, wordsPerItem, flipProbability: f } = bits;
  const reported = reportedCounts(bits);
  const keep = 1 - 2 * f;
  const estimates = reported.map((ones) => (ones - people * f) / keep);
  const chosen = mostReported(reported, listed);
  const lists = new NearestLists(items, k);
  // Partners reach every item in ascending order, so equal similarities keep the smaller index first.
  for (let begin = 0; begin < chosen.length; begin += tile) {
    const end = Math.min(begin + tile, chosen.length);
    for (let second = begin + 1; second < chosen.length; second++) {
      const l = chosen[second];
      for (let first = begin; first < Math.min(end, second); first++) {
        const j = chosen[first];
        const together = onesInBoth(words, j * wordsPerItem, l * wordsPerItem, wordsPerItem);
        const both = (together - f * (reported[j] + reported[l]) + people * f * f) / (keep * keep);
        const value = similarity(estimates[j], estimates[l], both);
        lists.offer(j, l, value);
        lists.offer(l, j, value);
      }
    }
    await tick(end, chosen.length);
  }
  return {
    k,
    neighbours: lists.neighbours,
    similarities: Float32Array.from(lists.values),
    popularity: Float32Array.from(estimates, (count) => Math.max(0, count)),
  };
}

/** The `count` items with the most reports (ties: smaller index), in ascending order of index. O(m log m). */
function mostReported(reported: Float64Array, count: number): Uint32Array {
  const order = Uint32Array.from(reported, (_, item) => item);
  if (count >= order.length) return order;
  return order
    .sort((one, other) => reported[other] - reported[one] || one - other)
    .slice(0, count)
    .sort();
}
