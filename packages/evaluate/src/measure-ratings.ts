import type { ItemModel } from '@hushrec/model';
import type { Engine } from '@hushrec/numerics';
import type { PopularityBuckets } from '@hushrec/ratings';
import { mae } from './metrics/mae.js';
import type { PerUserMetric } from './metrics/per-user.js';
import { rmse } from './metrics/rmse.js';
import type { EvaluationTask } from './protocols/task.js';
import { scorePairs } from './scoring/score-pairs.js';

const metrics = [rmse, mae];
/** Names of the metrics that `measureRatings` gives. */
export const ratingMetricNames: readonly string[] = metrics.map(({ name }) => name);

/** Metrics per user over everything, and over the targets of each popularity slice. */
export interface Measured {
  readonly overall: readonly PerUserMetric[];
  readonly slices: readonly (readonly PerUserMetric[])[];
}

/** Rating prediction: RMSE and MAE of predictions clamped to the declared scale. */
export async function measureRatings(
  engine: Engine,
  model: ItemModel,
  task: EvaluationTask,
  slices: PopularityBuckets,
): Promise<Measured> {
  const { history, target, scale } = task;
  const predictions = await scorePairs(engine, model, history, target);
  const overall = metrics.map((metric) => emptyMetric(metric, target.rowCount));
  const sliced = Array.from({ length: slices.count }, () =>
    metrics.map((metric) => emptyMetric(metric, target.rowCount)),
  );
  for (let user = 0; user < target.rowCount; user++) {
    for (let k = target.offsets[user]; k < target.offsets[user + 1]; k++) {
      const error = Math.min(scale.max, Math.max(scale.min, predictions[k])) - target.values[k];
      const slice = sliced[slices.bucketOf[target.indices[k]]];
      for (let m = 0; m < metrics.length; m++) {
        const loss = metrics[m].loss(error);
        add(overall[m], user, loss);
        add(slice[m], user, loss);
      }
    }
  }
  return { overall, slices: sliced };
}

function emptyMetric(
  { name, finish }: { name: string; finish: (mean: number) => number },
  users: number,
): PerUserMetric {
  return { name, finish, numerator: new Float64Array(users), denominator: new Float64Array(users) };
}

function add(metric: PerUserMetric, user: number, loss: number): void {
  metric.numerator[user] += loss;
  metric.denominator[user] += 1;
}
