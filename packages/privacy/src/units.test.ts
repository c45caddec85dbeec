import { expect, it } from 'vitest';
import { delta, epsilon, promisedDelta, promisedGaussianDelta, targetEpsilon } from './units.js';

it('takes what a δ can be', () => {
  expect([0, 1e-6, 0.5, 1 - 2 ** -53].map((value) => delta(value))).toEqual([0, 1e-6, 0.5, 1 - 2 ** -53]);
  for (const value of [-1e-9, 1, Number.NaN]) expect(() => delta(value)).toThrow(`delta is ${value}`);
});

it('takes what an ε can be', () => {
  expect([0, 0.1, Infinity].map((value) => epsilon(value))).toEqual([0, 0.1, Infinity]);
  for (const value of [-1e-9, Number.NaN]) expect(() => epsilon(value)).toThrow(`epsilon is ${value}`);
});

it('takes nothing but numbers, whatever comparisons would make of it', () => {
  expect([Number.MIN_VALUE, 1, Infinity].map((value) => targetEpsilon(value))).toEqual([
    Number.MIN_VALUE,
    1,
    Infinity,
  ]);
  for (const value of [0, -1, Number.NaN]) expect(() => targetEpsilon(value)).toThrow(`epsilon is ${value}`);
  for (const value of ['0.001', [0.001], true, null, undefined, 1n, { valueOf: () => 0.001 }])
    for (const take of [delta, epsilon, promisedDelta, promisedGaussianDelta, targetEpsilon])
      expect(() => take(value as number)).toThrow(/ is .*; expected a/);
  expect(() => targetEpsilon('1' as unknown as number)).toThrow('epsilon is "1" (string); expected');
});
