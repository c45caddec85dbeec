import type { CoinKeys } from '@hushrec/privacy';
import {
  type Contributions,
  type ContributionsByItem,
  contributionsByItem,
  type PeopleShare,
} from '@hushrec/statistics';
import { adaptiveWeights } from './adaptive-weights.js';
import { boundContributions, keepItems } from './bound-contributions.js';

/**
 * Whose ratings count how much, as people are told it: a function of each person's own set, own coins and
 * released counts, hence free.
 */
export interface Weighting {
  /** All ratings with weights that favour rare items, at most `limit` at random, or the `limit` rarest. */
  readonly kind: 'adaptive' | 'uniform' | 'tail';
  /** Ratings a person may contribute (uniform, tail). */
  readonly limit: number;
  /** p of adaptive weights. */
  readonly exponent: number;
  /** β: bound on the sum of squared weights of one person. */
  readonly budget: number;
  /** Released counts, floored; absent where none were needed: all items count alike. */
  readonly counts?: Float64Array;
  /** 1 for items that count at all, a released choice; absent when all do. */
  readonly frequent?: Uint8Array;
  /** People's own coins (uniform). */
  readonly coins?: CoinKeys;
}

/**
 * What these people contribute. Σ_j w_ij² ≤ budget for everyone: see `adaptiveWeights` and
 * `boundContributions`.
 */
function weigh(
  { rows, coins: tossed }: Pick<PeopleShare, 'rows' | 'coins'>,
  weighting: Weighting,
): Contributions {
  const { kind, limit, exponent, budget, counts, frequent, coins } = weighting;
  if (kind === 'adaptive') {
    const kept = frequent ? keepItems(rows, frequent) : rows;
    return adaptiveWeights(kept, counts ?? new Float64Array(rows.columnCount).fill(1), exponent, budget);
  }
  const choice =
    kind === 'uniform'
      ? ({ kind, coins: tossed(coins!) } as const)
      : ({ kind, releasedCounts: counts! } as const);
  return boundContributions(rows, limit, choice, frequent);
}

/** The same, kept as long as the weighting stays. */
export function weighed(share: PeopleShare, weighting: Weighting): Contributions {
  return share.keep('contributions', weighting, () => weigh(share, weighting));
}

/** The same with items by rows. */
export function weighedByItem(share: PeopleShare, weighting: Weighting): ContributionsByItem {
  return share.keep('contributions by item', weighting, () => contributionsByItem(weigh(share, weighting)));
}
