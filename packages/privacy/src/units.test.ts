import { expect, it } from 'vitest';
import { delta, epsilon } from './units.js';

it('takes what a δ can be', () => {
  expect([0, 1e-6, 0.5, 1 - 2 ** -53].map((value) => delta(value))).toEqual([0, 1e-6, 0.5, 1 - 2 ** -53]);
  for (const value of [-1e-9, 1, Number.NaN]) expect(() => delta(value)).toThrow(`delta is ${value}`);
});

it('takes what an ε can be', () => {
  expect([0, 0.1, Infinity].map((value) => epsilon(value))).toEqual([0, 0.1, Infinity]);
  for (const value of [-1e-9, Number.NaN]) expect(() => epsilon(value)).toThrow(`epsilon is ${value}`);
});
