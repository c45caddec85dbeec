import type { ExperimentContext } from '../../harness/experiment.js';
import type { Clustered } from '../../harness/generated-clusters.js';
import type { Shape } from '../../harness/generated-shape.js';
import {
  amazonChoices,
  generatedClusters,
  generatedShape,
  generatedVisits,
  gowallaVisits,
  ml1mLikes,
  type Task,
} from '../../harness/tasks.js';
import { realTasks } from './real-tasks.js';
import { valuesOfRule } from './values-of-rule.js';

/** People who keep to one of many kinds of items, which takes as many directions to tell. */
const clusters: Readonly<Record<string, Clustered>> = {
  '30 clusters among 800': {
    people: 20_000,
    items: 800,
    each: 15,
    clusters: 30,
    steepness: 0.7,
    loyalty: 0.7,
    mean: 0,
    seed: 87,
  },
  '50 clusters among 2,000': {
    people: 10_000,
    items: 2000,
    each: 30,
    clusters: 50,
    steepness: 0.7,
    loyalty: 0.6,
    mean: 0,
    seed: 85,
  },
  '40 clusters among 15,000': {
    people: 12_000,
    items: 15_000,
    each: 20,
    clusters: 40,
    steepness: 0.8,
    loyalty: 0.7,
    mean: 0,
    seed: 81,
  },
};
/** Tastes that need few. */
const plain: Readonly<Record<string, Shape>> = {
  'few tastes among 100': { people: 20_000, items: 100, each: 12, steepness: 0.8, mean: 0, seed: 913 },
  'few tastes among 12,000': { people: 15_000, items: 12_000, each: 20, steepness: 0.8, mean: 0, seed: 73 },
};

async function tasks(context: ExperimentContext): Promise<Task[]> {
  return [
    ...(await realTasks(context, [ml1mLikes, amazonChoices, gowallaVisits])),
    generatedVisits(context),
    ...Object.entries(clusters).map(([name, recipe]) => generatedClusters(name, recipe, context)),
    ...Object.entries(plain).map(([name, shape]) => generatedShape(name, shape, context)),
  ];
}

/** How many directions choices can carry, by how much is told. */
export const directions = valuesOfRule({
  id: 'hush/directions',
  title: 'How many directions choices can carry: values of that rule on validation',
  minutes: 60,
  quickMinutes: 20,
  rule: 'strengthPerDirection',
  others: [1_000_000, 50, 200], // a million leaves the sixteen that are always tried
  epsilons: [2, 5, 20],
  tasks,
});
