import { trainModel } from '@hushrec/factorize';
import { createEngine } from '@hushrec/numerics';
import { RunSecret } from '@hushrec/privacy';
import { generateCatalogue, type RatingMatrix } from '@hushrec/ratings';
import { SeededRandom } from '@hushrec/ratings/seeded-random';
import { describe, expect, it } from 'vitest';
import { choicesSince } from './choices-since.js';
import { measure } from './evaluate-model.js';
import {
  expectedFigure,
  intervalOfFigure,
  isUseless,
  leastEpsilonFor,
  planOfFigure,
  releasableFigure,
  releaseFigure,
  sumsOfFigure,
} from './private-figure.js';
import { readMetric } from './read-metrics.js';

const scale = { min: 1, max: 5, step: 1 };
const figureOf = (name: string) => releasableFigure(readMetric(name), scale)!;
const step = 2 ** -20;

describe('one person', () => {
  const { ratings } = generateCatalogue({ users: 60, items: 20, ratings: 590, seed: 2 });
  const random = new SeededRandom(3);
  const timed: RatingMatrix = {
    ...ratings,
    times: Float64Array.from(ratings.byUser.values, () => Math.floor(random.uniform() * 100)),
  };
  const columns = Array.from({ length: 20 }, (_, item) => (item === 4 ? undefined : item));
  const without = (gone: number): RatingMatrix => {
    const { offsets, indices, values } = timed.byUser;
    const [from, to] = [offsets[gone], offsets[gone + 1]];
    const left = <T extends Float32Array | Float64Array | Uint32Array>(all: T) =>
      [...all.subarray(0, from), ...all.subarray(to)] as number[];
    const ends = Array.from(offsets, (end, user) => (user > gone ? end - (to - from) : end));
    ends.splice(gone + 1, 1);
    return {
      ...timed,
      userCount: 59,
      times: Float64Array.from(left(timed.times!)),
      byUser: {
        rowCount: 59,
        columnCount: 20,
        offsets: Uint32Array.from(ends),
        indices: Uint32Array.from(left(indices)),
        values: Float32Array.from(left(values)),
      },
    };
  };

  it.each(['rmse', 'recall@3', 'ndcg@5'])(
    'moves the two sums of %s by less than the plan says, and no figure of another person',
    async (name) => {
      const engine = await createEngine({ threads: 1 });
      try {
        const { model } = await trainModel({
          method: 'hush',
          settings: { rank: 2, feedback: 'explicit' },
          ratings,
          engine,
          epsilon: Infinity,
          delta: 0,
        });
        const of = async (data: RatingMatrix) => {
          const { before, since } = choicesSince(data, { columns, itemCount: 20 }, 60);
          const task = { history: before.byUser, target: since.byUser, scale, trainedOn: before };
          const asked = { metrics: [readMetric(name)], slices: 1 };
          const { overall } = await measure(engine, model, task, 'k-fold', asked);
          return overall.find((each) => each.name === name)!;
        };
        const whole = await of(timed);
        const sums = sumsOfFigure(whole, figureOf(name));
        expect(sums[1] * step).toBeGreaterThan(20);
        for (const gone of [0, 17, 59]) {
          const fewer = await of(without(gone));
          const others = [...whole.numerator.subarray(0, gone), ...whole.numerator.subarray(gone + 1)];
          expect([...fewer.numerator]).toEqual(others);
          const moved = sumsOfFigure(fewer, figureOf(name)).map((value, at) => (sums[at] - value) * step);
          expect(Math.hypot(...moved)).toBeLessThanOrEqual(Math.SQRT2);
          expect(moved[1]).toBeLessThanOrEqual(1);
        }
      } finally {
        await engine.close();
      }
    },
  );

  it('is clipped, whatever the metric says, and counts as nothing where arithmetic fails', () => {
    const of = (numerator: number, denominator: number) =>
      Array.from(
        sumsOfFigure(
          { numerator: Float64Array.of(numerator), denominator: Float64Array.of(denominator) },
          figureOf('rmse'),
        ),
        (value) => value * step,
      );
    expect(of(1e9, 1)).toEqual([1, 1]);
    expect(of(-5, 1)).toEqual([0, 1]);
    expect(of(Number.NaN, 2)).toEqual([0, 1]);
    expect(of(Infinity, 2)).toEqual([1, 1]);
    expect(of(0, 0)).toEqual([0, 0]);
    // Mean square 2 of a clip of 4.
    expect(of(4, 2)).toEqual([0.5, 1]);
  });
});

describe('a released figure', () => {
  const perUser = (people: number, mean: number, seed: number) => {
    const random = new SeededRandom(seed);
    return {
      numerator: Float64Array.from({ length: people }, () => (random.uniform() < mean ? 1 : 0)),
      denominator: new Float64Array(people).fill(1),
    };
  };

  it('is paid for before anything leaves, and not at all where the charge is refused', async () => {
    const plan = planOfFigure('recall@20', { epsilon: 1, delta: 1e-6 });
    const refused = releaseFigure(plan, perUser(100, 0.2, 1), figureOf('recall@20'), {
      pay: () => Promise.reject(new Error('no budget')),
    });
    await expect(refused).rejects.toThrow('no budget');
    let paid = 0;
    const pay = async () => void paid++;
    await releaseFigure(plan, perUser(100, 0.2, 1), figureOf('recall@20'), { pay });
    expect(paid).toBe(1);
  });

  // 400 runs of 95% each: fewer than 366 hits by chance in less than one of 1,000 tests.
  it.each([
    [150, 0.1, 1],
    [2000, 0.05, 0.5],
    [40, 0.3, 2],
    [20, 0.2, 0.3],
  ])('of %i people with mean %f, at ε = %f, lies within its interval', async (people, mean, epsilon) => {
    const plan = planOfFigure('recall@20', { epsilon, delta: 1e-6 });
    let within = 0;
    for (let seed = 0; seed < 400; seed++) {
      const secret = new RunSecret({ seed });
      const { low, high } = await releaseFigure(plan, perUser(people, mean, seed), figureOf('recall@20'), {
        pay: async () => {},
        secret,
      });
      if (low <= mean && mean <= high) within++;
    }
    expect(within).toBeGreaterThanOrEqual(366);
  });

  it('is not told where the number of people is lost in noise', async () => {
    const plan = planOfFigure('recall@20', { epsilon: 0.01, delta: 1e-6 });
    const secret = new RunSecret({ seed: 1 });
    const { value, low, high } = await releaseFigure(plan, perUser(5, 0.5, 1), figureOf('recall@20'), {
      pay: async () => {},
      secret,
    });
    expect([value, low, high]).toEqual([null, 0, 1]);
  });
});

it('says beforehand how close it can be, and with which ε it would say something', () => {
  for (const name of ['recall@20', 'rmse']) {
    const figure = figureOf(name);
    const at = (epsilon: number, people: number) => {
      const plan = planOfFigure(name, { epsilon, delta: 1e-6 });
      return expectedFigure(figure, people, plan.releases[0].noise);
    };
    expect(isUseless(at(0.01, 60))).toBe(true);
    expect(isUseless(at(1, 5000))).toBe(false);
    const least = leastEpsilonFor(figure, 500, 1e-6)!;
    expect(isUseless(at(least, 500))).toBe(false);
    expect(isUseless(at(least - 0.011, 500))).toBe(true);
    expect(leastEpsilonFor(figure, 3, 1e-6)).toBeUndefined();
  }
  expect(releasableFigure(readMetric('coverage@20'), scale)).toBeUndefined();
  expect(releasableFigure(readMetric('mae'), scale)).toBeUndefined();
});

it('looks for the ratio of two noisy sums as Fieller does: no finite interval where the divisor may be 0', () => {
  expect(intervalOfFigure(10, 5, 4)).toEqual({ low: 0, high: 1 });
  const { low, high } = intervalOfFigure(100, 1000, 4);
  expect(low).toBeGreaterThan(0.07);
  expect(high).toBeLessThan(0.13);
  expect(intervalOfFigure(-50, 1000, 4).low).toBe(0);
});
