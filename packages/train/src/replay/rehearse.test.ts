import {
  defineMethod,
  type Method,
  methodById,
  type PlannedRun,
  planRun,
  registerMethods,
  SettingsError,
  type TrainedModel,
  trainModel,
} from '@hushrec/factorize';
import { createEngine, type Engine } from '@hushrec/numerics';
import { calibrate, createRecorder, type PlannedRelease, sensitive } from '@hushrec/privacy';
import { generateCatalogue, likedItems, withoutRatings } from '@hushrec/ratings';
import { ratingsOf } from '@hushrec/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countingMethod, plannedRun } from './leaky-method.test.data.js';
import { publicPart } from './public-part.js';
import { RANDOM_LOGS, RehearsalError, rehearse, tryOnRandomReleases } from './rehearse.js';

const hush = methodById('hush');
let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ kernel: 'scalar', threads: 1 });
});
afterAll(() => engine.close());

const line = (name: string, share: number, count = 1): PlannedRelease => ({
  name,
  mechanism: { kind: 'gaussian' },
  sensitivity: 1,
  count,
  share,
});

/**
 * Counts first; what follows depends on how large they are, by a rule that may break its envelope for large
 * ones.
 */
function stagedMethod(shareOf: (largest: number) => number, tried: number[] = []): Method {
  return defineMethod({
    id: 'staged',
    title: 'Staged',
    paper: 'none',
    needs: 'ratings',
    feedback: ['explicit'],
    protects: [{ unit: 'user', relation: 'add-remove' }],
    settings: {},
    plan: () => ({
      unit: 'user',
      relation: 'add-remove',
      released: 'counts',
      releases: [line('counts', 0.2)],
      later: {
        stages: 1,
        lines: 1,
        numbers: 8,
        rule: 'by the largest count',
        allowed: [{ name: 'effects', sensitivity: 1, count: 1, numbers: 8 }],
      },
    }),
    async train({ ratings, recorder }): Promise<TrainedModel> {
      const release = async (name: string) => {
        const open = recorder.begin(name);
        const values = await open.add(0, sensitive(new Float64Array(ratings.itemCount), 'l2', 1), 2 ** -10);
        open.close();
        return values;
      };
      const largest = Math.max(...(await release('counts'))) / recorder.plan.releases[0].noise;
      tried.push(largest);
      recorder.stage([line('effects', shareOf(largest))]);
      await release('effects');
      return { model: { kind: 'baseline', feedback: 'explicit', offset: 0, itemBias: new Float32Array(8) } };
    },
  });
}

const ratings = ratingsOf([], 8);
function staged(method: Method) {
  const shape = { itemCount: 8, scale: ratings.scale, epsilon: 1, delta: 1e-6, features: [] };
  const plan = calibrate(method.plan({}, shape), { epsilon: 1, delta: 1e-6 });
  return { method, settings: {}, plan, recorder: createRecorder(plan) };
}

describe('a rehearsal', () => {
  it('asks for what the run will ask for, and needs nobody', async () => {
    const { run, request } = plannedRun(countingMethod('nothing'), engine);
    const { requests } = await rehearse(run, publicPart(request.ratings, 'user'), { features: [], engine });
    expect(requests.map(({ release, occurrence, length }) => [release, occurrence, length])).toEqual([
      ['counts', 0, 8],
      ['counts', 1, 8],
    ]);
  });

  it('refuses a run that would not carry out its plan', async () => {
    const { run } = plannedRun(countingMethod('fewer releases'), engine);
    const somebody = ratingsOf([{ name: 'a', items: [], ratings: [] }], 8);
    const attempt = rehearse(run, somebody, { features: [], engine });
    await expect(attempt).rejects.toThrow(RehearsalError);
    await expect(attempt).rejects.toThrow(/planned 2 times and made 1/);
  });

  it('executes a method of ours once, and the rule of a plug-in on random releases too', async () => {
    const tried: number[] = [];
    await rehearse(staged(stagedMethod(() => 0.8, tried)), ratings, { features: [], engine });
    expect(tried).toEqual([0]);
    const plugin = { ...stagedMethod(() => 0.8, tried), id: 'staged-plugin' };
    registerMethods([plugin], { name: 'a.js', sha256: '' });
    await rehearse(staged(plugin), ratings, { features: [], engine });
    expect(tried).toHaveLength(2 + RANDOM_LOGS);
  });
});

describe('random releases', () => {
  it('go from noise to far above it', async () => {
    const tried: number[] = [];
    await tryOnRandomReleases(staged(stagedMethod(() => 0.8, tried)), ratings, { features: [], engine });
    expect(tried).toHaveLength(RANDOM_LOGS);
    expect(Math.max(...tried)).toBeGreaterThan(1000);
    for (const [low, high] of [
      [0.1, 5],
      [5, 50],
      [50, 1000],
    ] as const)
      expect(tried.filter((largest) => largest > low && largest < high).length).toBeGreaterThan(3);
  });

  it('find the branch of a rule that leaves its envelope', async () => {
    const astray = staged(stagedMethod((largest) => (largest > 200 ? 0 : 0.8)));
    const attempt = tryOnRandomReleases(astray, ratings, { features: [], engine });
    await expect(attempt).rejects.toThrow(/share 0 of the budget/);
  });

  it.each([
    ['ratings', { min: 1, max: 5, step: 1 }],
    ['likes', { min: 1, max: 1, step: 0 }],
    ['grades', { min: 0, max: 10, step: 0.5 }],
  ] as const)('never take hush out of its envelope or beyond its total: %s', async (kind, scale) => {
    const feedback = kind === 'ratings' ? 'explicit' : 'implicit';
    const extremes = Object.entries(hush.settings).flatMap(([name, setting]) =>
      'min' in setting ? [{ [name]: setting.min }, { [name]: setting.max }] : [],
    );
    let tried = 0;
    for (const [at, given] of [{}, { vectors: false }, ...extremes].entries()) {
      const itemCount = [1, 7, 60][at % 3];
      const epsilon = [0.05, 1, 20][Math.floor(at / 3) % 3];
      const declared = at % 2 === 0 ? {} : { declaredPeople: 10 ** (1 + (at % 6)) };
      const shape = { itemCount, scale, epsilon, delta: 1e-6, features: [], ...declared };
      let run: PlannedRun;
      try {
        run = planRun({ method: hush, settings: { feedback, ...given }, ...shape });
      } catch (error) {
        if (error instanceof SettingsError) continue;
        throw error;
      }
      const visible = withoutRatings(0, { itemCount, scale });
      await tryOnRandomReleases(run, visible, { features: [], engine });
      tried++;
    }
    expect(tried).toBeGreaterThan(extremes.length / 2);
  });

  it.each([
    ['explicit', { min: 1, max: 5, step: 1 }],
    ['implicit', { min: 1, max: 1, step: 0 }],
  ] as const)('never take hush out of its envelope where it remembers: %s', async (feedback, scale) => {
    const ratings = generateCatalogue({ users: 300, items: 24, ratings: 3000, seed: 5 }).ratings;
    const data = feedback === 'explicit' ? ratings : likedItems(ratings, 3.5);
    const terms = { method: hush, epsilon: 1, delta: 1e-6 };
    for (const given of [{ rank: 2 }, {}, { vectors: false }]) {
      const settings = { feedback, ...given };
      const first = await trainModel({ ...terms, settings, ratings: data, engine, seed: 1, remember: {} });
      const remember = { before: { ...first.memory!.after, kept: 0.9 } };
      const run = planRun({ ...terms, settings, itemCount: 24, scale: data.scale, features: [] });
      const visible = withoutRatings(0, { itemCount: 24, scale });
      await tryOnRandomReleases(run, visible, { features: [], engine, remember });
    }
  });
});
