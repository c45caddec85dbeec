import { expect, it } from 'vitest';
import { filtered, sortedBy } from './sorted-table.js';

const rows = [
  ['hush', 1, 0.25],
  ['dpals', 0.3, null],
  ['hush', Infinity, 0.3],
  ['dpals', 10, 0.1],
];

it('sorts by size or by the alphabet, what is missing last', () => {
  expect(sortedBy(rows, 1, false).map(([, epsilon]) => epsilon)).toEqual([0.3, 1, 10, Infinity]);
  expect(sortedBy(rows, 1, true).map(([, epsilon]) => epsilon)).toEqual([Infinity, 10, 1, 0.3]);
  expect(sortedBy(rows, 2, true).map(([, , mean]) => mean)).toEqual([0.3, 0.25, 0.1, null]);
  expect(sortedBy(rows, 0, false)[0][0]).toBe('dpals');
});

it('keeps rows that have every word', () => {
  expect(filtered(rows, 'HUSH 1')).toEqual([rows[0]]);
  expect(filtered(rows, '')).toHaveLength(4);
  expect(filtered(rows, 'ials')).toEqual([]);
});
