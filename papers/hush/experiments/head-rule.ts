import type { ExperimentContext } from '../../harness/experiment.js';
import type { Shape } from '../../harness/generated-shape.js';
import {
  generatedShape,
  generatedVisits,
  lastFmChoices,
  ml1mFewLikes,
  type Task,
} from '../../harness/tasks.js';
import { likesOfFew, realTasks } from './real-tasks.js';
import { valuesOfRule } from './values-of-rule.js';

/** Choices whose head is faint at these ε: many items, few people for them, flat popularity. */
const shapes: Readonly<Record<string, Shape>> = {
  '8,000 people among 40,000': {
    people: 8000,
    items: 40_000,
    each: 20,
    steepness: 1,
    mean: 0,
    seed: 701,
  },
  '30,000 people among 40,000': {
    people: 30_000,
    items: 40_000,
    each: 25,
    steepness: 1,
    mean: 0,
    seed: 705,
  },
  '2,000 people among 10,000': {
    people: 2000,
    items: 10_000,
    each: 60,
    steepness: 0.9,
    mean: 0,
    seed: 706,
  },
  'few people who choose much': {
    people: 800,
    items: 1500,
    each: 150,
    steepness: 0.8,
    mean: 0,
    seed: 714,
  },
};

async function tasks(context: ExperimentContext): Promise<Task[]> {
  const generated = Object.entries(shapes).map(([name, shape]) => generatedShape(name, shape, context));
  const real = await realTasks(context, [lastFmChoices, ml1mFewLikes, likesOfFew]);
  return [generatedVisits(context), ...real, ...generated];
}

/** How far the twenty most chosen items should stand out from the noise before counts get no more budget. */
export const headRule = valuesOfRule({
  id: 'hush/head-rule',
  title:
    'How plain the most chosen items must be before choices get vectors: values of that rule on validation',
  minutes: 5,
  quickMinutes: 2,
  rule: 'plainHead',
  others: [0, 1.5, 4],
  epsilons: [0.5, 1, 2],
  tasks,
});
