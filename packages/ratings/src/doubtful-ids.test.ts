import { expect, it } from 'vitest';
import { doubtfulIds } from './doubtful-ids.js';

it('counts ids that differ by spaces or the form of letters alone', () => {
  expect(doubtfulIds(['ann', 'bob', 'Ann', 'a nn', 'José', 'x y']).alike).toBe(0);
  expect(doubtfulIds(['ann', 'ann ', ' ann', 'bob']).alike).toBe(2);
  expect(doubtfulIds(['ann\u00a0', 'bob', 'ann']).alike).toBe(1);
  expect(doubtfulIds(['x  y', 'x y', 'x\ty']).alike).toBe(2);
  expect(doubtfulIds(['Jos\u00e9', 'Jose\u0301', 'Jose']).alike).toBe(1);
  expect(doubtfulIds(Array.from({ length: 50 }, (_, k) => [`u${k}`, `u${k} `]).flat()).alike).toBe(50);
});

it('finds words for what is missing', () => {
  expect(doubtfulIds(['ann', 'NULL', 'nan', 'Nullan'])).toEqual({ alike: 0, missing: ['NULL', 'nan'] });
  expect(doubtfulIds(['1', '2'])).toEqual({ alike: 0, missing: [] });
});
