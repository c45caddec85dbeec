import type { ExperimentContext } from '../../harness/experiment.js';
import type { Clustered } from '../../harness/generated-clusters.js';
import type { Shape } from '../../harness/generated-shape.js';
import { generatedClusters, generatedShape, type Task } from '../../harness/tasks.js';
import { untuned } from './untuned.js';

const stars = { min: 1, max: 5, step: 1 } as const;
const halfStars = { min: 0.5, max: 5, step: 0.5 } as const;
const ten = { min: 1, max: 10, step: 1 } as const;

/** Shapes at the edges of what people bring. Rules were looked at on others like them, with other seeds. */
const shapes: Readonly<Record<string, Shape>> = {
  'a hundred items, −10 to 10': {
    people: 3000,
    items: 100,
    each: 45,
    steepness: 0.2,
    mean: 0.52,
    scale: { min: -10, max: 10, step: 0.25 },
    seed: 9201,
  },
  '1 to 10, high mean': {
    people: 3000,
    items: 5000,
    each: 40,
    steepness: 1,
    mean: 0.76,
    scale: ten,
    seed: 9202,
  },
  'three ratings each': {
    people: 20_000,
    items: 500,
    each: 3,
    steepness: 0.7,
    mean: 0.7,
    scale: stars,
    seed: 9203,
  },
  'flat popularity': {
    people: 4000,
    items: 1000,
    each: 30,
    steepness: 0,
    mean: 0.6,
    scale: stars,
    seed: 9204,
  },
  'few people who rate much, half stars': {
    people: 600,
    items: 7000,
    each: 150,
    steepness: 1.1,
    mean: 0.67,
    scale: halfStars,
    seed: 9205,
  },
  'thumbs up or down': {
    people: 5000,
    items: 800,
    each: 20,
    steepness: 0.8,
    mean: 0.6,
    scale: { min: 0, max: 1, step: 1 },
    seed: 9206,
  },
  'choices among 60': { people: 5000, items: 60, each: 6, steepness: 0.5, mean: 0, seed: 9211 },
  'three choices each': { people: 20_000, items: 1000, each: 3, steepness: 0.8, mean: 0, seed: 9212 },
  'choices, flat': { people: 3000, items: 500, each: 20, steepness: 0, mean: 0, seed: 9213 },
  'few people who choose much': { people: 800, items: 1500, each: 150, steepness: 0.8, mean: 0, seed: 9214 },
  'four choices each among 100, steep': {
    people: 8000,
    items: 100,
    each: 4,
    steepness: 1.3,
    mean: 0,
    seed: 9216,
  },
  'choices among 40,000': { people: 8000, items: 40_000, each: 20, steepness: 1, mean: 0, seed: 9215 },
};
/** Those of choices; `hush/short-histories` has the same with other seeds. */
export const clustersOfChoices = {
  'clusters of choices': {
    people: 3000,
    items: 2000,
    each: 15,
    clusters: 20,
    steepness: 0.8,
    loyalty: 0.7,
    mean: 0,
    seed: 9223,
  },
  'clusters of few choices each': {
    people: 15_000,
    items: 800,
    each: 6,
    clusters: 30,
    steepness: 0.7,
    loyalty: 0.7,
    mean: 0,
    seed: 9224,
  },
} as const satisfies Readonly<Record<string, Clustered>>;
const clusters: Readonly<Record<string, Clustered>> = {
  'clusters, 1 to 10': {
    people: 4000,
    items: 2000,
    each: 25,
    clusters: 25,
    steepness: 0.8,
    loyalty: 0.5,
    mean: 0.7,
    scale: ten,
    seed: 9221,
  },
  'clusters, half stars': {
    people: 1500,
    items: 600,
    each: 60,
    clusters: 12,
    steepness: 0.6,
    loyalty: 0.4,
    mean: 0.6,
    scale: halfStars,
    seed: 9222,
  },
  ...clustersOfChoices,
};
/** `hush` on its defaults where nobody tuned it. */
export const otherShapes = untuned({
  id: 'hush/other-shapes',
  title: 'hush untuned on generated sets at the edges: few items, many, three ratings each, other scales',
  needs: [],
  minutes: 30,
  quickMinutes: 12,
  tasks: async (context) => tasks(context),
});

function tasks(context: ExperimentContext): Task[] {
  return [
    ...Object.entries(shapes).map(([name, shape]) => generatedShape(name, shape, context)),
    ...Object.entries(clusters).map(([name, recipe]) => generatedClusters(name, recipe, context)),
  ];
}
