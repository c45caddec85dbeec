import { describe, expect, it } from 'vitest';
import { gaussianEpsilon } from './gaussian-curve.js';
import { pldEpsilon } from './pld.js';
import { fixedSizeDivergence, fixedSizeSamplingEpsilon } from './without-replacement.js';

const sampling = { batch: 100, population: 10_000, replaceSensitivity: 1, noise: 2, count: 100 };

describe('sampling without replacement', () => {
  it('has the divergence of the theorem at order 2 and 3', () => {
    const r2 = 2 / 8;
    const [second, third] = [0.01 ** 2, 0.01 ** 3];
    const factor = Math.min(4 * Math.expm1(r2), 2 * Math.exp(r2));
    expect(fixedSizeDivergence(sampling, 2)).toBeCloseTo(Math.log1p(second * factor), 12);
    const cubic = third * 2 * Math.exp(2 * (3 / 8));
    expect(fixedSizeDivergence(sampling, 3)).toBeCloseTo(Math.log1p(second * 3 * factor + cubic) / 2, 12);
  });

  it('gains from a smaller batch and costs more with more releases', () => {
    const cost = fixedSizeSamplingEpsilon(sampling, 1e-6);
    expect(fixedSizeSamplingEpsilon({ ...sampling, batch: 50 }, 1e-6)).toBeLessThan(cost);
    expect(fixedSizeSamplingEpsilon({ ...sampling, count: 200 }, 1e-6)).toBeGreaterThan(cost);
    expect(cost).toBeLessThan(gaussianEpsilon(Math.sqrt(100) / 2, 1e-6));
  });

  it('is never cheaper than Poisson sampling of the same rate, which is tight and for the weaker relation', () => {
    const event = { kind: 'poisson-sampled-gaussian', rate: 0.01, sensitivity: 1, noise: 2 } as const;
    const poisson = pldEpsilon({ kind: 'repeated', event, count: 100 }, 1e-6);
    expect(fixedSizeSamplingEpsilon(sampling, 1e-6)).toBeGreaterThan(poisson);
  });

  it('refuses a sample larger than the population', () => {
    expect(() => fixedSizeSamplingEpsilon({ ...sampling, batch: 20_000 }, 1e-6)).toThrow('batch is 20000');
  });
});
