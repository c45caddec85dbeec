import { describe, expect, it } from 'vitest';
import { gaussianDelta } from '../accounting/gaussian-curve.js';
import { effectiveSigma } from '../mechanisms/grid-gaussian.js';
import { noiseKernel } from '../random/noise-kernel.js';
import { WordStream } from '../random/word-stream.js';
import { COLUMNS } from './alias-table.js';
import { DiscreteGaussian, discreteGaussianTables } from './discrete-gaussian.js';
import { divide, expMinus, fixedFromNumber, ONE, PRECISION } from './fixed-point.js';

const HALF = COLUMNS / 2;
const LAW = 205n;
const probability = (numerator: bigint): number => Number((numerator << 60n) >> LAW) / 2 ** 60;

describe('DiscreteGaussian tables', () => {
  it('have the published probabilities for σ² = 1 and 4', () => {
    const one = discreteGaussianTables(1).top.law();
    expect(probability(one[HALF]!)).toBeCloseTo(0.398942278267, 12);
    expect(probability(one[HALF + 1]!)).toBeCloseTo(0.241970723224, 12);
    expect(one[HALF - 1]).toBe(one[HALF + 1]);
    const variance = one.reduce((sum, each, c) => sum + probability(each) * (c - HALF) ** 2, 0);
    expect(variance).toBeCloseTo(0.999999788768, 11);
    expect(probability(discreteGaussianTables(2).top.law()[HALF]!)).toBeCloseTo(0.199471140201, 12);
  });

  it.each([257, 300.7, 1500])(
    'of two levels convolve to the law of σ = %f within 2^-170 of every ratio',
    (sigma) => {
      const { top, fine, fineLevels } = discreteGaussianTables(sigma);
      expect(fineLevels).toBe(1);
      const [topLaw, fineLaw] = [top.law(), fine.law()];
      const at = (x: number): bigint => {
        let sum = 0n;
        for (let w = -HALF; w < HALF; w++) {
          const z = x - 32 * w;
          if (z >= -HALF && z < HALF) sum += topLaw[w + HALF]! * fineLaw[z + HALF]!;
        }
        return sum >> LAW;
      };
      const squaredSigma = (fixedFromNumber(sigma) ** 2n) >> PRECISION;
      const centre = at(0);
      for (const x of [1, 2, 15, 16, 17, 100, 333, Math.round(3 * sigma)]) {
        // Pr[x]/Pr[0] = e^(−x²/(2σ²)).
        const expected = expMinus(divide(BigInt(x * x) * ONE, 2n * squaredSigma));
        const error = (at(x) << PRECISION) / centre - expected;
        expect(Number(error < 0n ? -error : error) / Number(ONE)).toBeLessThan(2 ** -170);
      }
    },
  );

  it('refuse σ outside 1 … 2^47', () => {
    expect(() => new DiscreteGaussian(0.5)).toThrow('1 ≤ σ ≤ 2^47');
    expect(() => new DiscreteGaussian(2 ** 48)).toThrow(RangeError);
    expect(() => new DiscreteGaussian(Number.NaN)).toThrow(RangeError);
  });
});

describe('DiscreteGaussian', () => {
  // A tie happens once in 2^19 words, so 1.8 million words have one with probability 97 %; the fixed key makes it sure.
  it('draws the same by the reference code and by the WebAssembly kernel, ties included', () => {
    expect(noiseKernel()).not.toBeNull();
    for (const [sigma, n] of [
      [5, 3000],
      [300, 3001],
      [2 ** 30, 300_000],
      [2 ** 47, 1000],
    ] as const) {
      const sampler = new DiscreteGaussian(sigma);
      const bulk = new Float64Array(n);
      sampler.addTo(bulk, 0, bulk.length, new WordStream(new Uint8Array(32).fill(1)));
      const stream = new WordStream(new Uint8Array(32).fill(1));
      expect(Array.from(bulk, () => sampler.draw(stream))).toEqual([...bulk]);
      expect(bulk.every(Number.isInteger)).toBe(true);
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
