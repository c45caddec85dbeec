import { evaluateModel } from '@hushrec/evaluate';
import { planRun, trainModel } from '@hushrec/factorize';
import { gaussianEpsilon, muFor } from '@hushrec/privacy';
import type { FeatureSource } from '@hushrec/ratings';
import type { Experiment, ExperimentContext, Finding } from '../experiment.js';
import { papersPeople, simulations } from '../measure-task.js';
import { loadRealData } from '../real-data.js';
import { movieFeatures } from './movie-features.js';
import { type PublicAndPrivate, publicRatings, publicSimilarity, setPeopleApart } from './public-people.js';

const delta = 1e-5;
const publicCount = 2000;
const without = 'no public source';
const facts = 'film facts';
const everything = 'all sources';

interface Sources {
  readonly name: string;
  readonly features: readonly FeatureSource[];
}

interface Row {
  readonly name: string;
  readonly epsilon: number;
  readonly rmse: number;
  /** Test RMSE of four groups of equally many items, rarest first. */
  readonly slices: readonly number[];
  /** What the suggested weight α was multiplied with: the best on validation. */
  readonly weight: number;
}

/** Curmei et al. 2023, Figures 1, 3, 4 and 5: what each public source is worth, alone, together, and by number of public people. */
export const featureSources: Experiment = {
  id: 'dp-cmf/sources',
  title: 'What public knowledge about items is worth',
  paper: 'Curmei et al. 2023, Figures 1, 3, 4, 5',
  needs: ['ml-1m', 'movie-features'],
  minutes: 3,
  async run(context) {
    const { ratings, itemIds } = await loadRealData(context, 'ml-1m');
    const people = setPeopleApart(ratings, publicCount, context.seed);
    const films = await movieFeatures(context, itemIds);
    const sizes = context.quick ? [200, publicCount] : [50, 200, 500, 1000, publicCount];
    const sources = await sourcesOf(context, people, films, sizes);
    const epsilons = context.quick ? [1] : [1, 5, 20];
    const rows: Row[] = [];
    for (const epsilon of epsilons) {
      for (const source of sources) {
        context.progress(`${source.name}, ε = ${epsilon}`, rows.length, epsilons.length * sources.length);
        rows.push(await bestWeight(context, people, source, epsilon));
      }
    }
    const als = await withoutPrivacy(context, people);
    return {
      findings: epsilons.flatMap((epsilon) => findings(rows, epsilon, als)),
      guarantee: `${publicCount} people are taken as public and are promised nothing; the others are protected. ${simulations}`,
      sections: [
        {
          heading: 'One by one and together',
          chart: {
            kind: 'bars',
            title: 'RMSE by public source',
            y: { label: 'RMSE on held-out ratings (lower is better)' },
            categoryLabel: 'public source',
            categories: sources.map(({ name }) => name),
            series: epsilons.map((epsilon) => ({
              name: `ε = ${epsilon}`,
              values: sources.map(({ name }) => at(rows, name, epsilon).rmse),
            })),
          },
          table: {
            columns: [
              { label: 'source' },
              { label: 'ε' },
              { label: 'RMSE' },
              { label: 'rarest quarter of items' },
              { label: 'second' },
              { label: 'third' },
              { label: 'most rated quarter' },
              { label: 'α over the suggested' },
            ],
            rows: rows.map((row) => [row.name, row.epsilon, row.rmse, ...row.slices, row.weight]),
          },
        },
        {
          heading: 'By number of public people',
          chart: {
            kind: 'line',
            title: 'RMSE by number of public people',
            x: { label: 'public people', scale: 'log' },
            y: { label: 'RMSE on held-out ratings (lower is better)' },
            series: epsilons.map((epsilon) => ({
              name: `ε = ${epsilon}`,
              points: sizes.map((size) => ({ x: size, y: at(rows, `${size} public people`, epsilon).rmse })),
            })),
            references: [
              { name: 'ALS without privacy', y: als },
              ...epsilons.map((epsilon) => ({
                name: `dpals, ε = ${epsilon}`,
                y: at(rows, without, epsilon).rmse,
              })),
            ],
          },
        },
        {
          heading: `By popularity of the item, ε = ${epsilons[0]}`,
          chart: {
            kind: 'bars',
            title: 'RMSE by popularity',
            y: { label: 'RMSE' },
            categoryLabel: 'quarters of items by training count, rarest first',
            categories: ['rarest', 'second', 'third', 'most rated'],
            series: [without, facts, `${publicCount} public people`, everything].map((name) => ({
              name,
              values: at(rows, name, epsilons[0]).slices,
            })),
          },
        },
      ],
    };
  },
};

async function sourcesOf(
  context: ExperimentContext,
  people: PublicAndPrivate,
  films: FeatureSource,
  sizes: readonly number[],
): Promise<Sources[]> {
  const fields = films.kind === 'categorical' ? films.fields : [];
  const oneField = fields.map((field) => ({
    name: `${facts}: ${field.name}`,
    features: [{ kind: 'categorical', name: field.name, fields: [field] } as const],
  }));
  const cosine = await publicSimilarity(context, people, 'cosine', 100);
  const dot = await publicSimilarity(context, people, 'dot product', 100);
  const everyone = publicRatings(people, publicCount, 'ratings');
  return [
    { name: without, features: [] },
    ...(context.quick ? oneField.filter(({ name }) => /genre|actor/.test(name)) : oneField),
    { name: facts, features: [films] },
    { name: cosine.name, features: [cosine] },
    { name: dot.name, features: [dot] },
    { name: `${publicCount} public people, liked`, features: [publicRatings(people, publicCount, 'liked')] },
    ...sizes.map((size) => ({
      name: `${size} public people`,
      features: [publicRatings(people, size, 'ratings')],
    })),
    { name: everything, features: [films, dot, everyone] },
  ];
}

/** dp-cmf with these sources and the weight α that is best on validation ratings, as in the paper; its test RMSE. */
async function bestWeight(
  context: ExperimentContext,
  { split }: PublicAndPrivate,
  { name, features }: Sources,
  epsilon: number,
): Promise<Row> {
  const { train } = split;
  const request = {
    method: features.length === 0 ? 'dpals' : 'dp-cmf',
    features,
    epsilon: gaussianEpsilon((muFor(epsilon, delta) * papersPeople) / train.userCount, delta),
    delta,
    declaredPeople: train.userCount,
    seed: context.seed,
  };
  const { settings } = planRun({ ...request, itemCount: train.itemCount, scale: train.scale });
  const factors = features.length === 0 ? [1] : context.quick ? [0.1, 1] : [0.03, 0.1, 0.3, 1, 3];
  let best: { readonly validation: number; readonly row: Row } | undefined;
  for (const factor of factors) {
    const weights = Object.entries(settings)
      .filter(([key]) => ['tokenWeight', 'similarityWeight', 'publicRatingsWeight'].includes(key))
      .map(([key, value]) => [key, Number(value) * factor]);
    const { model } = await trainModel({
      ...request,
      settings: Object.fromEntries(weights),
      ratings: train,
      engine: context.engine,
      hooks: { signal: context.signal },
    });
    const measure = (stage: 'validation' | 'test') =>
      evaluateModel(model, split, 'holdout', context.engine, { stage, resamples: 0, slices: 4 });
    const validation = (await measure('validation')).metrics['rmse'].value;
    if (best !== undefined && validation >= best.validation) continue;
    const { metrics, slices } = await measure('test');
    const bySlice = slices.map((slice) => slice.metrics['rmse']?.value ?? Number.NaN);
    best = {
      validation,
      row: { name, epsilon, rmse: metrics['rmse'].value, slices: bySlice, weight: factor },
    };
  }
  return best!.row;
}

async function withoutPrivacy(context: ExperimentContext, { split }: PublicAndPrivate): Promise<number> {
  const { model } = await trainModel({
    method: 'als',
    ratings: split.train,
    engine: context.engine,
    epsilon: Infinity,
    delta: 0,
    seed: context.seed,
    hooks: { signal: context.signal },
  });
  const { metrics } = await evaluateModel(model, split, 'holdout', context.engine, { resamples: 0 });
  return metrics['rmse'].value;
}

function at(rows: readonly Row[], name: string, epsilon: number): Row {
  const row = rows.find((each) => each.name === name && each.epsilon === epsilon);
  if (row === undefined) throw new RangeError(`There is no row of ${name} at ε = ${epsilon}.`);
  return row;
}

function findings(rows: readonly Row[], epsilon: number, als: number): Finding[] {
  const rmse = (name: string) => at(rows, name, epsilon).rmse;
  const rarest = (name: string) => at(rows, name, epsilon).slices[0];
  const people = `${publicCount} public people`;
  const lower = (what: string, better: number, worse: number): Finding => ({
    what: `ε = ${epsilon}: ${what} (RMSE difference)`,
    measured: better - worse,
    holds: better < worse,
    note: `${better.toFixed(4)} against ${worse.toFixed(4)}`,
  });
  const single = [facts, 'similarity by cosine', 'similarity by dot product', people];
  const bestSingle = Math.min(...single.map(rmse));
  const closed = (rmse(without) - Math.min(bestSingle, rmse(everything))) / (rmse(without) - als);
  return [
    {
      what: `ε = ${epsilon}: share of the gap to ALS without privacy that public sources close`,
      measured: closed,
      holds: null,
      note: 'published: up to 0.6, most at low ε, with 70,152 public people',
    },
    lower('film facts beat no source', rmse(facts), rmse(without)),
    lower(
      'public people are the best single source',
      rmse(people),
      Math.min(...single.filter((name) => name !== people).map(rmse)),
    ),
    lower('all sources together beat the best one', rmse(everything), bestSingle),
    lower('cast tells more than genre', rmse(`${facts}: actor`), rmse(`${facts}: genre`)),
    lower(
      'similarity by dot product beats cosine',
      rmse('similarity by dot product'),
      rmse('similarity by cosine'),
    ),
    lower('public ratings as they are beat likes', rmse(people), rmse(`${people}, liked`)),
    lower('more public people are better', rmse(people), rmse('200 public people')),
    lower('on the rarest quarter of items, film facts beat public people', rarest(facts), rarest(people)),
  ];
}
