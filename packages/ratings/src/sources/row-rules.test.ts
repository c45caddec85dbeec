import { describe, expect, it } from 'vitest';
import { isOnScale, parseScale } from '../rating-scale.js';
import { idProblem, parseDecimal, parseTime } from './row-rules.js';

describe('parseDecimal', () => {
  it.each([
    ['5', 5],
    ['4.5', 4.5],
    [' 3 ', 3],
    ['.5', 0.5],
    ['5.', 5],
    ['+5', 5],
    ['-1e-2', -0.01],
  ])('reads %j', (text, value) => {
    expect(parseDecimal(text)).toBe(value);
  });
  it.each(['', ' ', 'NaN', 'inf', 'Infinity', '0x5', '5_0', '1,5', 'five'])('refuses %j', (text) => {
    expect(parseDecimal(text)).toBeNaN();
  });
});

describe('parseTime', () => {
  it.each([
    ['978300760', 978300760],
    ['978300760000', 978300760],
    ['2000-12-31T22:12:40Z', 978300760],
    ['2000-12-31 22:12:40', 978300760],
    ['2000-12-31 23:12:40.5+01', 978300760.5],
    ['2000-12-31 23:12:40+0100', 978300760],
    ['1970-01-02', 86400],
  ])('reads %j', (text, seconds) => {
    expect(parseTime(text)).toBe(seconds);
  });
  it.each(['', 'yesterday', '31.12.2000', '1e15', '2000-13-01'])('refuses %j', (text) => {
    expect(parseTime(text)).toBeNaN();
  });
});

describe('scales and ids', () => {
  it('takes grades and nothing between', () => {
    const scale = parseScale('0.5:5:0.5');
    expect([0.5, 1, 4.5, 5].every((rating) => isOnScale(rating, scale))).toBe(true);
    expect([0, 0.75, 5.5, Number.NaN].some((rating) => isOnScale(rating, scale))).toBe(false);
    expect(isOnScale(0.1 + 0.2, parseScale('0:1:0.1'))).toBe(true);
    expect(isOnScale(0.123, parseScale('0:1'))).toBe(true);
  });
  it.each(['5:1:1', '1:5:-1', 'a:b', '1', '', '1:5:1:1', '1::1'])('refuses the scale %j', (text) => {
    expect(() => parseScale(text)).toThrow(/min:max:step/);
  });
  it('measures ids in bytes', () => {
    expect(idProblem('x'.repeat(512), 'user')).toBeUndefined();
    expect(idProblem('é'.repeat(300), 'user')).toMatch(/longer than 512 bytes/);
    expect(idProblem('', 'item')).toMatch(/empty/);
    expect(idProblem('a\ufeff', 'item')).toMatch(/byte-order mark/);
  });
});
