import type { ItemModel } from '@hushrec/model';
import type { Csr, Engine } from '@hushrec/numerics';
import { likedFrom } from '@hushrec/ratings';
import { longestOf, type MeasuredLists, measureAllLists, measureLists } from './measure-ranking.js';
import type { AskedOfLists } from './metrics/metric.js';
import { ndcg } from './metrics/ndcg.js';
import { recall } from './metrics/recall.js';
import type { EvaluationTask } from './protocols/task.js';
import { rankItems } from './scoring/rank-items.js';

/** What is looked at beside the error of ratings where nobody asks for metrics. */
export const shownOfLiked: readonly AskedOfLists[] = [ndcg, recall].map((metric) => ({ metric, cutoff: 10 }));

/**
 * How well a model that predicts ratings ranks: what each person liked among the held-out ratings, found
 * among all items outside their history. A model can be good at one and poor at the other, so both are shown.
 * People who liked nothing of what was held out do not count.
 */
export async function measureRankOfLiked(
  engine: Engine,
  model: ItemModel,
  { history, target, scale }: EvaluationTask,
  asked: readonly AskedOfLists[],
): Promise<Pick<MeasuredLists, 'overall' | 'ofLists'>> {
  if (asked.length === 0) return { overall: [], ofLists: {} };
  const lists = await rankItems(engine, model, history, longestOf(asked));
  return {
    overall: measureLists(lists, likedAmong(target, likedFrom(scale)), asked, () => true),
    ofLists: measureAllLists(lists, target.columnCount, asked),
  };
}

/** Ratings of at least `from`. O(entries). */
export function likedAmong(target: Csr, from: number): Csr {
  const offsets = new Uint32Array(target.rowCount + 1);
  const kept: number[] = [];
  for (let row = 0; row < target.rowCount; row++) {
    for (let k = target.offsets[row]; k < target.offsets[row + 1]; k++)
      if (target.values[k] >= from) kept.push(k);
    offsets[row + 1] = kept.length;
  }
  return {
    rowCount: target.rowCount,
    columnCount: target.columnCount,
    offsets,
    indices: Uint32Array.from(kept, (k) => target.indices[k]),
    values: Float32Array.from(kept, (k) => target.values[k]),
  };
}
