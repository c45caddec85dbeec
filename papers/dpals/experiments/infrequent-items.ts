import { evaluateModel, mergeRows } from '@hushrec/evaluate';
import type { ItemModel } from '@hushrec/model';
import { type Holdout, selectRatings, splitHoldout } from '@hushrec/ratings';
import type { Experiment, ExperimentContext } from '../../harness/experiment.js';
import { frontierSections } from '../../harness/frontier-table.js';
import { measureAll, papersPeople, simulations } from '../../harness/measure-task.js';
import { loadRealData } from '../../harness/real-data.js';
import type { Task } from '../../harness/tasks.js';
import { aheadAt } from './on-ml-1m.js';

/**
 * As the paper trains: no personal intercept, so that an item without a vector would be predicted by the
 * offset.
 */
const printed = { contributionLimit: 50, intercept: false };
const fractions = [0.2, 0.5, 1];
const epsilons = [1, 10];

/**
 * Chien et al. 2021, §5.1 and Figure 5: vectors for frequent films only; the others are predicted by a
 * person's own average.
 */
export const infrequentItems: Experiment = {
  id: 'dpals/infrequent',
  title: 'Infrequent films predicted by each person’s own average',
  paper: 'Chien et al. 2021, §5.1 and Figure 5',
  needs: ['ml-1m'],
  minutes: 3,
  quickMinutes: 0.5,
  async run(context) {
    const split = splitHoldout(await loadRealData(context, 'ml-1m'), { seed: context.seed });
    const task: Task = {
      name: 'ML-1M, infrequent films by own average',
      metric: 'rmse',
      declaredPeople: 6000,
      features: [],
      split: {
        train: split.train,
        evaluate: (model, options) => averageForRest(context, model, split, options),
      },
    };
    const rows = await measureAll(
      context,
      task,
      ['uniform', 'tail'].flatMap((contribution) =>
        fractions.map((itemFraction) => ({
          id: 'dpals',
          name: nameOf(contribution, itemFraction),
          settings: { ...printed, contribution, itemFraction },
        })),
      ),
      epsilons,
      context.quick ? 2 : 10,
      papersPeople,
    );
    return {
      findings: epsilons.flatMap((epsilon) =>
        ['uniform', 'tail'].flatMap((contribution) =>
          fractions
            .slice(0, 2)
            .map((fraction) =>
              aheadAt(
                rows,
                `${contribution} sampling: vectors for ${100 * fraction} % of the films beat vectors for all`,
                nameOf(contribution, fraction),
                nameOf(contribution, 1),
                epsilon,
              ),
            ),
        ),
      ),
      guarantee: simulations,
      sections: frontierSections('Infrequent films by own average', 'rmse', rows),
    };
  },
};

const nameOf = (contribution: string, fraction: number) => `${contribution}, ${100 * fraction} % of films`;

/** RMSE where films whose vector is 0 are predicted by the mean of the person's own ratings, as it is. */
async function averageForRest(
  { engine }: ExperimentContext,
  model: ItemModel,
  split: Holdout,
  options: Parameters<Task['split']['evaluate']>[1],
) {
  if (model.kind !== 'factors') throw new TypeError(`Films have vectors here; the model is ${model.kind}.`);
  const { itemFactors, rank } = model;
  const hasVector = Uint8Array.from({ length: split.train.itemCount }, (_, item) =>
    itemFactors.subarray(item * rank, (item + 1) * rank).some((value) => value !== 0) ? 1 : 0,
  );
  const stage = options.stage ?? 'test';
  const target = split[stage];
  const labels = target.byUser.indices.map((item) => hasVector[item]);
  const frequent = { ...split, [stage]: selectRatings(target, labels, 1) };
  const own = await evaluateModel(model, frequent, 'holdout', engine, options);
  const history =
    stage === 'test' ? mergeRows(split.train.byUser, split.validation.byUser) : split.train.byUser;
  const rest = selectRatings(target, labels, 0).byUser;
  let squares = own.metrics['rmse'].value ** 2 * (labels.length - rest.values.length);
  for (let user = 0; user < rest.rowCount; user++) {
    const mine = history.values.subarray(history.offsets[user], history.offsets[user + 1]);
    const mean = mine.length === 0 ? model.offset : mine.reduce((sum, value) => sum + value, 0) / mine.length;
    for (let at = rest.offsets[user]; at < rest.offsets[user + 1]; at++)
      squares += (rest.values[at] - mean) ** 2;
  }
  const value = Math.sqrt(squares / labels.length);
  return { ...own, metrics: { rmse: { ...own.metrics['rmse'], value } }, slices: [] };
}
