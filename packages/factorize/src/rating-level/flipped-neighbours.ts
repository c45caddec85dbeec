import { type FlippedBits, reportedCounts, reportedTogether } from './flipped-bits.js';
import type { NeighbourLists } from './nearest-neighbours.js';

/** Unbiased estimates of how many people have item j, item l, and both. */
export interface PairEstimate {
  readonly one: number;
  readonly other: number;
  readonly both: number;
  readonly people: number;
}

/**
 * For every item its k most similar items, from estimates of true counts. With flips of probability f the observed 2×2 table
 * is (K⊗K) times the true one, K = [[1−f, f], [f, 1−f]]; inverted:
 *
 *   n̂_j = (ñ_j − nf)/(1−2f),   n̂_jl = (ñ_jl − f(ñ_j + ñ_l) + nf²)/(1−2f)²
 *
 * Works item by item, so memory is the bits plus the lists, never items². O(items² · people/32).
 */
export function neighboursFromFlips(
  bits: FlippedBits,
  k: number,
  similarity: (pair: PairEstimate) => number,
  tick: (done: number) => void = () => undefined,
): NeighbourLists & { readonly popularity: Float32Array } {
  const { items, people, flipProbability: f } = bits;
  const reported = reportedCounts(bits);
  const keep = 1 - 2 * f;
  const estimates = reported.map((ones) => (ones - people * f) / keep);
  const neighbours = new Int32Array(items * k).fill(-1);
  const similarities = new Float32Array(items * k);
  const row = new Float64Array(items);
  for (let j = 0; j < items; j++) {
    for (let l = 0; l < items; l++) {
      if (l === j) {
        row[l] = 0;
        continue;
      }
      const together = reportedTogether(bits, j, l);
      const both = (together - f * (reported[j] + reported[l]) + people * f * f) / (keep * keep);
      row[l] = similarity({ one: estimates[j], other: estimates[l], both, people });
    }
    writeBest(row, k, neighbours, similarities, j * k);
    tick(j + 1);
  }
  return {
    k,
    neighbours,
    similarities,
    popularity: Float32Array.from(estimates, (count) => Math.max(0, count)),
  };
}

/** The k largest positive entries, best first, ties by smaller index, by insertion into a short sorted list. */
function writeBest(
  row: Float64Array,
  k: number,
  neighbours: Int32Array,
  similarities: Float32Array,
  at: number,
): void {
  let count = 0;
  const index = new Int32Array(k);
  const value = new Float64Array(k);
  for (let l = 0; l < row.length; l++) {
    if (!(row[l] > 0) || (count === k && row[l] <= value[k - 1])) continue;
    let place = count < k ? count++ : k - 1;
    while (place > 0 && value[place - 1] < row[l]) {
      value[place] = value[place - 1];
      index[place] = index[place - 1];
      place--;
    }
    value[place] = row[l];
    index[place] = l;
  }
  for (let rank = 0; rank < count; rank++) {
    neighbours[at + rank] = index[rank];
    similarities[at + rank] = value[rank];
  }
}
