import { createEngine, type Engine } from '@hushrec/numerics';
import {
  generateCatalogue,
  likedItems,
  ratingMatrixFromTriples,
  SeededRandom,
  splitHoldout,
  splitStrongGeneralization,
} from '@hushrec/ratings';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SettingsError } from '../settings.js';
import { foldInUsers, itemMatrix } from '../shared/fold-in-users.js';
import { planRun, trainModel } from '../train.js';
import { doubtOfTastes, shareOfChosen, weightOfAll, weightsOfItems } from './choice-weights.js';
import { withEarlierRounds } from './earlier-rounds.js';
import { itemFeatures, shrinkToFeatures } from './feature-shrinkage.js';
import { hushWith } from './hush.js';
import { allPieces } from './hush-pieces.js';
import { hushRules } from './hush-rules.js';
import { commonValue, shrinkChoices, solveForChosen } from './shrink-choices.js';
import { partWay, shrinkToZero } from './shrinkage.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.close());

describe('shrinkage', () => {
  it('finds what items have in common, and falls back to it without data', async () => {
    const count = 500;
    const strengths = Float64Array.from({ length: count }, (_, item) => (item % 10 === 0 ? 5 : 0.01));
    const values = strengths.map((strength, item) => 2 * strength + 0.05 * Math.sin(item * 12.9898));
    const variances = new Float64Array(count).fill(0.00125);
    expect(commonValue({ values, strengths, variances })).toBeCloseTo(2, 1);
    const vectors = await shrinkChoices(
      {
        vectors: { width: 1, values, variances: new Float64Array(count).fill(0.00125) },
        moment: Float64Array.of(1),
        momentNoise: 0,
        shares: strengths,
        unobservedWeight: 0.5,
        samplingVariance: 0,
        peopleWeight: 1000,
      },
      shrinkToZero,
    );
    const deviation = Math.sqrt(1 / 1000); // of tastes, which vectors are in units of
    expect(vectors[1] / deviation / (0.01 / 0.51)).toBeCloseTo(2, 1); // popularity times the common taste
  });

  it('weighs what was not chosen by density where items stand out from the noise, and more where they do not', () => {
    const long = { ratio: 20, choicesEach: 1e4, rules: { ...hushRules, steepest: 10 } };
    const weight = (share: number, people: number, countNoise: number) =>
      weightOfAll({ ...long, share, meanShare: share / 5, people, countNoise });
    expect(weight(0.02, 1e6, 1)).toBeCloseTo(0.4, 9);
    expect(weight(0.02, 1e6, 0)).toBeCloseTo(0.4, 9); // without noise
    expect(weight(0.001, 1e6, 1)).toBeCloseTo(0.02, 9);
    expect(weight(0.02, 1e3, 1)).toBeGreaterThan(0.4);
    expect(weight(0.02, 1e3, 10)).toBeGreaterThan(weight(0.02, 1e3, 1));
    expect(weight(0.02, 1e3, 10)).toBeCloseTo(0.4 * 125 ** 0.7, 9); // a signal of 2, where 250 are plain
    const steep = { ...long, share: 0.3, meanShare: 0.01, people: 1e6, countNoise: 1 };
    expect(weightOfAll(steep)).toBeCloseTo(20 * 10 * 0.01, 9); // a few items that nearly everybody chooses
  });

  it('weighs it by a hundredth of the choices a person has at most', () => {
    const rules = { ...hushRules, mostUnchosen: 0.01 };
    const weight = (choicesEach: number) =>
      weightOfAll({ ratio: 3, choicesEach, share: 0.1, meanShare: 0.05, people: 1e6, countNoise: 1, rules });
    expect(weight(4)).toBeCloseTo(0.04, 9);
    expect(weight(40)).toBeCloseTo(0.3, 9); // κρ is less
  });

  it('doubts tastes of many directions where histories are long for the catalogue', () => {
    expect(doubtOfTastes(64, 16, 50, 1000)).toBe(2.5); // of two people's fifty
    expect(doubtOfTastes(64, 16, 100, 1000)).toBe(4);
    expect(doubtOfTastes(16, 16, 100, 1000)).toBe(1);
    expect(doubtOfTastes(64, 16, 10, 2000)).toBe(1);
  });

  it('knows from noisy counts how popular what is typically chosen is', () => {
    const exact = { value: Float64Array.of(40, 40, 20, 0, 0), noise: 0 };
    expect(shareOfChosen(exact, 100, 0.2)).toBeCloseTo((2 * 40 ** 2 + 20 ** 2) / (100 * 100), 9);
    // Noise of standard deviation 3, half of it up and half down, adds 9 to the mean square.
    const even = Float64Array.from({ length: 1000 }, (_, item) => 10 + (item % 2 === 0 ? 3 : -3));
    expect(shareOfChosen({ value: even, noise: 3 }, 100, 0.05)).toBeCloseTo(0.1, 9);
    expect(shareOfChosen({ value: Float64Array.of(-5, 1), noise: 9 }, 100, 0.05)).toBe(0.05);
  });

  it('spends little on items that do not stand out from the noise, and as much in all', () => {
    const counts = { value: Float64Array.of(100, 30, 3.9, -2), noise: 2 };
    const shares = Float64Array.of(0.5, 0.15, 0.02, 0.01);
    const weights = weightsOfItems(counts, shares, { faintBelow: 2, faintWeight: 0.2 });
    expect(weights[2] / weights[0]).toBeCloseTo(0.2, 12);
    expect([weights[1], weights[3]]).toEqual([weights[0], weights[2]]);
    const total = shares.reduce((sum, share, item) => sum + share * weights[item] ** 2, 0);
    expect(total).toBeCloseTo(0.68, 12);
    expect(weightsOfItems({ ...counts, noise: 0 }, shares, { faintBelow: 2, faintWeight: 1 })).toEqual(
      new Float64Array(4).fill(1),
    );
  });

  it('solves the system of those who chose an item', () => {
    const moment = [0.5, 0.2, 0.1]; // K
    const common = Float64Array.of(0.9, 0.3, -0.2); // φ₀
    const own = Float64Array.of(1.2, -0.4, 0.7); // φ
    const [share, unobserved] = [0.3, 0.5];
    const solution = own.slice();
    solveForChosen(solution, 0, common, Float64Array.from(moment), share, unobserved);
    const mean = moment.map((value, k) => value * common[k]);
    const chosen = moment.map((value, k) => value * own[k]);
    for (let row = 0; row < 3; row++) {
      let left = 0; // ((α₀ + ρ)K + ρ(μμᵀ − mmᵀ)) v
      for (let column = 0; column < 3; column++) {
        const entry =
          (row === column ? (unobserved + share) * moment[row] : 0) +
          share * (chosen[row] * chosen[column] - mean[row] * mean[column]);
        left += entry * solution[column];
      }
      expect(left).toBeCloseTo(share * chosen[row], 12);
    }
  });

  describe('with earlier rounds', () => {
    const count = 3000;
    const random = new SeededRandom(5);
    const normals = (deviation: number) =>
      Float64Array.from({ length: 2 * count }, () => deviation * random.normal());
    const sizes = new Float64Array(count).fill(1);
    const plus = (a: Float64Array, b: Float64Array) => a.map((value, at) => value + b[at]);
    const past = normals(1);
    // Tastes turned and stretched since, and a little of their own.
    const truth = plus(
      past.map((_, at) => (at % 2 === 0 ? past[at] + 0.5 * past[at + 1] : 2 * past[at])),
      normals(0.1),
    );
    const release = (exact: Float64Array, noise: number) => ({ value: plus(exact, normals(noise)), noise });
    const measured = (values: Float64Array, noise: number) =>
      withEarlierRounds(release(values, noise), undefined, sizes, hushRules);
    const meanSquare = (values: Float64Array) =>
      values.reduce((sum, value, at) => sum + (value - truth[at]) ** 2, 0) / values.length;

    it('averages the noise of both, through the map between them, and does not promise more than that', () => {
      const now = release(truth, 1);
      expect(meanSquare(now.value)).toBeGreaterThan(0.9);
      const both = withEarlierRounds(now, measured(past, 0.5), sizes, hushRules);
      // By hand: past variances 3·(0.25·1.25 + 0.01) and 3·(0.25·4 + 0.01), in parallel with 1.
      const promised = both.variances.reduce((sum, value) => sum + value, 0) / both.variances.length;
      expect(promised).toBeCloseTo((0.967 / 1.967 + 3.03 / 4.03) / 2, 1);
      expect(meanSquare(both.values)).toBeLessThan(promised);
    });

    it('forgets a past that says nothing, and does not touch what has no noise', () => {
      const now = release(truth, 1);
      const before = meanSquare(now.value);
      const unrelated = withEarlierRounds(now, measured(normals(1), 0.5), sizes, hushRules);
      expect(meanSquare(unrelated.values)).toBeCloseTo(before, 1);
      const again = release(truth, 1);
      const kept = again.value.slice();
      const faint = withEarlierRounds(again, measured(normals(0.01), 5), sizes, hushRules);
      expect(faint.values).toEqual(kept);
      expect(new Set(faint.variances)).toEqual(new Set([1]));
      const exact = withEarlierRounds(release(truth, 0), measured(past, 0.5), sizes, hushRules);
      expect(exact.values).toEqual(truth);
    });
  });

  it('gives nothing where there is only noise, and keeps what is certain', async () => {
    const count = 2000;
    const noise = Float64Array.from({ length: count }, (_, item) => Math.sin(item * 12.9898) * Math.SQRT2); // mean square 1
    const strengths = new Float64Array(count).fill(1);
    const onlyNoise = await shrinkToZero({
      values: noise,
      strengths,
      variances: new Float64Array(count).fill(1.1),
    });
    expect(Math.max(...onlyNoise.map(Math.abs))).toBe(0);
    const certain = await shrinkToZero({
      values: noise,
      strengths,
      variances: new Float64Array(count).fill(1e-9),
    });
    expect(certain[7]).toBeCloseTo(noise[7], 6);
  });

  it('lets features speak for items without data, and ignores features that say nothing', async () => {
    const { features, ratings } = generateCatalogue({ users: 20, items: 300, ratings: 400, seed: 1 });
    const known = itemFeatures(features, ratings.itemCount, 5, 250)!;
    const shrink = shrinkToFeatures(known);
    const truth = Float64Array.from({ length: 300 }, (_, item) =>
      known.tokens.subarray(known.offsets[item], known.offsets[item + 1]).includes(0)
        ? 3 * known.scales[item]
        : 0,
    );
    const strengths = Float64Array.from({ length: 300 }, (_, item) => (item < 250 ? 1 : 1e-6));
    const values = truth.map((value, item) => value * strengths[item] + 0.1 * Math.sin(item * 78.233));
    const variances = new Float64Array(300).fill(0.01);
    const estimates = await shrink({ values, strengths, variances });
    let error = 0;
    let total = 0;
    for (let item = 250; item < 300; item++) {
      error += (estimates[item] - truth[item]) ** 2;
      total += truth[item] ** 2;
    }
    expect(error).toBeLessThan(0.3 * total);
  });

  it('uses the tokens that most items have where few are asked for', () => {
    const { features, ratings } = generateCatalogue({ users: 20, items: 300, ratings: 400, seed: 1 });
    const all = itemFeatures(features, ratings.itemCount, 5, 250)!;
    const few = itemFeatures(features, ratings.itemCount, 5, 3)!;
    expect(all.width).toBeGreaterThan(3);
    expect(few.width).toBe(3);
    const itemsWith = (token: number) => all.tokens.filter((each) => each === token).length;
    expect(few.tokens.length).toBe(itemsWith(0) + itemsWith(1) + itemsWith(2));
    expect(itemsWith(2)).toBeGreaterThanOrEqual(itemsWith(3));
  });

  it('goes part of the way from one estimate to another', async () => {
    const of = (value: number) => async () => Float64Array.of(value, 2 * value);
    const nothing = {
      values: new Float64Array(2),
      strengths: new Float64Array(2),
      variances: new Float64Array(2),
    };
    expect(await partWay(of(1), of(3), 0.25)(nothing)).toEqual(Float64Array.of(1.5, 3));
    expect(await partWay(of(1), of(3), 1)(nothing)).toEqual(Float64Array.of(3, 6));
    const never = async () => {
      throw new Error('asked for nothing');
    };
    expect(await partWay(of(1), never, 0)(nothing)).toEqual(Float64Array.of(1, 2));
  });
});

describe('hush', () => {
  const content = generateCatalogue({ users: 1500, items: 150, ratings: 45_000, seed: 3 });
  const split = splitHoldout(content, { seed: 1 });
  const meanSquares = async (epsilon: number, settings = {}) => {
    const { model, record } = await trainModel({
      method: 'hush',
      ratings: split.train,
      settings,
      epsilon,
      delta: 1e-5,
      engine,
      seed: 1,
    });
    if (model.kind !== 'factors') throw new Error('expected factors');
    // Predictions without any fold-in: item effects alone; the spread between ε must show already.
    let sum = 0;
    const { byUser } = split.validation;
    for (let at = 0; at < byUser.values.length; at++)
      sum += (byUser.values[at] - model.offset - model.itemBias![byUser.indices[at]]) ** 2;
    return { meanSquare: sum / byUser.values.length, record };
  };

  it('plans exactly the budget it is given, and releases exactly its plan', async () => {
    const { plan } = planRun({
      method: 'hush',
      itemCount: 150,
      scale: content.ratings.scale,
      epsilon: 1,
      delta: 1e-5,
    });
    expect(plan.releases.map(({ name }) => name)).toEqual(['people-count', 'mean-rating', 'item-counts']);
    for (const settings of [{}, { vectors: false }, { rank: 3 }]) {
      const { record } = await meanSquares(1, settings);
      const { releases } = record.plan;
      // A share that has no use in the end (of gains without vectors, of scaling with them) is not spent.
      const spent = releases.reduce((sum, { share }) => sum + share, 0);
      expect(spent).toBeGreaterThan(0.985);
      expect(spent).toBeLessThanOrEqual(1);
      expect(record.releases.map(({ name }) => name)).toEqual(releases.map(({ name }) => name));
      expect(record.plan.epsilon).toBeLessThanOrEqual(1);
    }
  });

  it('doubts a person’s level in use as far as people’s levels really differ, and as it guesses where noise decides', async () => {
    const ridge = async (spread: number, epsilon: number) => {
      const random = new SeededRandom(4);
      const [users, items, ratings]: number[][] = [[], [], []];
      for (let user = 0; user < 3000; user++) {
        const level = spread * random.normal();
        for (let k = 0; k < 6; k++) {
          users.push(user);
          items.push((7 * user + k) % 40);
          ratings.push(Math.max(1, Math.min(5, 3 + level + 0.8 * random.normal())));
        }
      }
      const scale = { min: 1, max: 5, step: 0 };
      const matrix = { userCount: 3000, itemCount: 40, scale, users, items, ratings };
      const { model } = await trainModel({
        method: 'hush',
        ratings: ratingMatrixFromTriples({ ...matrix, ratings: Float32Array.from(ratings) }),
        settings: { vectors: false },
        epsilon,
        delta: 1e-5,
        engine,
        seed: 1,
      });
      return model.kind === 'factors' ? model.foldIn.interceptRidge! : Number.NaN;
    };
    // σ²/τ² = 0.64/0.36 and 0.64/0.04; the residual variance contains what a level of six ratings leaves
    // open.
    expect(await ridge(0.6, 50)).toBeGreaterThan(1.5);
    expect(await ridge(0.6, 50)).toBeLessThan(2.6);
    expect(await ridge(0.2, 50)).toBeGreaterThan(12);
    expect(await ridge(0.2, 50)).toBeLessThan(22);
    // At ε 0.01 one number of a share of 0.4 % has a noise of thousands of people: the guess of 3 stands.
    expect(await ridge(0.2, 0.01)).toBeCloseTo(3, 1);
  });

  it('lets facts speak in early rounds as far as its rule says, and changes nothing where there are none', async () => {
    const vectors = async (earlyFacts: number, features: typeof content.features) => {
      const { model } = await trainModel({
        method: hushWith(allPieces, { ...hushRules, earlyFacts }),
        ratings: split.train,
        features,
        settings: { rank: 2 },
        epsilon: 2,
        delta: 1e-5,
        engine,
        seed: 1,
      });
      return model.kind === 'factors' ? model.itemFactors : undefined;
    };
    expect(await vectors(0.5, content.features)).toEqual(
      await vectors(hushRules.earlyFacts, content.features),
    );
    expect(await vectors(0.5, content.features)).not.toEqual(await vectors(0, content.features));
    expect(await vectors(0.5, [])).toEqual(await vectors(0, []));
  });

  it('refuses ratings on a scale without grades, and choices without vectors', () => {
    const shape = { method: 'hush', itemCount: 9, epsilon: 1, delta: 1e-5 } as const;
    const choices = { min: 1, max: 1, step: 1 };
    expect(planRun({ ...shape, scale: choices }).settings['feedback']).toBe('implicit');
    expect(() => planRun({ ...shape, scale: choices, settings: { feedback: 'explicit' } })).toThrow(
      SettingsError,
    );
    expect(() => planRun({ ...shape, scale: choices, settings: { rank: -1 } })).toThrow(SettingsError);
  });

  it('gets better with more budget', async () => {
    const strict = (await meanSquares(0.1)).meanSquare;
    const loose = (await meanSquares(Infinity)).meanSquare;
    expect(loose).toBeLessThan(strict);
  });

  it('sends no more numbers than it may, and says how few are too few', async () => {
    const sent = async (numbers: number) => {
      const { record } = await meanSquares(20, { numbers });
      return record.releases.filter(({ name }) => name.startsWith('taste-vectors')).length;
    };
    expect(await sent(150 * 100)).toBeGreaterThan(2);
    expect(await sent(150 * 5)).toBe(0);
    await expect(sent(150)).rejects.toThrow(/expected at least 608/);
  });

  it('without vectors is effects alone, and has one direction that says nothing', async () => {
    const { model } = await trainModel({
      method: 'hush',
      ratings: split.train,
      settings: { vectors: false },
      epsilon: 1,
      delta: 1e-5,
      engine,
      seed: 1,
    });
    if (model.kind !== 'factors') throw new Error('expected factors');
    expect(model.rank).toBe(1);
    expect(new Set(model.itemFactors)).toEqual(new Set([0]));
    expect(new Set(model.itemBias).size).toBeGreaterThan(100);
  });
});

describe('hush on choices', () => {
  const catalogue = generateCatalogue({ users: 2000, items: 200, ratings: 80_000, seed: 5 });
  const liked = likedItems(catalogue.ratings, 3.5);
  const split = splitStrongGeneralization({ ...catalogue, ratings: liked }, { seed: 1 });
  const hits = async (epsilon: number, method = 'hush') => {
    const { model, record } = await trainModel({
      method,
      ratings: split.train,
      epsilon,
      delta: epsilon === Infinity ? 0 : 1e-5,
      engine,
      seed: 1,
    });
    if (model.kind !== 'factors') throw new Error('expected factors');
    const { history, target } = split.test;
    const people = await foldInUsers(engine, model, history.byUser);
    const { indices } = await engine.topK({
      rows: people.factors,
      items: itemMatrix(model),
      exclude: history.byUser,
      k: 20,
    });
    let found = 0;
    for (let user = 0; user < target.byUser.rowCount; user++) {
      const wanted = new Set(
        target.byUser.indices.subarray(target.byUser.offsets[user], target.byUser.offsets[user + 1]),
      );
      for (const item of indices.subarray(user * 20, user * 20 + 20)) if (wanted.has(item)) found++;
    }
    return { found, record };
  };

  // Whether rounds are heard of shows in popularity: by them it is another one, and the releases are the
  // same.
  it.each([
    ['where counts need more than the first look', 0.5, true],
    ['not where that was enough', 20, false],
  ])('counts are told by rounds, too, %s', async (_, epsilon, more) => {
    const trained = async (countsFromRounds: boolean) => {
      const { model, record } = await trainModel({
        method: hushWith({ ...allPieces, countsFromRounds }, hushRules),
        settings: { feedback: 'implicit', rank: 4 },
        ratings: split.train,
        epsilon,
        delta: 1e-5,
        engine,
        seed: 1,
      });
      return { popularity: model.kind === 'factors' && model.popularity, releases: record.releases };
    };
    const [heard, alone] = [await trained(true), await trained(false)];
    expect(heard.releases.some(({ name }) => name === 'item-counts-again')).toBe(more);
    expect(heard.releases).toEqual(alone.releases);
    if (more) expect(heard.popularity).not.toEqual(alone.popularity);
    else expect(heard.popularity).toEqual(alone.popularity);
  });

  it('releases its plan, finds more with more budget, and stays finite with next to none', async () => {
    const strict = await hits(0.01);
    const loose = await hits(20);
    expect(strict.record.releases.map(({ name }) => name).slice(0, 2)).toEqual([
      'people-count',
      'item-counts',
    ]);
    expect(loose.record.plan.epsilon).toBeLessThanOrEqual(20);
    expect(loose.found).toBeGreaterThan(1.1 * strict.found);
  });
});
