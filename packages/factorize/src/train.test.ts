import { createEngine } from '@hushrec/numerics';
import { generateCatalogue } from '@hushrec/ratings';
import { describe, expect, it } from 'vitest';
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
        settings: { rank: 3, iterations: 2 },
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
