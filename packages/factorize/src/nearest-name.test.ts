import { expect, it } from 'vitest';
import { didYouMean, nearestName } from './nearest-name.js';
import { methodById, methods } from './registry.js';
import { readSettings } from './settings.js';

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
