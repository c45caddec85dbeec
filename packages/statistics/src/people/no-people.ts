import type { RatingScale } from '@hushrec/ratings';
import type { GridSums } from '../grid-sums.js';
import { protectedZeros } from './exact-totals.js';
import type { People, PersonStatistic } from './people.js';

/**
 * Nobody: every sum is 0 and has the right shape. For runs that must not see anyone: a dry run, which prints
 * what would be released, and a replay, which takes what was released from a record.
 */
export class NoPeople implements People {
  readonly itemCount: number;
  readonly scale: RatingScale;

  constructor(itemCount: number, scale: RatingScale) {
    this.itemCount = itemCount;
    this.scale = scale;
  }

  async sum<Published, Names extends string>(
    statistic: PersonStatistic<Published, Names>,
    published: Published,
    signal?: AbortSignal,
  ): Promise<Readonly<Record<Names, GridSums>>> {
    signal?.throwIfAborted();
    return protectedZeros(statistic.shapes(published, this.itemCount));
  }
}
