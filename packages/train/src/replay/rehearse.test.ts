import { defineMethod, type Method, type TrainedModel } from '@hushrec/factorize';
import { createEngine, type Engine } from '@hushrec/numerics';
import { calibrate, createRecorder, type PlannedRelease, sensitive } from '@hushrec/privacy';
import { ratingsOf } from '@hushrec/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countingMethod, plannedRun } from './leaky-method.test.data.js';
import { publicPart } from './public-part.js';
import { RANDOM_LOGS, RehearsalError, rehearse } from './rehearse.js';

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

  it('tries the rule of a plan in stages on random releases, from noise to far above it', async () => {
    const tried: number[] = [];
    await rehearse(staged(stagedMethod(() => 0.8, tried)), ratings, { features: [], engine });
    expect(tried).toHaveLength(1 + RANDOM_LOGS);
    expect(tried[0]).toBe(0);
    expect(Math.max(...tried)).toBeGreaterThan(1000);
    for (const [low, high] of [
      [0.1, 5],
      [5, 50],
      [50, 1000],
    ] as const)
      expect(tried.filter((largest) => largest > low && largest < high).length).toBeGreaterThan(3);
  });

  it('finds the branch of a rule that would overspend', async () => {
    const greedy = stagedMethod((largest) => (largest > 200 ? 0.81 : 0.8));
    await expect(rehearse(staged(greedy), ratings, { features: [], engine })).rejects.toThrow(
      /beyond the total/,
    );
  });
});
