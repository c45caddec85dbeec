import '@hushrec/papers/register';
import { methods } from '@hushrec/factorize';
import { createEngine, type Engine } from '@hushrec/numerics';
import { generateCatalogue, splitHoldout } from '@hushrec/ratings';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evaluateModel } from '../evaluate-model.js';
import { readMetrics } from '../read-metrics.js';
import { drawCandidate, SearchSpaceError } from './draw-candidate.js';
import { memoryOutcomeStore } from './outcome-store.js';
import { runTunedSweep, type SearchRequest, searchSettings, tuningCost } from './search.js';
import { SideBySide } from './side-by-side.js';

const catalogue = generateCatalogue({ users: 300, items: 60, ratings: 6000, seed: 2 });
const split = splitHoldout(catalogue, { seed: 1 });
const asked: string[] = [];

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.close());

const request = (changes: Partial<SearchRequest> = {}): SearchRequest => ({
  split: {
    train: split.train,
    evaluate: (model, options) => {
      asked.push(options.stage ?? 'test');
      return evaluateModel(model, split, 'holdout', engine, options);
    },
  },
  features: [],
  methods: [{ id: 'dpals', settings: {} }],
  epsilons: [5],
  delta: 1e-5,
  repeats: 2,
  seed: 1,
  engine,
  identity: 'x',
  store: memoryOutcomeStore(),
  trials: 5,
  metric: 'rmse',
  ...changes,
});

const search = (asked: SearchRequest, id: string, epsilon: number) =>
  searchSettings(asked, { id, settings: {} }, epsilon, new SideBySide(asked.split.train, asked.engine));

describe('random search', () => {
  it('chooses on validation, and looks at test once per run', async () => {
    asked.length = 0;
    const { cells, tuned } = await runTunedSweep(request());
    const searched = asked.slice(0, -2);
    // Five candidates; then three finalists, and the own rules where they are none of them, twice more.
    expect([5 + 6, 5 + 8]).toContain(searched.length);
    expect(new Set(searched)).toEqual(new Set(['validation']));
    expect(asked.slice(-2)).toEqual(['test', 'test']);
    expect(tuned[0].trials).toBe(searched.length);
    expect(cells).toHaveLength(2);
    expect(tuned[0].validation).toBeLessThanOrEqual(tuned[0].untuned);
  });

  it('takes the larger value of a metric that is better so, and asks for nothing else', async () => {
    const { cells, tuned } = await runTunedSweep(
      request({ metric: 'recall@5', metrics: readMetrics('recall@5'), repeats: 1 }),
    );
    expect(Object.keys(cells[0].metrics)).toEqual(['recall@5']);
    expect(tuned[0].validation).toBeGreaterThanOrEqual(tuned[0].untuned);
  });

  it('is not won by one lucky run', async () => {
    // Scores of validation by turn: the third candidate is lucky once and bad twice, the second good every
    // time.
    const scores = [1, 0.9, 0.5, 2, 2, /* finals: lucky, good, own rules */ 3, 3, 0.9, 0.9, 1, 1];
    let turn = 0;
    const { train } = split;
    const evaluate: SearchRequest['split']['evaluate'] = async (model, options) => {
      const value = scores[turn++];
      const measured = await evaluateModel(model, split, 'holdout', engine, options);
      return { ...measured, metrics: { rmse: { value, low: value, high: value } } };
    };
    const lucky = request({ split: { train, evaluate }, finalists: 3 });
    const winner = await search(lucky, 'dpals', 5);
    expect(turn).toBe(scores.length);
    expect(winner.validation).toBeCloseTo(0.9, 9);
    expect(winner.untuned).toBe(1);
    turn = 0;
    const single = { ...lucky, store: memoryOutcomeStore(), finalists: 1 };
    expect((await search(single, 'dpals', 5)).validation).toBe(0.5);
  });

  it('searches another space where one is given, words among its values, and drops a score that is none', async () => {
    const space = { initialization: { among: ['random', 'private-svd'] } };
    const { train } = split;
    let turn = 0;
    const evaluate: SearchRequest['split']['evaluate'] = async (model, options) => {
      const measured = await evaluateModel(model, split, 'holdout', engine, options);
      const value = turn++ === 1 ? Number.NaN : measured.metrics.rmse.value;
      return { ...measured, metrics: { rmse: { value, low: value, high: value } } };
    };
    const { tuned } = await runTunedSweep(
      request({ split: { train, evaluate }, space, trials: 4, finalists: 1, repeats: 1 }),
    );
    expect(tuned[0]).toMatchObject({ candidates: 4, failures: [expect.stringMatching(/rmse .*NaN/)] });
    expect(tuned[0].failures[0]).toMatch(/^\{"initialization":"(?:random|private-svd)"\}/);
    expect(tuned[0].validation).toBeGreaterThan(0);
  });

  it('goes on where it was killed, and is the same the second time', async () => {
    const store = memoryOutcomeStore();
    const first = await runTunedSweep(request({ store }));
    asked.length = 0;
    expect(await runTunedSweep(request({ store }))).toEqual(first);
    expect(asked).toEqual([]);
  });

  it('keeps what the user set, and runs methods without a space as they are', async () => {
    const { tuned, cells } = await runTunedSweep(
      request({
        methods: [
          { id: 'dpals', settings: { rank: 3 } },
          { id: 'item-average', settings: {} },
        ],
        repeats: 1,
        trials: 3,
      }),
    );
    expect(tuned.map(({ method }) => method)).toEqual(['dpals']);
    expect(tuned[0].settings).not.toHaveProperty('rank');
    expect(cells.map(({ method }) => method)).toEqual(['dpals', 'item-average']);
    await expect(search(request(), 'popularity', Infinity)).rejects.toThrow(SearchSpaceError);
  });

  it('draws valid settings around the suggestion, for every method that has a space', () => {
    const tunable = methods.filter(({ search }) => search !== undefined);
    expect(tunable.length).toBeGreaterThan(9);
    for (const { search: space, settings: schema } of tunable) {
      for (const key of Object.keys(space!)) expect(schema).toHaveProperty(key);
      const base = Object.fromEntries(Object.entries(schema).map(([key, setting]) => [key, setting.default]));
      for (const uniform of [0, 0.5, 0.999999]) {
        const drawn = drawCandidate(space!, schema, base, {}, () => uniform);
        for (const [key, value] of Object.entries(drawn)) {
          const setting = schema[key];
          if (setting.type !== 'number' && setting.type !== 'integer') continue;
          expect(value).toBeGreaterThanOrEqual(setting.min);
          expect(value).toBeLessThanOrEqual(setting.max);
          if (setting.type === 'integer') expect(Number.isInteger(value)).toBe(true);
        }
      }
    }
  });

  it('says what tuning would cost: more than one run, and less by random stopping than by composition', () => {
    const { randomStopping, composition } = tuningCost(1, 1e-5, 32);
    expect(randomStopping).toBeGreaterThan(1);
    expect(composition).toBeGreaterThan(randomStopping);
  });
});
