import { createEngine } from '@hushrec/numerics';
import { sensitive } from '@hushrec/privacy';
import { generateCatalogue } from '@hushrec/ratings';
import { describe, expect, it } from 'vitest';
import { defineMethod } from './define-method.js';
import type { Method } from './method.js';
import { trainModel } from './train.js';
import { NoGuaranteeError } from './without-privacy.js';

const { ratings } = generateCatalogue({ users: 60, items: 40, ratings: 900, seed: 1 });
const engine = await createEngine({ threads: 1 });
const base = { ratings, engine, epsilon: Infinity, delta: 0, seed: 3 };

describe('trainModel', () => {
  it('records a method without privacy as non-private, never as an empty (ε = 0) record', async () => {
    const { record, plan } = await trainModel({ ...base, method: 'item-average' });
    expect(record.event.kind).toBe('non-private');
    expect(plan.epsilon).toBe(Infinity);
  });
  it('refuses a finite ε for a method without privacy', async () => {
    await expect(trainModel({ ...base, method: 'als', epsilon: 1 })).rejects.toThrow(NoGuaranteeError);
  });
  it('names the known methods and settings when one is wrong', async () => {
    await expect(trainModel({ ...base, method: 'alms' })).rejects.toThrow(/no method "alms".*als/);
    await expect(trainModel({ ...base, method: 'als', settings: { rang: 3 } })).rejects.toThrow(
      /no setting "rang"/,
    );
    await expect(trainModel({ ...base, method: 'als', settings: { rank: 0 } })).rejects.toThrow(/rank is 0/);
  });
  it('gives the same model for the same seed and another for another', async () => {
    const train = async (seed: number) => {
      const { model } = await trainModel({
        ...base,
        seed,
        method: 'als',
        settings: { rank: 3, rounds: 2 },
      });
      return model.kind === 'factors' ? Array.from(model.itemFactors) : [];
    };
    expect(await train(5)).toEqual(await train(5));
    expect(await train(5)).not.toEqual(await train(6));
  });
  it('shows the plan before the data and stops when aborted', async () => {
    const controller = new AbortController();
    const seen: string[] = [];
    const attempt = trainModel({
      ...base,
      method: 'als',
      hooks: {
        beforeData: (run) => {
          seen.push(run.method.id);
          controller.abort();
        },
        signal: controller.signal,
      },
    });
    await expect(attempt).rejects.toThrow(/abort/i);
    expect(seen).toEqual(['als']);
  });
});

/** Releases one noised count of people, or forgets to, or does it twice. */
const countPeople = (times: number): Method =>
  defineMethod({
    id: 'count-people',
    title: 'Toy',
    paper: 'none',
    feedback: ['explicit'],
    protects: [{ unit: 'user', relation: 'add-remove' }],
    settings: {},
    needs: 'ratings',
    plan: () => ({
      unit: 'user',
      relation: 'add-remove',
      released: 'the number of people',
      releases: [{ name: 'people', mechanism: { kind: 'gaussian' }, sensitivity: 1, count: 1, share: 1 }],
    }),
    async train({ ratings, recorder }) {
      let offset = 0;
      for (let time = 0; time < times; time++) {
        const release = recorder.begin('people');
        const count = sensitive(Float64Array.of(ratings.userCount * 2 ** 20), 'l2', 1);
        offset = (await release.add(0, count, 2 ** -20))[0];
        release.close();
      }
      return { model: { kind: 'baseline', feedback: 'explicit', offset, itemBias: new Float32Array(40) } };
    },
  });

describe('trainModel with a private method', () => {
  const target = { ...base, epsilon: 1, delta: 1e-6 };
  it('records what the plan said, at the noise of the target', async () => {
    const { model, record, plan } = await trainModel({ ...target, method: countPeople(1) });
    // σ/Δ at (1, 1e-6) is 4.2, exact Gaussian curve; seeded, so the draw is fixed.
    expect(plan.releases[0].noise).toBeCloseTo(4.2, 1);
    expect(record.releases.map(({ name, count }) => [name, count])).toEqual([['people', 1]]);
    expect(record.simulation).toBe(true);
    expect(model.kind === 'baseline' && model.offset).not.toBe(60);
  });
  it('is exact and without guarantee at ε = ∞', async () => {
    const { model, record } = await trainModel({ ...base, method: countPeople(1) });
    expect(model.kind === 'baseline' && model.offset).toBe(60);
    expect(JSON.stringify(record.event)).toContain('non-private');
  });
  it.each([0, 2])('fails when the record differs from the plan: %i releases instead of 1', async (times) => {
    await expect(trainModel({ ...target, method: countPeople(times) })).rejects.toThrow(/people/);
  });
});
