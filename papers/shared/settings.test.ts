import '@hushrec/papers/register';
import {
  methodById,
  numbersByName,
  readSettings,
  SettingsError,
  type SettingsSchema,
} from '@hushrec/factorize';
import { describe, expect, it } from 'vitest';

const schema = {
  weights: { type: 'numbers-by-name', default: '', min: 0, max: 10, description: 'By name.' },
} as const satisfies SettingsSchema;

describe('numbers by name', () => {
  it('are read from text, whose names may hold colons and spaces', () => {
    expect([...numbersByName('weights', ' genre:0.5, a:b c :2e0')]).toEqual([
      ['genre', 0.5],
      ['a:b c', 2],
    ]);
    expect(numbersByName('weights', '').size).toBe(0);
    expect(readSettings(schema)).toEqual({ weights: '' });
    expect(readSettings(schema, { weights: 'genre:10' })).toEqual({ weights: 'genre:10' });
  });

  it.each([
    ['genre', '"genre" is not a name and a number'],
    ['genre:', 'is not a name and a number'],
    [':2', 'is not a name and a number'],
    ['genre:x', 'is not a name and a number'],
    ['genre:1,', '"" is not a name and a number'],
    ['genre:1,genre:2', '"genre" stands there twice'],
    ['genre:11', 'expected numbers from 0 to 10'],
    ['genre:-1', 'expected numbers from 0 to 10'],
    [3, 'expected text'],
  ])('refuse %s', (value, why) => {
    const read = () => readSettings(schema, { weights: value });
    expect(read).toThrow(SettingsError);
    expect(read).toThrow(why);
  });
});

describe('settings that were renamed', () => {
  it.each([
    ['dpimf', 'dimensions', 'rank'],
    ['als', 'iterations', 'rounds'],
    ['als', 'regularization', 'ridge'],
    ['als', 'exponent', 'ridgeExponent'],
    ['als', 'userShrinkage', 'interceptRidge'],
    ['sgd', 'epochs', 'rounds'],
    ['cmf', 'userRegularization', 'userRidge'],
    ['dplcf', 'listed', 'itemLimit'],
    ['hush', 'tasteRidge', 'userRidge'],
    ['dpals', 'regularization', 'userRidge and itemRidge'],
    ['cmf', 'lambda', 'userRidge and itemRidge'],
  ])('%s: %s is refused, and the new name said', (method, old, now) => {
    const read = () => readSettings(methodById(method).settings, { [old]: 1 });
    expect(read).toThrow(SettingsError);
    expect(read).toThrow(`${old} is now called ${now}`);
  });

  it('are still settings where they mean what they say', () => {
    expect(readSettings(methodById('global-effects').settings, { userShrinkage: 2 })).toMatchObject({
      userShrinkage: 2,
    });
    expect(() => readSettings(methodById('popularity').settings, { iterations: 1 })).toThrow(
      'There is no setting',
    );
    expect(() => readSettings(methodById('als').settings, { constructor: 1 })).toThrow(
      'There is no setting "constructor"',
    );
  });
});
