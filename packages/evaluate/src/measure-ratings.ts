import { type ItemModel, labelOf, type ModelLoss, predictionAt } from '@hushrec/model';
import type { Engine } from '@hushrec/numerics';
import type { PopularityBuckets } from '@hushrec/ratings';
import type { PerUserMetric } from './metrics/per-user.js';
import type { HeldOut, Predicted, RatingMetric } from './metrics/rating-metric.js';
import type { EvaluationTask } from './protocols/task.js';
import { scorePairs } from './scoring/score-pairs.js';

/** What a model predicts where it predicts ratings. */
export function predictedBy(model: ItemModel): Predicted {
  switch (model.kind === 'factors' ? model.loss?.kind : undefined) {
    case 'poisson':
      return 'counts';
    case 'logistic':
      return 'chances';
    default:
      return 'ratings';
  }
}

/** Metrics per user over everything, and over the targets of each popularity slice. */
export interface Measured {
  readonly overall: readonly PerUserMetric[];
  readonly slices: readonly (readonly PerUserMetric[])[];
}

/**
 * Prediction of held-out ratings, clamped to the declared scale where they are ratings or counts. O(pairs)
 * per slice and metric, as far as the metric allows.
 */
export async function measureRatings(
  engine: Engine,
  model: ItemModel,
  task: EvaluationTask,
  slices: PopularityBuckets,
  metrics: readonly RatingMetric[],
): Promise<Measured> {
  const { history, target } = task;
  const loss = model.kind === 'factors' ? model.loss : undefined;
  const scores = await scorePairs(engine, model, history, target);
  const empty = () => metrics.map((metric) => emptyMetric(metric, target.rowCount));
  const overall = empty();
  const sliced = Array.from({ length: slices.count }, empty);
  for (let user = 0; user < target.rowCount; user++) {
    const places = Array.from(
      { length: target.offsets[user + 1] - target.offsets[user] },
      (_, at) => target.offsets[user] + at,
    );
    if (places.length === 0) continue;
    put(overall, user, metrics, heldOut(places, scores, task, loss));
    for (let slice = 0; slice < slices.count; slice++) {
      const own = places.filter((k) => slices.bucketOf[target.indices[k]] === slice);
      if (own.length > 0) put(sliced[slice], user, metrics, heldOut(own, scores, task, loss));
    }
  }
  return { overall, slices: sliced };
}

/** The pairs at `places` of the targets, as a metric sees them. */
function heldOut(
  places: readonly number[],
  scores: Float32Array,
  { target, scale }: EvaluationTask,
  loss: ModelLoss | undefined,
): HeldOut {
  const isChance = loss?.kind === 'logistic';
  const predicted = (score: number) => {
    const prediction = predictionAt(loss, score);
    return isChance ? prediction : Math.min(scale.max, Math.max(scale.min, prediction));
  };
  return {
    labels: Float64Array.from(places, (k) => (isChance ? labelOf(loss, target.values[k]) : target.values[k])),
    predictions: Float64Array.from(places, (k) => predicted(scores[k])),
    scores: Float64Array.from(places, (k) => scores[k]),
  };
}

function emptyMetric({ name, finish }: RatingMetric, users: number): PerUserMetric {
  return { name, finish, numerator: new Float64Array(users), denominator: new Float64Array(users) };
}

function put(
  into: readonly PerUserMetric[],
  user: number,
  metrics: readonly RatingMetric[],
  pairs: HeldOut,
): void {
  metrics.forEach((metric, m) => {
    const { numerator, denominator } = metric.of(pairs);
    into[m].numerator[user] = numerator;
    into[m].denominator[user] = denominator;
  });
}
