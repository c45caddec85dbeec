import { createEngine, type Engine } from '@hushrec/numerics';
import { generateCatalogue, likedItems, splitHoldout } from '@hushrec/ratings';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { evaluateModel } from '../evaluate-model.js';
import { memoryOutcomeStore } from './outcome-store.js';
import type { SearchRequest } from './search.js';
import { runSweep } from './sweep.js';
import { bestWithoutPrivacy } from './without-privacy.js';

const catalogue = generateCatalogue({ users: 300, items: 60, ratings: 6000, seed: 2 });
const split = splitHoldout({ ...catalogue, ratings: likedItems(catalogue.ratings, 4) }, { seed: 1 });

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.close());

/** Test scores are 0.3 for all; those of validation as given, by kind of model. */
function request(validation: { readonly ials: number; readonly ease: number }): SearchRequest {
  return {
    split: {
      train: split.train,
      evaluate: async (model, options) => {
        const measured = await evaluateModel(model, split, 'holdout', engine, options);
        const ofValidation = validation[model.kind === 'neighbours' ? 'ease' : 'ials'];
        const value = options.stage === 'validation' ? ofValidation : 0.3;
        return { ...measured, metrics: { 'recall@20': { value, low: value, high: value } } };
      },
    },
    features: [],
    methods: [
      { id: 'ials', settings: {} },
      { id: 'ease', settings: {} },
    ],
    epsilons: [5],
    delta: 1e-5,
    repeats: 1,
    seed: 1,
    engine,
    identity: 'x',
    store: memoryOutcomeStore(),
    trials: 3,
    metric: 'recall@20',
  };
}

const privateCell = (value: number) => ({
  method: 'hush',
  unit: 'user',
  epsilon: 5,
  nominalEpsilon: 5,
  delta: 1e-5,
  run: 0,
  seconds: 1,
  metrics: { 'recall@20': value },
  slices: [],
});

it('names the best on validation, whatever test says, and searches nothing where nothing private is above', async () => {
  const asked = request({ ials: 0.2, ease: 0.4 });
  const cells = [...(await runSweep(asked)), privateCell(0.25)];
  const { withoutPrivacy, tuned } = await bestWithoutPrivacy(asked, { cells, tuned: [] });
  expect(withoutPrivacy).toMatchObject({
    method: 'ease',
    validation: 0.4,
    mean: 0.3,
    among: ['ials', 'ease'],
    below: [],
  });
  expect(tuned).toEqual([]);
});

it('searches the yardsticks on validation where a private model is above them, and says what still is', async () => {
  const asked = request({ ials: 0.4, ease: 0.2 });
  const cells = [...(await runSweep(asked)), privateCell(0.35)];
  const found = await bestWithoutPrivacy(asked, { cells, tuned: [] });
  expect(found.tuned.map(({ method, epsilon, candidates }) => [method, epsilon, candidates])).toEqual([
    ['ials', null, 3],
    ['ease', null, 3],
  ]);
  expect(found.withoutPrivacy).toMatchObject({
    method: 'ials',
    below: [{ method: 'hush', epsilon: 5, mean: 0.35 }],
  });
  expect(found.cells.filter(({ method }) => method === 'ials')).toHaveLength(1);
});

it('runs a private method without its noise among those without privacy', async () => {
  const methods = [{ id: 'hush', settings: { feedback: 'implicit' }, epsilons: [5, Infinity] }];
  const cells = await runSweep({ ...request({ ials: 0, ease: 0 }), methods });
  expect(cells.map(({ unit, epsilon }) => [unit, epsilon === null])).toEqual([
    ['user', false],
    ['none', true],
  ]);
});
