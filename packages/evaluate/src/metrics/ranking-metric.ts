import type { MetricFacts } from './metric.js';

/**
 * A metric of one person's ranked list. `hits[p]` is 1 where the item at place p (0 = best) is relevant,
 * `relevant` counts all relevant items of the person, also those outside the list. Only called with
 * relevant ≥ 1; hits beyond k are ignored, a shorter list counts as filled with misses.
 */
export interface RankingMetric extends MetricFacts {
  readonly needs: 'ranks';
  /** Whether it stays meaningful when a person's targets outside a slice of the items are ignored. */
  readonly bySlice?: true;
  /** False: measured where it is asked for by name, and not otherwise. */
  readonly shown?: false;
  of(hits: Uint8Array, relevant: number, k: number): number;
}

/** Relevant items among the first k. */
export function hitsWithin(hits: Uint8Array, k: number): number {
  let count = 0;
  for (let p = 0; p < k && p < hits.length; p++) count += hits[p];
  return count;
}
