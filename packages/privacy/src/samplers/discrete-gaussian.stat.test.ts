import { describe, expect, it } from 'vitest';
import { freshSecret } from '../random/run-secret.js';
import { WordStream } from '../random/word-stream.js';
import { exactDiscreteGaussian } from './exact-rejection.test.data.js';
import { drawDiscreteGaussian } from './gaussian-stream.js';
import { countsOf, SIX_SIGMA, zOfFit, zOfMean, zOfSecondMoment } from './goodness-of-fit.test.data.js';

const N = 200_000;
const drawn = (sigma: number, n = N): Float64Array => {
  const draws = new Float64Array(n);
  drawDiscreteGaussian(draws, sigma);
  return draws;
};
const cells = (sigma: number, reach: number): [number, number][] => {
  const weights = Array.from({ length: 2 * reach + 1 }, (_, i) =>
    Math.exp(-((i - reach) ** 2) / (2 * sigma * sigma)),
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight, i) => [i - reach, weight / total]);
};

// False alarm: a correct sampler gives |z| > 6 with probability about 2e-9 in each test below.
describe('discrete Gaussian draws', () => {
  describe.each([3, 200, 1000.5, 3000, 2 ** 20, 2 ** 30, 2 ** 33.4])('of σ = %f', (sigma) => {
    const draws = drawn(sigma);
    const z = (claimed: number) => zOfSecondMoment(draws, claimed ** 2, 3 * claimed ** 4);
    it('have the standard deviation they were asked for, and mean 0', () => {
      expect(Math.abs(z(sigma))).toBeLessThan(SIX_SIGMA);
      expect(Math.abs(zOfMean(draws, sigma ** 2))).toBeLessThan(SIX_SIGMA);
    });
    // Power: a factor 1.03 in σ moves z by about 0.06·√(N/2) = 19.
    it.each([0.97, 1.03])('and would be noticed if σ were wrong by × %f', (factor) => {
      expect(Math.abs(z(sigma * factor))).toBeGreaterThan(SIX_SIGMA);
    });
  });

  it.each([2, 300])('of σ = %f have the right probability at every integer', (sigma) => {
    const counts = countsOf(drawn(sigma));
    expect(zOfFit(counts, N, cells(sigma, 8 * sigma))).toBeLessThan(SIX_SIGMA);
    expect(zOfFit(counts, N, cells(sigma * 1.03, 8 * sigma))).toBeGreaterThan(SIX_SIGMA);
    expect(zOfFit(counts, N, cells(sigma * 0.97, 8 * sigma))).toBeGreaterThan(SIX_SIGMA);
  });

  it('are not correlated from one to the next, nor across keys', () => {
    const [a, b] = [drawn(1000), drawn(1000)];
    const correlation = (x: Float64Array, y: Float64Array) => {
      let sum = 0;
      for (let i = 0; i < x.length; i++) sum += x[i] * y[i];
      return sum / (1e6 * Math.sqrt(x.length));
    };
    expect(Math.abs(correlation(a, b))).toBeLessThan(SIX_SIGMA);
    expect(Math.abs(correlation(a.subarray(1), a.subarray(0, -1)))).toBeLessThan(SIX_SIGMA);
    expect(Math.abs(correlation(a, a))).toBeGreaterThan(SIX_SIGMA);
  });
});

describe('the exact rejection sampler', () => {
  const stream = new WordStream(freshSecret());
  const n = 20_000;
  it.each([
    [1n, 4n, 0.5],
    [25n, 4n, 2.5],
    [400n, 1n, 20],
  ])('of σ² = %s/%s has the law of the fast one', (numerator, denominator, sigma) => {
    const draws = Array.from({ length: n }, () =>
      Number(exactDiscreteGaussian({ numerator, denominator }, stream)),
    );
    const expected = cells(sigma, Math.ceil(9 * sigma));
    expect(zOfFit(countsOf(draws), n, expected)).toBeLessThan(SIX_SIGMA);
  });

  it('puts the published mass 0.786570707042 at 0 for σ² = 1/4', () => {
    const p = 0.786570707042;
    let zeros = 0;
    for (let i = 0; i < n; i++)
      if (exactDiscreteGaussian({ numerator: 1n, denominator: 4n }, stream) === 0n) zeros++;
    expect(Math.abs(zeros - n * p) / Math.sqrt(n * p * (1 - p))).toBeLessThan(SIX_SIGMA);
  });
});
