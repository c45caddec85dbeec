import { didYouMean, methodById, methods, nearestName, readSettings } from '@hushrec/factorize';
import { expect, it } from 'vitest';
import '@hushrec/papers/register';

const known = methods.map(({ id }) => id);

it.each([
  ['dp-als', 'dpals'],
  ['hsuh', 'hush'],
  ['HUSH', 'hush'],
  ['dp_cmf', 'dp-cmf'],
  ['amssp', 'am-ssp'],
  ['input-pertubation', 'input-perturbation'],
  ['popular', 'popularity'],
])('%s was meant to be %s', (typed, meant) => expect(nearestName(typed, known)).toBe(meant));

it('nothing is suggested where nothing is near', () => {
  expect(nearestName('neural-network', known)).toBeUndefined();
  expect(didYouMean('xyz', ['rank'])).toBe('');
});

it('methods and settings suggest the nearest name', () => {
  expect(() => methodById('dp-als')).toThrow(/Did you mean "dpals"\?/);
  expect(() => readSettings(methodById('als').settings, { rnak: 8 })).toThrow(/Did you mean "rank"\?/);
});
