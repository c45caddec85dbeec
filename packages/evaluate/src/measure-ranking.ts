import type { ItemModel } from '@hushrec/model';
import type { Csr, Engine } from '@hushrec/numerics';
import type { PopularityBuckets } from '@hushrec/ratings';
import type { Estimate } from './intervals/bootstrap.js';
import type { Measured } from './measure-ratings.js';
import { averagePrecision } from './metrics/average-precision.js';
import { coverage } from './metrics/coverage.js';
import { hitRate } from './metrics/hit-rate.js';
import { ndcg } from './metrics/ndcg.js';
import { type PerUserMetric, plainMean } from './metrics/per-user.js';
import { precision } from './metrics/precision.js';
import type { RankingMetric } from './metrics/ranking-metric.js';
import { fullRecall, recall } from './metrics/recall.js';
import { reciprocalRank } from './metrics/reciprocal-rank.js';
import type { EvaluationTask } from './protocols/task.js';
import { rankCandidates } from './scoring/rank-candidates.js';
import { type RankedLists, rankItems } from './scoring/rank-items.js';

/** Names of the metrics that `measureRanking` gives. */
export function rankingMetricNames(cutoffs: readonly number[]): string[] {
  return [...metrics.map(({ name }) => name), 'coverage'].flatMap((name) =>
    cutoffs.map((k) => `${name}@${k}`),
  );
}

const metrics = [recall, fullRecall, precision, hitRate, ndcg, averagePrecision, reciprocalRank];
/** Per slice only what stays meaningful when the rest of a person's targets is ignored. */
const sliceMetrics = [recall];

/**
 * Ranking: every metric at every cutoff, and the coverage of the lists. People without targets do not count.
 */
export async function measureRanking(
  engine: Engine,
  model: ItemModel,
  task: EvaluationTask,
  slices: PopularityBuckets,
  cutoffs: readonly number[],
): Promise<Measured & { readonly coverage: Readonly<Record<string, Estimate>> }> {
  const { history, target, candidates } = task;
  const length = Math.max(...cutoffs);
  const lists =
    candidates === undefined
      ? await rankItems(engine, model, history, length)
      : await rankCandidates(engine, model, history, candidates, length);
  const covered = cutoffs.map(
    (k) => [`coverage@${k}`, coverage(lists.items, length, k, target.columnCount)] as const,
  );
  return {
    overall: measureLists(lists, target, cutoffs, metrics, () => true),
    slices: Array.from({ length: slices.count }, (_, slice) =>
      measureLists(lists, target, cutoffs, sliceMetrics, (item) => slices.bucketOf[item] === slice),
    ),
    coverage: Object.fromEntries(covered),
  };
}

/** Metrics of ranked lists against the targets for which `counts` holds. O(users · (length + targets)). */
export function measureLists(
  lists: RankedLists,
  target: Csr,
  cutoffs: readonly number[],
  wanted: readonly RankingMetric[],
  counts: (item: number) => boolean,
): PerUserMetric[] {
  const users = target.rowCount;
  const results = wanted.flatMap((metric) =>
    cutoffs.map((k) => ({
      metric,
      k,
      perUser: {
        name: `${metric.name}@${k}`,
        finish: plainMean,
        numerator: new Float64Array(users),
        denominator: new Float64Array(users),
      },
    })),
  );
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
