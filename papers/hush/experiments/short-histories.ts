import type { ExperimentContext } from '../../harness/experiment.js';
import type { Clustered } from '../../harness/generated-clusters.js';
import type { Shape } from '../../harness/generated-shape.js';
import {
  amazonChoices,
  filmTrustLikes,
  generatedClusters,
  generatedShape,
  generatedVisits,
  ml1mFewLikes,
  type Task,
} from '../../harness/tasks.js';
import { clustersOfChoices } from './other-shapes.js';
import { realTasks } from './real-tasks.js';
import { valuesOfRule } from './values-of-rule.js';

/** Few choices each, among few items and many, flat and steep. */
const shapes: Readonly<Record<string, Shape>> = {
  'six each among 60': { people: 5000, items: 60, each: 6, steepness: 0.5, mean: 0, seed: 911 },
  'four each among 100': { people: 10_000, items: 100, each: 4, steepness: 1, mean: 0, seed: 912 },
  'four each among 100, steep': { people: 10_000, items: 100, each: 4, steepness: 1.5, mean: 0, seed: 913 },
  'ten each among 200': { people: 4000, items: 200, each: 10, steepness: 0.8, mean: 0, seed: 914 },
  'five each among 30': { people: 3000, items: 30, each: 5, steepness: 0.7, mean: 0, seed: 916 },
  'three each among 500': { people: 20_000, items: 500, each: 3, steepness: 0.9, mean: 0, seed: 917 },
  'fifteen each among 2,000, steep': {
    people: 6000,
    items: 2000,
    each: 15,
    steepness: 1.3,
    mean: 0,
    seed: 918,
  },
};
const clusters: Readonly<Record<string, Clustered>> = {
  'clusters of fifteen each': { ...clustersOfChoices['clusters of choices'], seed: 923 },
  'clusters of six each': { ...clustersOfChoices['clusters of few choices each'], seed: 924 },
};

async function tasks(context: ExperimentContext): Promise<Task[]> {
  const real = await realTasks(context, [filmTrustLikes, ml1mFewLikes, amazonChoices]);
  return [
    ...Object.entries(shapes).map(([name, shape]) => generatedShape(name, shape, context)),
    ...Object.entries(clusters).map(([name, recipe]) => generatedClusters(name, recipe, context)),
    ...real,
    generatedVisits(context),
  ];
}

/** How much what was not chosen may weigh where people choose little. */
export const shortHistories = valuesOfRule({
  id: 'hush/short-histories',
  title:
    'How much what was not chosen may weigh where people choose little: values of that rule on validation',
  minutes: 20,
  quickMinutes: 7,
  rule: 'mostUnchosen',
  others: [1, 0.005, 0.02, 0.04], // 1 is more than it ever weighs
  epsilons: [1, 2, 5, 20],
  tasks,
});
