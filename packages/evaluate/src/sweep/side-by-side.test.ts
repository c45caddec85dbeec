import '@hushrec/papers/register';
import { createEngine } from '@hushrec/numerics';
import { generateCatalogue, splitHoldout } from '@hushrec/ratings';
import { describe, expect, it } from 'vitest';
import { evaluateModel } from '../evaluate-model.js';
import { memoryOutcomeStore } from './outcome-store.js';
import { runTunedSweep } from './search.js';
import { SideBySide } from './side-by-side.js';
import { runSweep, type SweepRequest } from './sweep.js';

const catalogue = generateCatalogue({ users: 300, items: 60, ratings: 6000, seed: 2 });
const split = splitHoldout(catalogue, { seed: 1 });
const one = await createEngine({ threads: 1 });
const two = await createEngine({ threads: 2 });

const sweep = (engine: typeof one, changes: Partial<SweepRequest> = {}): SweepRequest => ({
  split: {
    train: split.train,
    evaluate: (model, options) => evaluateModel(model, split, 'holdout', engine, options),
  },
  features: [],
  methods: ['als', 'dpals', 'am-dpsgd'].map((id) => ({ id, settings: { rank: 4 } })),
  epsilons: [2, 8],
  delta: 1e-5,
  repeats: 3,
  seed: 1,
  engine,
  identity: 'x',
  store: memoryOutcomeStore(),
  ...changes,
});

describe('trainings side by side', () => {
  it('give the cells of trainings one after the other, in the same order', async () => {
    const untimed = (cells: Awaited<ReturnType<typeof runSweep>>) =>
      cells.map((cell) => ({ ...cell, seconds: 0 }));
    expect(untimed(await runSweep(sweep(two)))).toEqual(untimed(await runSweep(sweep(one))));
  });

  it('choose the same settings', async () => {
    const search = {
      trials: 6,
      metric: 'rmse',
      methods: [{ id: 'dpals', settings: {} }],
      epsilons: [4],
      repeats: 1,
    };
    const [{ tuned }, { tuned: alone }] = await Promise.all([
      runTunedSweep({ ...sweep(two), ...search }),
      runTunedSweep({ ...sweep(one), ...search }),
    ]);
    expect(tuned).toEqual(alone);
  });

  it('are as many at a time as there are threads, in the order they were asked for', async () => {
    const begun: number[] = [];
    let running = 0;
    let most = 0;
    const sideBySide = new SideBySide(split.train, two);
    const works = [30, 5, 5, 5, 5].map((milliseconds, k) =>
      sideBySide.inTurn(async () => {
        begun.push(k);
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, milliseconds));
        running--;
      }),
    );
    await Promise.all(works);
    await sideBySide.close();
    expect(begun).toEqual([0, 1, 2, 3, 4]);
    expect(most).toBe(2);
  });

  it.each([1, 2])('begin no more after one has failed, %i thread(s)', async (threads) => {
    const engine = threads === 1 ? one : two;
    let asked = 0;
    const request = sweep(engine, {
      methods: [{ id: 'dpals', settings: { rank: 2 } }],
      repeats: 20,
      split: {
        train: split.train,
        evaluate: () => {
          asked++;
          throw new RangeError('no such question');
        },
      },
    });
    await expect(runSweep(request)).rejects.toThrow('no such question');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(asked).toBeLessThanOrEqual(threads);
  });

  it('stop when they are told to', async () => {
    const stop = new AbortController();
    const progress = ({ done }: { readonly done: number }) => done === 2 && stop.abort(new Error('enough'));
    await expect(runSweep(sweep(two, { signal: stop.signal, progress }))).rejects.toThrow('enough');
  });

  it('pass errors of a training on', async () => {
    const request = sweep(two, { methods: [{ id: 'dp-cmf', settings: { sourceRidges: 'gnre:2' } }] });
    await expect(runSweep(request)).rejects.toThrow(/gnre|--features/);
  });
});
