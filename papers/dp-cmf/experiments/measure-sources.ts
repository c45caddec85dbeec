import { evaluateModel } from '@hushrec/evaluate';
import { planRun } from '@hushrec/factorize';
import type { FeatureSource, Holdout } from '@hushrec/ratings';
import { ahead } from '../../harness/compare-rows.js';
import type { ExperimentContext, Finding } from '../../harness/experiment.js';
import {
  type Contestant,
  type Measured,
  measureTask,
  onValidation,
  papersPeople,
} from '../../harness/measure-task.js';
import type { Task } from '../../harness/tasks.js';

/** Public sources under one name. */
export interface Sources {
  readonly name: string;
  readonly features: readonly FeatureSource[];
}

/** What the suggested α and λ′ were multiplied with: the best on validation. */
export interface SourceRow extends Measured {
  readonly weight: number;
  readonly ridge: number;
}

const weights = ['tokenWeight', 'similarityWeight', 'publicRatingsWeight'];
const ridges = ['tokenRidge', 'similarityRidge', 'publicRatingsRidge'];

/**
 * dp-cmf with these sources at one ε and the noise of ML-10M's population, α and then λ′ chosen on validation
 * ratings as in the paper (which tunes these two and nothing else); RMSE on test, also by quarters of the
 * items. Without sources it is dpals.
 */
export async function measureSources(
  context: ExperimentContext,
  { split, name: task }: { readonly split: Holdout; readonly name: string },
  { name, features }: Sources,
  epsilon: number,
): Promise<SourceRow> {
  const asked: Task = {
    name: task,
    metric: 'rmse',
    declaredPeople: split.train.userCount,
    features,
    split: {
      train: split.train,
      evaluate: (model, options) =>
        evaluateModel(model, split, 'holdout', context.engine, { ...options, slices: 4 }),
    },
  };
  const { itemCount, scale } = split.train;
  const { settings } = planRun({
    method: 'dp-cmf',
    features,
    epsilon,
    delta: 1e-5,
    declaredPeople: papersPeople,
    itemCount,
    scale,
    seed: context.seed,
  });
  const multiplied = (keys: readonly string[], factor: number) =>
    Object.fromEntries(keys.map((key) => [key, Number(settings[key]) * factor]));
  const contestant = (weight: number, ridge: number): Contestant =>
    features.length === 0
      ? { id: 'dpals', name }
      : {
          id: 'dp-cmf',
          name,
          features: true,
          settings: { ...multiplied(weights, weight), ...multiplied(ridges, ridge) },
        };
  let best = { weight: 1, ridge: 1, validation: Infinity };
  const consider = async (weight: number, ridge: number) => {
    const validation = await onValidation(context, asked, contestant(weight, ridge), epsilon, papersPeople);
    if (validation < best.validation) best = { weight, ridge, validation };
  };
  if (features.length > 0) {
    for (const weight of context.quick ? [0.1, 1] : [0.03, 0.1, 0.3, 1, 3]) await consider(weight, 1);
    const { weight } = best;
    for (const ridge of context.quick ? [0.2] : [0.2, 5]) await consider(weight, ridge);
  }
  const { weight, ridge } = best;
  const runs = context.quick ? 2 : 10;
  const [row] = await measureTask(context, asked, contestant(weight, ridge), [epsilon], runs, papersPeople);
  return { ...row, name, weight, ridge };
}

/** The row of some sources at some ε. */
export function sourceRow(rows: readonly SourceRow[], name: string, epsilon: number): SourceRow {
  const row = rows.find((each) => each.name === name && Math.abs(each.epsilon! - epsilon) < 1e-3 * epsilon);
  if (row === undefined) throw new RangeError(`There is no row of ${name} at ε = ${epsilon}.`);
  return row;
}

/** Whether one source is ahead of another, on all items or on the rarest quarter of them. */
export function sourceAhead(
  rows: readonly SourceRow[],
  what: string,
  better: string,
  worse: string,
  epsilon: number,
  on: 'all' | 'rarest' = 'all',
): Finding {
  const [own, other] = [sourceRow(rows, better, epsilon), sourceRow(rows, worse, epsilon)];
  return on === 'all'
    ? ahead(`ε = ${epsilon}: ${what}`, own, other, 'rmse')
    : ahead(`ε = ${epsilon}: ${what}, rarest quarter of items`, own.slices[0], other.slices[0], 'rmse');
}

/** A table of everything. */
export function sourceTable(rows: readonly SourceRow[]) {
  return {
    columns: [
      'source',
      'ε',
      'RMSE',
      'standard error',
      'runs',
      'rarest quarter of items',
      'second',
      'third',
      'most rated quarter',
      'α over the suggested',
      'λ′ over the suggested',
    ],
    rows: rows.map(({ name, epsilon, mean, error, runs, slices, weight, ridge }) => [
      name,
      epsilon,
      mean,
      error,
      runs,
      ...slices.map((slice) => slice.mean),
      weight,
      ridge,
    ]),
  };
}
