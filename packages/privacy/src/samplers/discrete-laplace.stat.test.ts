import { describe, expect, it } from 'vitest';
import { freshSecret } from '../random/run-secret.js';
import { WordStream } from '../random/word-stream.js';
import { Bernoulli } from './bernoulli.js';
import { DiscreteLaplace } from './discrete-laplace.js';
import { exactDiscreteLaplace } from './exact-rejection.test.data.js';
import { exponential } from './exponential.js';
import { fixedFromNumber } from './fixed-point.js';
import { gammaOfHalves } from './gamma.js';
import { Geometric } from './geometric.js';
import { countsOf, SIX_SIGMA, zOfFit, zOfMean } from './goodness-of-fit.test.data.js';

const N = 200_000;
const stream = new WordStream(freshSecret());
/** E|x| of the discrete Laplace law: 2q/(1 − q²), q = e^(−1/t); E x² = 2q/(1 − q)². */
const meanSize = (t: number) => 1 / Math.sinh(1 / t);
const meanSquare = (t: number) => 1 / (2 * Math.sinh(1 / (2 * t)) ** 2);
const cells = (t: number, reach: number): [number, number][] =>
  Array.from({ length: 2 * reach + 1 }, (_, i) => [
    i - reach,
    Math.tanh(1 / (2 * t)) * Math.exp(-Math.abs(i - reach) / t),
  ]);

// False alarm: |z| > 6 has probability about 2e-9 for a correct sampler, in each test below.
describe('discrete Laplace draws', () => {
  describe.each([0.5, 7.3, 5000, 2 ** 25, 2 ** 36])('of scale %f', (t) => {
    const draws = new Float64Array(N);
    new DiscreteLaplace(t).addTo(draws, 0, N, stream);
    const z = (claimed: number) => {
      let sum = 0;
      for (const x of draws) sum += Math.abs(x);
      const mean = meanSize(claimed);
      return (sum - N * mean) / Math.sqrt(N * (meanSquare(claimed) - mean * mean));
    };
    it('have the scale they were asked for, and mean 0', () => {
      expect(Math.abs(z(t))).toBeLessThan(SIX_SIGMA);
      expect(Math.abs(zOfMean(draws, meanSquare(t)))).toBeLessThan(SIX_SIGMA);
      expect(draws.every(Number.isInteger)).toBe(true);
    });
    // Power: a factor 1.03 in the scale moves z by about 0.03·√N = 13.
    it.each([0.97, 1.03])('and would be noticed if it were wrong by × %f', (factor) => {
      expect(Math.abs(z(t * factor))).toBeGreaterThan(SIX_SIGMA);
    });
  });

  it('have the right probability at every integer, as has the exact rejection sampler', () => {
    const n = 2 * N;
    const draws = new Float64Array(n);
    new DiscreteLaplace(20).addTo(draws, 0, n, stream);
    expect(zOfFit(countsOf(draws), n, cells(20, 400))).toBeLessThan(SIX_SIGMA);
    // Power: χ² grows by 0.03²·n = 360 on 39 degrees of freedom, z by about 15.
    expect(zOfFit(countsOf(draws), n, cells(20.6, 400))).toBeGreaterThan(SIX_SIGMA);
    const exact = Array.from({ length: 20_000 }, () => Number(exactDiscreteLaplace(20n, stream)));
    expect(zOfFit(countsOf(exact), 20_000, cells(20, 400))).toBeLessThan(SIX_SIGMA);
  });
});

describe('the pieces', () => {
  it('geometric: mean q/(1 − q)', () => {
    const q = 0.999;
    const geometric = new Geometric(fixedFromNumber(q));
    let sum = 0;
    for (let i = 0; i < N; i++) sum += geometric.draw(stream);
    const z = (ratio: number) => (sum - (N * ratio) / (1 - ratio)) / (Math.sqrt(N * ratio) / (1 - ratio));
    expect(Math.abs(z(q))).toBeLessThan(SIX_SIGMA);
    expect(Math.abs(z(1 - 0.001 * 1.03))).toBeGreaterThan(SIX_SIGMA);
  });

  it('coin: probability to the last bit asked', () => {
    for (const p of [0.1, 0.5, 0.9]) {
      const coin = new Bernoulli(fixedFromNumber(p));
      let heads = 0;
      for (let i = 0; i < N; i++) if (coin.draw(stream)) heads++;
      const z = (claimed: number) => (heads - N * claimed) / Math.sqrt(N * claimed * (1 - claimed));
      expect(Math.abs(z(p))).toBeLessThan(SIX_SIGMA);
      expect(Math.abs(z(p * 0.9))).toBeGreaterThan(SIX_SIGMA);
    }
    expect(() => new Bernoulli(-1n)).toThrow(RangeError);
  });

  it('exponential and Gamma: mean and variance are the shape', () => {
    for (const halves of [2, 3, 9]) {
      let sum = 0;
      for (let i = 0; i < N; i++) sum += halves === 2 ? exponential(stream) : gammaOfHalves(halves, stream);
      const z = (scale: number) => (sum - (N * scale * halves) / 2) / (scale * Math.sqrt((N * halves) / 2));
      expect(Math.abs(z(1))).toBeLessThan(SIX_SIGMA);
      expect(Math.abs(z(1.03))).toBeGreaterThan(SIX_SIGMA);
      expect(Math.abs(z(0.97))).toBeGreaterThan(SIX_SIGMA);
    }
  });
});
