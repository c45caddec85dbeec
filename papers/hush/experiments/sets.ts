import type { ExperimentContext } from '../../harness/experiment.js';
import type { Shape } from '../../harness/generated-shape.js';
import { papersPeople } from '../../harness/measure-task.js';
import {
  amazonRatings,
  filmTrustRatings,
  generatedShape,
  gowallaVisits,
  lastFmChoices,
  ml1mRatings,
  ml100kRatings,
  type Task,
} from '../../harness/tasks.js';

/** One data set of the comparison, and the population whose noise it gets where that is not its own. */
export interface ComparedSet {
  readonly name: string;
  /** Below the data folder; absent for generated ones. */
  readonly needs?: string;
  readonly asIfPeople?: number;
  load(context: ExperimentContext): Promise<Task>;
}

const stars = { min: 1, max: 5, step: 1 } as const;

/**
 * Five generated sets that differ in everything a rule could follow: people, items, ratings a person,
 * steepness of popularity, mean and scale. Fixed before anything was measured on them; they are for judging,
 * never for choosing.
 */
const judgedShapes: Readonly<Record<string, Shape>> = {
  'many items, few people': {
    people: 1500,
    items: 6000,
    each: 22,
    steepness: 1,
    mean: 0.8,
    scale: stars,
    seed: 9101,
  },
  'few items, wide scale': {
    people: 8000,
    items: 120,
    each: 25,
    steepness: 0,
    mean: 0.5,
    scale: { min: -10, max: 10, step: 0.25 },
    seed: 9102,
  },
  'many people, short histories': {
    people: 40_000,
    items: 1500,
    each: 12,
    steepness: 0.8,
    mean: 0.68,
    scale: { min: 0.5, max: 5, step: 0.5 },
    seed: 9103,
  },
  'choices among 900': { people: 4000, items: 900, each: 30, steepness: 0.7, mean: 0, seed: 9104 },
  'choices among 15,000': { people: 30_000, items: 15_000, each: 14, steepness: 1.1, mean: 0, seed: 9105 },
};

/** Generated sets on which rules were made: other shapes and seeds than those for judging. */
export const learnedShapes: Readonly<Record<string, Shape>> = {
  'few people': {
    people: 600,
    items: 1500,
    each: 40,
    steepness: 0.9,
    mean: 0.6,
    scale: stars,
    seed: 51,
  },
  'high mean': {
    people: 5000,
    items: 4000,
    each: 8,
    steepness: 1,
    mean: 0.85,
    scale: stars,
    seed: 52,
  },
  'few items': {
    people: 10_000,
    items: 300,
    each: 20,
    steepness: 0.5,
    mean: 0.5,
    scale: { min: 0, max: 100, step: 1 },
    seed: 53,
  },
  'long histories': {
    people: 2500,
    items: 800,
    each: 80,
    steepness: 0.6,
    mean: 0.65,
    scale: { min: 0.5, max: 5, step: 0.5 },
    seed: 54,
  },
  'choices among 2,500': { people: 3000, items: 2500, each: 25, steepness: 0.9, mean: 0, seed: 61 },
  'choices among 600': { people: 12_000, items: 600, each: 10, steepness: 0.5, mean: 0, seed: 62 },
  'choices among 8,000': { people: 6000, items: 8000, each: 40, steepness: 1.1, mean: 0, seed: 63 },
};

/** i in base b, its digits behind the point in reverse order: a low-discrepancy sequence (Halton 1960). */
function halton(i: number, base: number): number {
  let [value, part] = [0, 1];
  for (let rest = i; rest > 0; rest = Math.floor(rest / base)) {
    part /= base;
    value += part * (rest % base);
  }
  return value;
}

/**
 * Generated sets of ratings that span people (300 to 100,000), items (100 to 50,000), ratings a person (3 to
 * 300), popularity (flat to steep) and mean, evenly in logarithms: the first `count` points of a
 * low-discrepancy sequence with 3,000 to 500,000 ratings in all, at most a third of the items a person. Rules
 * were made on the first sixteen.
 */
function familyShapes(count: number): Shape[] {
  const between = (least: number, most: number, part: number) => Math.round(least * (most / least) ** part);
  const shapes: Shape[] = [];
  for (let i = 1; shapes.length < count; i++) {
    const people = between(300, 100_000, halton(i, 2));
    const items = between(100, 50_000, halton(i, 3));
    const each = between(3, 300, halton(i, 5));
    if (each > items / 3 || people * each > 500_000 || people * each < 3000) continue;
    const [steepness, mean] = [1.2 * halton(i, 7), 0.3 + 0.6 * halton(i, 11)];
    shapes.push({
      people,
      items,
      each,
      steepness: Math.round(100 * steepness) / 100,
      mean: Math.round(100 * mean) / 100,
      scale: stars,
      seed: 700 + i,
    });
  }
  return shapes;
}

/** The same as data sets of ratings, or of choices. */
export function familyTasks(context: ExperimentContext, count: number, choices: boolean): Task[] {
  return familyShapes(count).map(({ scale, ...shape }) =>
    generatedShape(
      `${shape.people} × ${shape.items}, ${shape.each} each, steepness ${shape.steepness}, mean ${shape.mean}`,
      choices ? { ...shape, mean: 0 } : { ...shape, ...(scale && { scale }) },
      context,
    ),
  );
}

/** Where `hush` is compared with everything else: six real sets, one of them twice, and the five shapes. */
export const comparedSets: readonly ComparedSet[] = [
  { name: 'ML-100K', needs: 'ml-100k', load: ml100kRatings },
  { name: 'ML-1M', needs: 'ml-1m', load: ml1mRatings },
  {
    name: `ML-1M as if ${papersPeople} people`,
    needs: 'ml-1m',
    asIfPeople: papersPeople,
    load: ml1mRatings,
  },
  { name: 'Amazon Instant Video', needs: 'amazon-instant-video', load: amazonRatings },
  { name: 'FilmTrust', needs: 'filmtrust', load: filmTrustRatings },
  { name: 'Last.fm', needs: 'hetrec2011-lastfm-2k', load: lastFmChoices },
  { name: 'Gowalla', needs: 'gowalla', load: gowallaVisits },
  ...Object.entries(judgedShapes).map(([name, shape]) => ({
    name,
    load: async (context: ExperimentContext) => generatedShape(name, shape, context),
  })),
];

/** At which ε (δ = 10⁻⁵). */
export const comparedEpsilons = [0.5, 1, 5, 20] as const;
