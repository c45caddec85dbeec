import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WordStream } from '../random/word-stream.js';
import { AliasTable, COLUMNS } from './alias-table.js';

describe('AliasTable', () => {
  it('has the law of its weights, to within what rounding moved', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt(0n, 1n << 100n), { minLength: 1, maxLength: 30 }), (weights) => {
        fc.pre(weights.some((weight) => weight > 0n));
        const law = new AliasTable(weights).law();
        const total = weights.reduce((sum, weight) => sum + weight, 0n);
        expect(law.reduce((sum, each) => sum + each, 0n)).toBe(1n << 205n);
        weights.forEach((weight, i) => {
          const error = law[i] * total - (weight << 205n);
          expect(error < 0n ? -error : error).toBeLessThan(BigInt(COLUMNS) * total);
        });
        expect(law.slice(weights.length).every((each) => each === 0n)).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it('decides ties by the bits that did not fit in the word', () => {
    // Two values, the second of weight 2^-100: its threshold's first 19 bits are 0, the rest decides.
    const table = new AliasTable([(1n << 100n) - 1n, 1n]);
    const stream = new WordStream(new Uint8Array(32).fill(5));
    stream.next();
    expect(table.draw(1, stream)).toBe(0);
  });

  it('has as many columns as it is asked for', () => {
    const weights = Array.from({ length: 1 << 15 }, (_, i) => BigInt(i % 97));
    const table = new AliasTable(weights, 15);
    const total = weights.reduce((sum, weight) => sum + weight, 0n);
    const law = table.law();
    expect(law.reduce((sum, each) => sum + each, 0n)).toBe(1n << 207n);
    expect(law.every((each, i) => Number((each * total - (weights[i] << 207n)) / total) < 1 << 15)).toBe(
      true,
    );
    expect(() => new AliasTable(weights)).toThrow('holds 8192');
  });

  it('refuses what it cannot hold', () => {
    expect(() => new AliasTable([])).toThrow(RangeError);
    expect(() => new AliasTable(new Array<bigint>(COLUMNS + 1).fill(1n))).toThrow(RangeError);
  });
});
