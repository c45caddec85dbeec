import type { ItemModel } from '@hushrec/model';
import type { Engine } from '@hushrec/numerics';
import type { KFold, RatingMatrix } from '@hushrec/ratings';
import { type EvaluateOptions, type Evaluation, measure, summarise } from '../evaluate-model.js';
import { askedName } from '../metrics/metric.js';
import { metricValue, type PerUserMetric } from '../metrics/per-user.js';
import { MetricError } from '../read-metrics.js';
import type { EvaluationTask } from './task.js';

export interface Fold {
  readonly train: RatingMatrix;
  readonly test: RatingMatrix;
}

export interface CrossValidation extends Evaluation {
  /** Value of each metric in each fold. */
  readonly folds: readonly Readonly<Record<string, number>>[];
}

/**
 * k-fold cross validation over ratings (Friedman et al. 2016): a model per fold, people re-solved from the
 * fold's train. The overall metrics pool all folds person by person, so the interval is still over people;
 * values of single folds are given beside. Slices are those of the first fold's training counts.
 */
export async function crossValidate(
  folds: Iterable<Fold> | KFold,
  train: (ratings: RatingMatrix, fold: number) => Promise<ItemModel>,
  engine: Engine,
  options: EvaluateOptions = {},
): Promise<CrossValidation> {
  const together = options.metrics?.find(({ metric }) => metric.needs === 'lists');
  if (together !== undefined)
    throw new MetricError(
      `${askedName(together)} is of one set of lists, and every fold has its own: leave it out of k-fold.`,
    );
  let pooled: { overall: PerUserMetric[]; slices: PerUserMetric[][] } | undefined;
  let firstTask: EvaluationTask | undefined;
  const values: Record<string, number>[] = [];
  for (const fold of 'fold' in folds ? foldsOf(folds) : folds) {
    const model = await train(fold.train, values.length);
    const task: EvaluationTask = {
      history: fold.train.byUser,
      target: fold.test.byUser,
      scale: fold.train.scale,
      trainedOn: firstTask?.trainedOn ?? fold.train,
    };
    firstTask ??= task;
    const measured = await measure(engine, model, task, 'k-fold', options);
    values.push(Object.fromEntries(measured.overall.map((metric) => [metric.name, metricValue(metric)])));
    if (pooled === undefined) {
      pooled = { overall: [...measured.overall], slices: measured.slices.map((each) => [...each]) };
    } else {
      addTo(pooled.overall, measured.overall);
      for (let s = 0; s < pooled.slices.length; s++) addTo(pooled.slices[s], measured.slices[s]);
    }
  }
  if (pooled === undefined || firstTask === undefined)
    throw new RangeError('There are no folds to validate on.');
  return { protocol: 'k-fold', ...summarise(pooled, firstTask, options), folds: values };
}

function* foldsOf(split: KFold): Iterable<Fold> {
  for (let index = 0; index < split.folds; index++) yield split.fold(index);
}

function addTo(totals: readonly PerUserMetric[], more: readonly PerUserMetric[]): void {
  totals.forEach((total, m) => {
    const { numerator, denominator } = more[m];
    for (let i = 0; i < numerator.length; i++) {
      total.numerator[i] += numerator[i];
      total.denominator[i] += denominator[i];
    }
  });
}
