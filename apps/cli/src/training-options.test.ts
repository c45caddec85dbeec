import { describe, expect, it } from 'vitest';
import { integerOption, numberOption, OptionError } from './command.js';
import { settingsOf } from './training-options.js';

describe('options', () => {
  it('--set takes key=value, and values may hold =', () => {
    expect(settingsOf(['rank=16', 'note=a=b', 'empty='])).toEqual({ rank: '16', note: 'a=b', empty: '' });
    expect(settingsOf(undefined)).toEqual({});
    expect(() => settingsOf(['rank'])).toThrow(OptionError);
    expect(() => settingsOf(['=16'])).toThrow(/expected key=value/);
  });

  it('numbers are numbers, ∞ included, and nothing else', () => {
    const read = numberOption('epsilon');
    expect([read('1e-6'), read('inf'), read('∞')]).toEqual([1e-6, Infinity, Infinity]);
    for (const text of ['', ' ', 'x', '1,5', '1e999']) expect(() => read(text), text).toThrow(/--epsilon is/);
  });

  it('whole numbers stay in their range', () => {
    const read = integerOption('threads', 1, 8);
    expect(read('8')).toBe(8);
    for (const text of ['0', '9', '1.5', 'x']) expect(() => read(text), text).toThrow(/from 1 to 8/);
  });
});
