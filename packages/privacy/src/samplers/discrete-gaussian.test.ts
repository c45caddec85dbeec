import { describe, expect, it } from 'vitest';
import { gaussianDelta } from '../accounting/gaussian-curve.js';
import { effectiveSigma } from '../mechanisms/grid-gaussian.js';
import { noiseKernel } from '../random/noise-kernel.js';
import { WordStream } from '../random/word-stream.js';
import { DiscreteGaussian, narrowTable, wideTable } from './discrete-gaussian.js';
import { divide, expMinus, fixedFromNumber, ONE, PRECISION } from './fixed-point.js';
import { addDraws, drawAt, gaussianStream } from './gaussian-stream.js';

const HALF = 4096;
const probability = (numerator: bigint): number => Number((numerator << 60n) >> 205n) / 2 ** 60;
const topLaw = (sigma: number) => new DiscreteGaussian(sigma).top.law();

describe('DiscreteGaussian tables', () => {
  it('have the published probabilities for σ² = 1 and 4', () => {
    const one = topLaw(1);
    expect(probability(one[HALF])).toBeCloseTo(0.398942278267, 12);
    expect(probability(one[HALF + 1])).toBeCloseTo(0.241970723224, 12);
    expect(one[HALF - 1]).toBe(one[HALF + 1]);
    const variance = one.reduce((sum, each, c) => sum + probability(each) * (c - HALF) ** 2, 0);
    expect(variance).toBeCloseTo(0.999999788768, 11);
    expect(probability(topLaw(2)[HALF])).toBeCloseTo(0.199471140201, 12);
  });

  // The narrowest and a usual σ of either kind of level: the first is where the lemma is tightest.
  it.each([
    [257, 'narrow'],
    [300.7, 'narrow'],
    [1500, 'narrow'],
    [2048.001, 'wide'],
    [5000, 'wide'],
    [80_000, 'wide'],
  ])('of two levels convolve to the law of σ = %f within 2^-170 of every ratio (%s)', (sigma, kind) => {
    const { top, narrowLevels, wideLevels } = new DiscreteGaussian(sigma);
    expect([narrowLevels, wideLevels]).toEqual(kind === 'narrow' ? [1, 0] : [0, 1]);
    const [fine, spacing] = kind === 'narrow' ? [narrowTable(), 32] : [wideTable(), 320];
    const [topLaw, fineLaw] = [top.law(), fine.law()];
    const fineHalf = fineLaw.length / 2;
    const at = (x: number): bigint => {
      let sum = 0n;
      for (let w = -HALF; w < HALF; w++) {
        const z = x - spacing * w;
        if (z >= -fineHalf && z < fineHalf) sum += topLaw[w + HALF] * fineLaw[z + fineHalf];
      }
      return sum >> 205n;
    };
    const squaredSigma = (fixedFromNumber(sigma) ** 2n) >> PRECISION;
    const centre = at(0);
    for (const x of [1, 2, 15, 16, 17, 100, 160, 333, Math.round(3 * sigma)]) {
      // Pr[x]/Pr[0] = e^(−x²/(2σ²)).
      const expected = expMinus(divide(BigInt(x * x) * ONE, 2n * squaredSigma));
      const error = (at(x) << PRECISION) / centre - expected;
      expect(Number(error < 0n ? -error : error) / Number(ONE)).toBeLessThan(2 ** -170);
    }
  });

  it('refuse σ outside 1 … 2^47', () => {
    expect(() => new DiscreteGaussian(0.5)).toThrow('1 ≤ σ ≤ 2^47');
    expect(() => new DiscreteGaussian(2 ** 48)).toThrow(RangeError);
    expect(() => new DiscreteGaussian(Number.NaN)).toThrow(RangeError);
  });
});

describe('DiscreteGaussian', () => {
  const key = new Uint8Array(32).fill(1);

  // A tie happens once in 2^17 words of the wide table, so 900,000 of them have one almost surely; the fixed
  // key makes it sure.
  it('draws the same by the reference code and by the WebAssembly kernel, ties included', () => {
    expect(noiseKernel()).not.toBeNull();
    let ties = 0;
    for (const [sigma, n] of [
      [5, 3000],
      [300, 3001],
      [3000, 3002],
      [2 ** 30, 300_000],
      [2 ** 33.5, 3000],
      [2 ** 47, 1000],
    ] as const) {
      const stream = gaussianStream(key, sigma);
      const sampler = new DiscreteGaussian(sigma);
      const words = new WordStream(key);
      const expected = Float64Array.from({ length: n }, () => sampler.draw(words));
      const tied = new Set<number>();
      const bulk = new Float64Array(n);
      const numbers = { values: new Float64Array(n), out: bulk, perStep: 1, step: 1 };
      addDraws(stream, numbers, 0, n, (place) => tied.add(place));
      for (const place of tied) bulk[place] = drawAt(stream, place);
      expect(bulk).toEqual(expected);
      expect(bulk.every(Number.isInteger)).toBe(true);
      ties += tied.size;
    }
    expect(ties).toBeGreaterThan(0);
  });

  it('gives draw number k whatever was drawn before it', () => {
    const stream = gaussianStream(key, 2 ** 31);
    const all = Float64Array.from({ length: 200 }, (_, index) => drawAt(stream, index));
    for (const begin of [0, 1, 3, 4, 5, 17, 63, 64, 100]) {
      const numbers = { values: new Float64Array(200), out: new Float64Array(200), perStep: 1, step: 1 };
      addDraws(stream, numbers, begin, 200, () => expect.unreachable('the key has no tie in these draws'));
      expect(numbers.out.subarray(begin)).toEqual(all.subarray(begin));
    }
  });

  // σ, ε and the exact δ of the discrete mechanism at sensitivity 1; the continuous formula would be too low.
  it.each([
    [4, 1, 3.055454649e-6],
    [10, 0.5, 6.93437e-9],
  ])('at σ = %f, ε = %f is charged at least its exact δ = %f', (sigma, epsilon, delta) => {
    expect(gaussianDelta(1 / effectiveSigma(sigma), epsilon)).toBeGreaterThan(delta);
    expect(gaussianDelta(1 / sigma, epsilon)).toBeLessThan(delta);
  });
});
