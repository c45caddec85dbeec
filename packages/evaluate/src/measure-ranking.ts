import type { ItemModel } from '@hushrec/model';
import type { Csr, Engine } from '@hushrec/numerics';
import type { PopularityBuckets } from '@hushrec/ratings';
import type { Estimate } from './intervals/bootstrap.js';
import type { Measured } from './measure-ratings.js';
import { type AskedOfLists, askedName } from './metrics/metric.js';
import { type PerUserMetric, plainMean } from './metrics/per-user.js';
import type { EvaluationTask } from './protocols/task.js';
import { rankCandidates } from './scoring/rank-candidates.js';
import { type RankedLists, rankItems } from './scoring/rank-items.js';

/** What is measured of lists: means over people, and what is of all lists together. */
export interface MeasuredLists extends Measured {
  readonly ofLists: Readonly<Record<string, Estimate>>;
}

/**
 * Ranking: places of the targets in everyone's list. People without targets do not count; by slices of
 * popularity only what stays meaningful when the rest of a person's targets is ignored.
 */
export async function measureRanking(
  engine: Engine,
  model: ItemModel,
  task: EvaluationTask,
  slices: PopularityBuckets,
  asked: readonly AskedOfLists[],
): Promise<MeasuredLists> {
  const { history, target, candidates } = task;
  const length = longestOf(asked);
  const lists =
    candidates === undefined
      ? await rankItems(engine, model, history, length)
      : await rankCandidates(engine, model, history, candidates, length);
  const bySlice = asked.filter(({ metric }) => metric.needs === 'ranks' && metric.bySlice === true);
  return {
    overall: measureLists(lists, target, asked, () => true),
    slices: Array.from({ length: slices.count }, (_, slice) =>
      measureLists(lists, target, bySlice, (item) => slices.bucketOf[item] === slice),
    ),
    ofLists: measureAllLists(lists, target.columnCount, asked),
  };
}

/** How long lists must be for these metrics; 1 where there are none. */
export function longestOf(asked: readonly AskedOfLists[]): number {
  return Math.max(1, ...asked.map(({ cutoff }) => cutoff));
}

/** What is asked of all lists together. */
export function measureAllLists(
  lists: RankedLists,
  itemCount: number,
  asked: readonly AskedOfLists[],
): Readonly<Record<string, Estimate>> {
  const estimates = asked.flatMap((each) => {
    const { metric, cutoff } = each;
    return metric.needs === 'lists'
      ? [[askedName(each), metric.of(lists.items, lists.length, cutoff, itemCount)] as const]
      : [];
  });
  return Object.fromEntries(estimates);
}

/** Metrics of ranked lists against the targets for which `counts` holds. O(users · (length + targets)). */
export function measureLists(
  lists: RankedLists,
  target: Csr,
  asked: readonly AskedOfLists[],
  counts: (item: number) => boolean,
): PerUserMetric[] {
  const users = target.rowCount;
  const results = asked.flatMap((each) => {
    const { metric, cutoff } = each;
    if (metric.needs !== 'ranks') return [];
    const perUser = {
      name: askedName(each),
      finish: plainMean,
      numerator: new Float64Array(users),
      denominator: new Float64Array(users),
    };
    return [{ metric, k: cutoff, perUser }];
  });
  const hits = new Uint8Array(lists.length);
  const isTarget = new Uint8Array(target.columnCount);
  for (let user = 0; user < users; user++) {
    let relevant = 0;
    for (let k = target.offsets[user]; k < target.offsets[user + 1]; k++) {
      const item = target.indices[k];
      if (!counts(item)) continue;
      isTarget[item] = 1;
      relevant++;
    }
    if (relevant === 0) continue;
    for (let p = 0; p < lists.length; p++) {
      const item = lists.items[user * lists.length + p];
      hits[p] = item >= 0 ? isTarget[item] : 0;
    }
    for (const { metric, k, perUser } of results) {
      perUser.numerator[user] = metric.of(hits, relevant, k);
      perUser.denominator[user] = 1;
    }
    for (let k = target.offsets[user]; k < target.offsets[user + 1]; k++) isTarget[target.indices[k]] = 0;
  }
  return results.map(({ perUser }) => perUser);
}
