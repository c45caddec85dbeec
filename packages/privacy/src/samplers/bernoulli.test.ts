import { describe, expect, it } from 'vitest';
import type { WordStream } from '../random/word-stream.js';
import { Bernoulli } from './bernoulli.js';
import { ONE, PRECISION } from './fixed-point.js';

/** A stream that hands out one word, and these 512 bits where the word does not decide. */
const stream = (word: number, tie: bigint) =>
  ({ next: () => word, tieBreaker: () => tie }) as unknown as WordStream;
const most = (1n << 512n) - 1n;

describe('a coin', () => {
  // 5/8 of 2^32 and, below the first 32 bits, a half of what one word stands for.
  const half = 1n << (PRECISION - 33n);
  const coin = new Bernoulli(((ONE * 5n) >> 3n) + half);
  const edge = 5 * 2 ** 29;

  it('is decided by its first word where that differs from the probability', () => {
    expect(coin.draw(stream(edge - 1, most))).toBe(true);
    expect(coin.draw(stream(edge + 1, 0n))).toBe(false);
  });

  it('is decided by the bits that follow where it does not', () => {
    expect(coin.draw(stream(edge, 0n))).toBe(true);
    expect(coin.draw(stream(edge, (1n << 511n) - 1n))).toBe(true);
    expect(coin.draw(stream(edge, 1n << 511n))).toBe(false);
    expect(coin.draw(stream(edge, most))).toBe(false);
  });

  it('needs a probability', () => {
    expect(() => new Bernoulli(ONE)).toThrow('[0, 1)');
    expect(() => new Bernoulli(-1n)).toThrow('[0, 1)');
  });
});
