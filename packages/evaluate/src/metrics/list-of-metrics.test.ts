import { readFileSync } from 'node:fs';
import { createEngine } from '@hushrec/numerics';
import { generateCatalogue, splitHoldout } from '@hushrec/ratings';
import { afterAll, describe, expect, it } from 'vitest';
import { evaluateModel } from '../evaluate-model.js';
import { defaultCutoffs, metrics, shownOfLists, shownOfPredictions } from '../metrics.js';
import { readMetric, readMetrics } from '../read-metrics.js';
import { rankBiasedPrecision } from './example-metric.test.data.js';
import { askedName } from './metric.js';
import { keepsMetricContract } from './metric-contract.test.data.js';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('the list of metrics', () => {
  it.each(metrics)('$name is better in the direction that it says', (metric) => keepsMetricContract(metric));

  it('has every name once', () => {
    expect(new Set(metrics.map(({ name }) => name)).size).toBe(metrics.length);
  });

  it('is the table in docs/data.md', () => {
    const [, table] = read('../../../../docs/data.md').split('## Metrics');
    const rows = table
      .split('\n## ')[0]
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .map((line) => line.split(/ *\| */).slice(1, -1));
    expect(rows).toEqual(
      metrics.map(({ name, needs, about, better, unit }) => [
        needs === 'ratings' ? `\`${name}\`` : `\`${name}@k\``,
        about,
        better,
        unit,
      ]),
    );
  });

  it('shows what it always did where nobody asks', () => {
    const names = (predicted: 'ratings' | 'counts' | 'chances') =>
      shownOfPredictions(predicted).map(({ name }) => name);
    expect(names('ratings')).toEqual(['rmse', 'mae']);
    expect(names('counts')).toEqual(['rmse', 'mae', 'auc']);
    expect(names('chances')).toEqual(['log-loss', 'auc']);
    const shown = shownOfLists(defaultCutoffs).map(askedName);
    expect(shown).toHaveLength(8 * 3);
    expect(shown.slice(0, 4)).toEqual(['recall@10', 'recall@20', 'recall@100', 'full-recall@10']);
    expect(shown.at(-1)).toBe('coverage@100');
  });
});

describe('metrics by name', () => {
  it('are read with the length of their lists, each once', () => {
    expect(readMetrics('rmse, recall@20,recall@5,rmse').map(askedName)).toEqual([
      'rmse',
      'recall@20',
      'recall@5',
    ]);
  });

  it.each([
    ['rsme', /no metric "rsme"\. Did you mean "rmse"\? Known: rmse, .*recall@k/],
    ['ndgc@10', /Did you mean "ndcg@10"/],
    ['', /no metric ""/],
    ['recall', /of the form recall@k/],
    ['recall@', /of the form recall@k/],
    ['recall@0', /a whole number from 1/],
    ['recall@1.5', /a whole number from 1/],
    ['rmse@10', /leave @10 out/],
    ['constructor', /no metric "constructor"/],
  ])('%j is refused', (text, message) => {
    expect(() => readMetric(text)).toThrow(message);
    expect(() => readMetrics(`mae,${text}`)).toThrow(expect.objectContaining({ kind: 'usage' }) as Error);
  });
});

const engine = await createEngine({ threads: 1 });
afterAll(() => engine.close());
const catalogue = generateCatalogue({ users: 80, items: 40, ratings: 1200, seed: 1 });
const split = splitHoldout(catalogue, { seed: 1 });
const itemBias = Float32Array.from({ length: 40 }, (_, item) => (item % 7) / 7);
const predicting = { kind: 'baseline', feedback: 'explicit', offset: 3, itemBias } as const;
const ranking = { ...predicting, feedback: 'implicit' } as const;

describe('an evaluation of what is asked for', () => {
  const evaluate = (model: typeof predicting | typeof ranking, text?: string) =>
    evaluateModel(model, split, 'holdout', engine, {
      resamples: 50,
      rankLiked: true,
      ...(text !== undefined && { metrics: readMetrics(text) }),
    });

  it('gives the same values as one of everything, in the order asked', async () => {
    const [all, some] = [await evaluate(ranking), await evaluate(ranking, 'coverage@20,ndcg@10,recall@100')];
    expect(Object.keys(some.metrics)).toEqual(['coverage@20', 'ndcg@10', 'recall@100']);
    for (const [name, { value }] of Object.entries(some.metrics)) expect(value).toBe(all.metrics[name].value);
    expect(Object.keys(some.slices[0].metrics)).toEqual(['recall@100']);
    expect(some.slices[0].metrics['recall@100'].value).toBe(all.slices[0].metrics['recall@100'].value);
  });

  it('ranks what people liked where ratings are predicted, at any length', async () => {
    const [shown, asked] = [
      await evaluate(predicting),
      await evaluate(predicting, 'recall@10,auc,mae,map@3'),
    ];
    expect(Object.keys(shown.metrics)).toEqual(['rmse', 'mae', 'ndcg@10', 'recall@10']);
    expect(Object.keys(asked.metrics)).toEqual(['recall@10', 'auc', 'mae', 'map@3']);
    expect(asked.metrics['recall@10'].value).toBe(shown.metrics['recall@10'].value);
    expect(asked.metrics['mae']).toEqual(shown.metrics['mae']);
  });

  it('leaves out what says nothing about the model', async () => {
    expect(Object.keys((await evaluate(ranking, 'rmse,hr@5')).metrics)).toEqual(['hr@5']);
    expect(Object.keys((await evaluate(predicting, 'log-loss,rmse')).metrics)).toEqual(['rmse']);
  });
});

describe('the metric of docs/add-a-metric.md', () => {
  it('is this one, and keeps the contract', () => {
    expect(read('../../../../docs/add-a-metric.md')).toContain(read('./example-metric.test.data.ts').trim());
    keepsMetricContract(rankBiasedPrecision);
    expect(rankBiasedPrecision.of(Uint8Array.of(1, 0, 1), 2, 3)).toBeCloseTo(0.2 + 0.2 * 0.64, 12);
  });

  it('is measured where it is given', async () => {
    const asked = { metric: rankBiasedPrecision, cutoff: 10 };
    const { metrics: found } = await evaluateModel(ranking, split, 'holdout', engine, { metrics: [asked] });
    expect(Object.keys(found)).toEqual(['rbp@10']);
    expect(found['rbp@10'].value).toBeGreaterThan(0);
    expect(found['rbp@10'].low).toBeLessThan(found['rbp@10'].high);
  });
});
