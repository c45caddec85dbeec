import { expect, it } from 'vitest';
import { comparisonTable } from './comparison-text.js';

it('the table states the standard error of the mean, and none for a single run', () => {
  const row = (method: string, runs: number, sd: number) => ({
    ...{ method, unit: 'user', epsilon: 1, delta: 1e-6, metric: 'rmse', mean: 0.9, sd, runs, seconds: 2 },
  });
  const table = comparisonTable([row('hush', 4, 0.02), row('dpals', 1, 0)], 'rmse', {
    people: 1000,
    ratings: 20_000,
  });
  expect(table).toContain('rmse ± standard error');
  expect(table).toContain('0.9000 ± 0.0100');
  expect(table).toMatch(/dpals +1 +0\.9000 +1 /);
});
