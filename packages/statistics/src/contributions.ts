import { type Csr, reorder, transposeWithOrder } from '@hushrec/numerics';

/**
 * What a private statistic may use of each person's ratings: which entries, and with what weight.
 *
 * Invariant, proved by whoever makes one: Σ_j w_ij² ≤ `budget` for every user i, where w_ij is the exact
 * square of the stored √w_ij, and every pair (i, j) occurs once.
 */
export interface Contributions {
  /** Users by rows, items by columns; values are the ratings that contribute. */
  readonly byUser: Csr;
  /** √w_ij aligned with byUser.values; all 1 when absent. */
  readonly rootWeights?: Float32Array;
  /** β: per-user bound on the sum of squared weights. */
  readonly budget: number;
}

/** The same contributions with items by rows: what item-side sums read. */
export interface ContributionsByItem {
  readonly byItem: Csr;
  readonly rootWeights?: Float32Array;
  readonly budget: number;
}

/** One person rated one item twice. Sums over items would then count that person twice in one coordinate. */
export class DuplicateRatingError extends Error {
  override readonly name = 'DuplicateRatingError';
  readonly kind = 'data';
  constructor() {
    super(
      'Someone has two ratings for one item, or items out of order. Keep one rating per person and item (`hushrec import` does).',
    );
  }
}

/** Throws unless items ascend strictly within every row, so that no pair occurs twice. O(ratings). */
export function requireDistinctItems(byUser: Csr): void {
  const { rowCount, offsets, indices } = byUser;
  for (let user = 0; user < rowCount; user++) {
    for (let at = offsets[user] + 1; at < offsets[user + 1]; at++) {
      if (indices[at] <= indices[at - 1]) throw new DuplicateRatingError();
    }
  }
}

/** Turns contributions round, items by rows. O(ratings). */
export function contributionsByItem(contributions: Contributions): ContributionsByItem {
  const { csr: byItem, order } = transposeWithOrder(contributions.byUser);
  const { rootWeights, budget } = contributions;
  if (rootWeights === undefined) return { byItem, budget };
  return { byItem, rootWeights: reorder(rootWeights, order), budget };
}
