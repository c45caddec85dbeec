import { columnsOf } from '@hushrec/report';
import { describe, expect, it } from 'vitest';
import {
  metricNames,
  modelsChart,
  noiseTable,
  slicesChart,
  sweepChart,
  sweepFinding,
  unitsOf,
} from './comparison-charts.js';
import { rankedMethods } from './ranking.js';
import type { ComparisonRow, ModelSummary } from './server-interface.js';

const row = (method: string, unit: string, epsilon: number | null, mean: number): ComparisonRow => ({
  method,
  unit,
  epsilon,
  delta: 1e-6,
  metric: 'rmse',
  mean,
  sd: 0.02,
  runs: 4,
  seconds: 1,
});
const rows = [
  row('hush', 'user', 1, 0.9),
  row('hush', 'user', 5, 0.8),
  row('dpmf', 'rating-value', 1, 0.7),
  row('als', 'none', null, 0.75),
];

describe('sweepChart', () => {
  it('never draws ε of different units on one axis', () => {
    expect(unitsOf(rows)).toEqual(['user', 'rating-value']);
    const chart = sweepChart({ rows, trainedOn: null, withoutPrivacy: null }, 'rmse', 'user');
    expect(chart.series).toEqual([
      {
        name: 'hush',
        points: [
          { x: 1, y: 0.9, low: 0.89, high: 0.91 },
          { x: 5, y: 0.8, low: 0.79, high: 0.81 },
        ],
      },
    ]);
    expect(chart.references).toEqual([{ name: 'no privacy (als), 0.75', y: 0.75 }]);
    expect(chart.y.label).toContain('lower is better');
  });

  it('draws the best without privacy and what needs nobody’s taste, and no other yardstick', () => {
    const more = [...rows, row('hush', 'none', null, 0.76), row('popularity', 'none', null, 0.99)];
    const named = { rows: more, trainedOn: null, metric: 'rmse', withoutPrivacy: 'hush' };
    expect(sweepChart(named, 'rmse', 'user').references).toEqual([
      { name: 'no privacy (hush), 0.76', y: 0.76 },
      { name: 'bestseller list, 0.99', y: 0.99 },
    ]);
    expect(sweepFinding(named)).toContain('no privacy (0.76)');
    const { ranked } = rankedMethods(named);
    const hush = ranked.filter(({ name }) => name === 'hush');
    expect(hush.map(({ note, values }) => [note, values.get('rmse')])).toEqual([
      ['no privacy', 0.76],
      ['ε = 1', 0.9],
    ]);
  });
});

describe('charts of models', () => {
  const model = (id: string, epsilon: number | null, metrics: unknown) =>
    ({ id, method: id, epsilon, metrics }) as ModelSummary;
  const measured = {
    metrics: { rmse: { value: 0.9, low: 0.8, high: 1 }, broken: { value: 'x' } },
    slices: [{ metrics: { rmse: { value: 1 } } }, { metrics: {} }],
  };
  const models = [
    model('a', 1, measured),
    model('b', null, { metrics: { rmse: { value: 0.7 } } }),
    model('c', 2, null),
  ];

  it('take what was measured and leave out what was not', () => {
    expect(metricNames(models)).toEqual(['rmse']);
    const chart = modelsChart(models, 'rmse');
    expect(chart.series).toEqual([{ name: 'a', points: [{ x: 1, y: 0.9, low: 0.8, high: 1 }] }]);
    expect(chart.references).toEqual([{ name: 'no privacy (b)', y: 0.7 }]);
    expect(slicesChart(models, 'rmse')?.series).toEqual([{ name: 'a', values: [1, null] }]);
    expect(slicesChart(models, 'mae')).toBeUndefined();
    const found = [{ ...models[0], metrics: { slices: [{ metrics: { 'recall@20': { value: 0.25 } } }] } }];
    // The axis says "of 100".
    expect(slicesChart(found, 'recall@20')?.series[0].values).toEqual([25]);
  });

  it('average the noise of repeated releases and leave out those without sensitivity', () => {
    const releases = [
      { name: 'statistics-round-1', sensitivity: 1, noise: 4 },
      { name: 'statistics-round-2', sensitivity: 1, noise: 8 },
      { name: 'sampler', sensitivity: 0, noise: 0 },
    ];
    const table = noiseTable([{ model: 'a', releases }])!;
    expect(columnsOf(table).map(({ label }) => label)).toEqual(['Released', 'a']);
    expect(table.rows).toEqual([['Statistics', 6]]);
    expect(noiseTable([])).toBeUndefined();
  });
});
