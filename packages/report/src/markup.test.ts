import { describe, expect, it } from 'vitest';
import { escapeMarkup, fileNameOf, formatNumber } from './markup.js';

describe('escapeMarkup', () => {
  it('leaves no character that could open a tag, an entity or close an attribute', () => {
    expect(escapeMarkup(`<a b="c" d='e'>&`)).toBe('&#60;a b=&#34;c&#34; d=&#39;e&#39;&#62;&#38;');
  });
});

describe('formatNumber', () => {
  it.each([
    [0, '0'],
    [-3, '−3'],
    [0.85004, '0.85'],
    [0.000123456, '0.0001235'],
    [0.00001, '1e-5'],
    [-0.0000123, '−1.23e-5'],
    [1_500_000, '1.5e6'],
    [123_456, '123,456'],
    [-1234.5678, '−1,235'],
    [999_999.5, '1,000,000'],
    [Infinity, '∞'],
    [NaN, '–'],
  ])('%d reads %s', (value, text) => {
    expect(formatNumber(value)).toBe(text);
  });
});

describe('fileNameOf', () => {
  it.each([
    ['RMSE against ε', 'rmse-against'],
    ['../../etc', 'etc'],
    ['ε', 'chart'],
  ])('%s becomes %s', (title, name) => {
    expect(fileNameOf(title)).toBe(name);
  });
});
