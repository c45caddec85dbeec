import type { ExperimentContext } from '../../harness/experiment.js';
import type { Clustered } from '../../harness/generated-clusters.js';
import type { Shape } from '../../harness/generated-shape.js';
import { generatedClusters, generatedShape, ml1mLikes, type Task } from '../../harness/tasks.js';
import { valuesOfRule } from './values-of-rule.js';

/** Histories that are long for the catalogue. */
const shapes: Readonly<Record<string, Shape>> = {
  '57 each among 827': { people: 14_035, items: 827, each: 57, steepness: 1.03, mean: 0, seed: 6107 },
  '55 each among 271': { people: 5458, items: 271, each: 55, steepness: 1.01, mean: 0, seed: 6100 },
  '44 each among 682': { people: 15_551, items: 682, each: 44, steepness: 1.07, mean: 0, seed: 6114 },
  '60 each among 300': { people: 1500, items: 300, each: 60, steepness: 0.8, mean: 0, seed: 915 },
  '25 each among 200': { people: 20_000, items: 200, each: 25, steepness: 0.8, mean: 0, seed: 914 },
};
const clusters: Readonly<Record<string, Clustered>> = {
  '15 clusters, 40 each among 400': {
    people: 6000,
    items: 400,
    each: 40,
    clusters: 15,
    steepness: 0.6,
    loyalty: 0.7,
    mean: 0,
    seed: 88,
  },
};

async function tasks(context: ExperimentContext): Promise<Task[]> {
  return [
    ...Object.entries(shapes).map(([name, shape]) => generatedShape(name, shape, context)),
    ...Object.entries(clusters).map(([name, recipe]) => generatedClusters(name, recipe, context)),
    ...(context.data === undefined ? [] : [await ml1mLikes(context)]),
  ];
}

/** How much more ridge devices add where histories are long for the catalogue. */
export const longHistories = valuesOfRule({
  id: 'hush/long-histories',
  title:
    'How far tastes are doubted where histories are long for the catalogue: values of that rule on validation',
  minutes: 30,
  quickMinutes: 8,
  rule: 'certainDirections',
  others: [64, 8, 32], // there are never more than 64
  epsilons: [1, 5, 20],
  tasks,
});
