import { planRun, type SettingValues } from '@hushrec/factorize';
import type { ExperimentContext } from '../experiment.js';
import type { Task } from '../tasks.js';

/** What `hush` takes by itself on a task at one ε, for a population of `people`. */
export function ownSettings(
  { seed }: Pick<ExperimentContext, 'seed'>,
  { split: { train } }: Task,
  epsilon: number,
  people: number,
): SettingValues {
  return planRun({
    method: 'hush',
    settings: {},
    features: [],
    itemCount: train.itemCount,
    scale: train.scale,
    epsilon,
    delta: 1e-5,
    seed,
    declaredPeople: people,
  }).settings;
}
