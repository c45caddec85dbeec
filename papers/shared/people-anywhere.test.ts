import '@hushrec/papers/register';
import { methodById, methods, planRun, type ReleasedPart, watchReleases } from '@hushrec/factorize';
import { createEngine, type Engine } from '@hushrec/numerics';
import { peopleCoins, RunSecret } from '@hushrec/privacy';
import { generateCatalogue, likedItems, type RatingMatrix, SeededRandom } from '@hushrec/ratings';
import {
  decodeQuestion,
  encodeQuestion,
  FilePeople,
  LocalPeople,
  type LocalPeopleOptions,
  NoPeople,
  type People,
  statisticById,
} from '@hushrec/statistics';
import { blocksOf } from '@hushrec/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const catalogue = generateCatalogue({ users: 400, items: 40, ratings: 7000, seed: 2 });
const explicit = catalogue.ratings;
const implicit = likedItems(explicit, 3.5);

type Case = readonly [method: string, settings: Readonly<Record<string, unknown>>, ratings: RatingMatrix];

/** Ways through methods that their defaults do not take, and small sizes. */
const chosen: readonly Case[] = [
  ['hush', {}, explicit],
  ['hush', { vectors: false }, explicit],
  ['hush', { rank: 3, rounds: 2 }, explicit],
  ['hush', { rank: 3, rounds: 2 }, implicit],
  ['hush', {}, implicit],
  ['dpals', {}, explicit],
  [
    'dpals',
    { contribution: 'uniform', contributionLimit: 5, counts: 'sampled', itemFraction: 0.5 },
    explicit,
  ],
  ['dpals', { initialization: 'private-svd', centring: 'private-mean', contribution: 'tail' }, explicit],
  ['dpals', { initialization: 'analyze-gauss', ownShare: 0.5 }, explicit],
  ['dpals', {}, implicit],
  ['dp-cmf', {}, explicit],
  ['am-ssp', {}, explicit],
  ['am-ssp', { samplingRate: 0.5 }, explicit],
  ['am-ssp', { samplingRate: 0.5, sampled: 'examples', resamplings: 2 }, implicit],
  ['am-ssp', { loss: 'logistic', resamplings: 2 }, explicit],
  ['am-dpsgd', { rounds: 2, samplingRate: 0.5 }, explicit],
  ['am-dpsgd', { rounds: 2, encoder: 'bag' }, implicit],
  ['dp-sgd', { rounds: 4 }, explicit],
  ['dp-sgd', { rounds: 3, clipped: 'example', contribution: 'tail', contributionLimit: 5 }, implicit],
  ['dp-svd', {}, explicit],
  ['dp-fw', { rounds: 3 }, explicit],
];
/** Every other method that reads people through sums, with its defaults. */
const others = methods.filter(({ id, needs }) => needs === 'people' && !chosen.some(([each]) => each === id));
const cases: readonly Case[] = [...chosen, ...others.map(({ id }): Case => [id, {}, explicit])];

let engine: Engine;
let threaded: readonly Engine[];
beforeAll(async () => {
  engine = await createEngine({ threads: 1, kernel: 'simd' });
  threaded = [
    await createEngine({ threads: 2, kernel: 'simd' }),
    await createEngine({ threads: 4, kernel: 'simd' }),
  ];
});
afterAll(async () => {
  for (const each of [engine, ...threaded]) await each.close();
});

/** Everything that a run on these people asks the recorder for, with its noise, and its model. */
async function run([id, settings, { itemCount, scale }]: (typeof cases)[number], people: People, on: Engine) {
  const method = methodById(id);
  const target = { epsilon: 8, delta: 1e-6, seed: 5 };
  const run = planRun({ method, settings, itemCount, scale, features: catalogue.features, ...target });
  const random = new SeededRandom(5);
  const parts: ReleasedPart[] = [];
  const recorder = watchReleases(run.recorder, (part) =>
    // Shared memory, which later sums may overwrite: copied.
    parts.push({ ...part, values: part.values.slice() }),
  );
  const coins = peopleCoins(new RunSecret({ seed: 5 }));
  const input = { features: catalogue.features, settings: run.settings, engine: on, recorder, coins };
  const { model } = await method.train({ ...input, people, random: () => random.uniform() });
  return { parts, model, record: recorder.finish() };
}

const local = (ratings: RatingMatrix, on: Engine, options: LocalPeopleOptions = {}) =>
  new LocalPeople(ratings, on, options);

/** People who get the name of the statistic and the question as bytes, as those in another process do. */
function sent(people: People, asked: (question: unknown) => void): People {
  return {
    itemCount: people.itemCount,
    scale: people.scale,
    sum: (statistic, question, signal) => {
      asked(question);
      const arrived = decodeQuestion(encodeQuestion(structuredClone(question)));
      return people.sum(statisticById(statistic.id) as typeof statistic, arrived as typeof question, signal);
    },
  };
}

describe('a method that reads people through sums', () => {
  it.each(cases)('%s %o: the same releases and model however people are dealt out', async (...each) => {
    const ratings = each[2];
    const one = await run(each, local(ratings, engine), engine);
    expect(one.parts.length).toBeGreaterThan(0);
    for (const options of [{ shares: 3 }, { shares: 8 }, { keep: false }])
      expect(await run(each, local(ratings, engine, options), engine)).toEqual(one);
    const files = new FilePeople(blocksOf(ratings.byUser, 1500), ratings.scale, engine);
    expect(await run(each, files, engine)).toEqual(one);
    let questions = 0;
    const elsewhere = sent(local(ratings, engine, { shares: 2 }), () => questions++);
    expect(await run(each, elsewhere, engine)).toEqual(one);
    expect(questions).toBeGreaterThan(0);
    for (const on of threaded)
      expect(await run(each, local(ratings, on, { threadsFrom: 1 }), on)).toEqual(one);
    // The control that must differ: one person left out.
    const { byUser } = ratings;
    const [rowCount, last] = [byUser.rowCount - 1, byUser.offsets[byUser.rowCount - 1]];
    const fewer = {
      ...byUser,
      rowCount,
      offsets: byUser.offsets.slice(0, -1),
      indices: byUser.indices.slice(0, last),
      values: byUser.values.slice(0, last),
    };
    expect(last).toBeLessThan(byUser.indices.length);
    expect(await run(each, local({ ...ratings, byUser: fewer }, engine), engine)).not.toEqual(one);
  });

  it.each(cases)('%s %o: keeps its plan without anyone', async (...each) => {
    const { itemCount, scale } = each[2];
    const { model, record } = await run(each, new NoPeople(itemCount, scale), engine);
    expect(record.releases.length).toBeGreaterThan(0);
    if (model.kind === 'factors') expect(model.itemFactors.every(Number.isFinite)).toBe(true);
  });

  it('is every method that needs people', () => {
    const needing = methods.filter(({ needs }) => needs === 'people').map(({ id }) => id);
    expect(new Set(cases.map(([id]) => id))).toEqual(new Set(needing));
  });
});
