import { expect, it } from 'vitest';
import { favouritesFound } from './favourites-found.js';
import type { ComparisonRow } from './server-interface.js';

const row = (method: string, epsilon: number | null, mean: number, metric = 'recall@20') =>
  ({ method, epsilon, mean, metric, unit: epsilon === null ? 'none' : 'user' }) as ComparisonRow;

it('lists favourites found without privacy, at each ε, and by the bestseller list', () => {
  const rows = [
    row('hush', 1, 0.1, 'recall@10'),
    row('popularity', null, 0.17),
    row('hush', 1, 0.25),
    row('hush', 10, 0.3),
    row('dpals', 1, 0.2),
    row('ials', null, 0.24),
    row('ease', null, 0.32),
    row('hush', 1, 0.9, 'rmse'),
  ];
  const found = favouritesFound({ rows, metric: 'recall@20', withoutPrivacy: 'ease' })!;
  expect(found.top).toBe('20');
  expect(found.rows.map(({ name, words }) => [name, words])).toEqual([
    ['no privacy', '32'],
    ['ε = 10', '30'],
    ['ε = 1', '25'],
    ['bestseller list', '17'],
  ]);
  expect(found.rows[0].share).toBe(1);
  // Chosen by stars, `ials` is no yardstick of lists.
  const [first] = favouritesFound({ rows: rows.slice(1), metric: 'rmse', withoutPrivacy: 'ials' })!.rows;
  expect(first.words).toBe('32');
});

it('says nothing where no favourites were counted', () => {
  expect(
    favouritesFound({ rows: [row('hush', 1, 0.9, 'rmse')], metric: 'rmse', withoutPrivacy: null }),
  ).toBeUndefined();
});
