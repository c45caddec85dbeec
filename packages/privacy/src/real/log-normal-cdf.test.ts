import { describe, expect, it } from 'vitest';
import { logNormalCdf, normalCdf } from './log-normal-cdf.js';

describe('ln Φ', () => {
  it.each([
    [0, -Math.LN2],
    [-1, -1.841021645009264],
    [-10, -53.23128515051247],
    [-40, -804.608442013754],
    [3, -0.0013508099647481938],
  ])('at %f is %f', (x, expected) => {
    expect(Math.abs(logNormalCdf(x) / expected - 1)).toBeLessThan(1e-13);
  });

  it('adds up to one with its mirror image, also where the formula changes', () => {
    for (const x of [0.1, 1, 1.999999, 2, 2.000001, 3, 5]) {
      expect(Math.abs(normalCdf(x) + normalCdf(-x) - 1)).toBeLessThan(1e-15);
    }
    expect(Math.abs(logNormalCdf(-2 - 1e-12) - logNormalCdf(-2))).toBeLessThan(1e-11);
  });

  it('ends where it must', () => {
    expect(logNormalCdf(-Infinity)).toBe(-Infinity);
    expect(Math.abs(logNormalCdf(Infinity))).toBe(0);
    expect(logNormalCdf(Number.NaN)).toBeNaN();
    expect(logNormalCdf(-1e8)).toBeCloseTo(-5e15, -2);
  });
});
