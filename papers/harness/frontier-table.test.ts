import { describe, expect, it } from 'vitest';
import { leads } from './frontier-table.js';
import type { Measured } from './measure-task.js';

const row = (name: string, epsilon: number | null, mean: number, error = 0.001): Measured => ({
  name,
  method: name,
  unit: 'user',
  epsilon,
  delta: 1e-5,
  metric: 'rmse',
  mean,
  sd: error * Math.sqrt(3),
  runs: 3,
  seconds: 1,
  error,
  slices: [],
});

describe('who leads', () => {
  const rows = [
    row('hush', 1, 0.9),
    row('hush', 5, 0.87),
    row('dpals', 1.0000001, 0.95),
    row('dpals', 5, 0.8705),
    row('am-ssp', 1, 0.94),
    row('am-ssp', 5, 0.9),
    row('als', null, 0.85),
  ];

  it('compares with the best private other, against two standard errors', () => {
    const [first, second] = leads('here', 'rmse', rows, 'hush', [1, 5]);
    expect(first).toMatchObject({ measured: 0.9, holds: true });
    expect(first.note).toContain('am-ssp 0.9400');
    expect(second).toMatchObject({ holds: false }); // ahead by half a standard error
  });

  it('knows that recall is better large', () => {
    const [only] = leads('here', 'recall@20', rows, 'hush', [1]);
    expect(only.holds).toBe(false);
    expect(only.note).toContain('dpals');
  });
});
