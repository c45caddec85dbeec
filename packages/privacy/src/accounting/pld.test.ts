import { describe, expect, it } from 'vitest';
import type { PrivacyEvent } from '../event.js';
import { gaussianEpsilon } from './gaussian-curve.js';
import { pldAccountant, pldEpsilon } from './pld.js';

const repeated = (event: PrivacyEvent, count: number): PrivacyEvent => ({ kind: 'repeated', event, count });
const gaussian = (noise: number, count: number) =>
  repeated({ kind: 'gaussian', sensitivity: 1, noise }, count);
const sampled = (rate: number, noise: number, count: number) =>
  repeated({ kind: 'poisson-sampled-gaussian', rate, sensitivity: 1, noise }, count);
const laplace = (noise: number, count: number, gridScale?: number) =>
  repeated(
    { kind: 'laplace', sensitivity: 1, noise, ...(gridScale === undefined ? {} : { gridScale }) },
    count,
  );

describe('numerical composition', () => {
  it.each([
    [3.7306316, 1, 1e-5],
    [0.29004142, 1, 1e-5],
    [5, 10, 1e-3],
    [10, 1000, 1e-12],
    [100, 10_000, 1e-5],
    [0.1, 1, 1e-8],
    [2, 3, 1e-30],
  ])(
    'of Gaussian releases (σ %f, %i times, δ %f) is within 0.1 percent above the exact curve',
    (noise, count, delta) => {
      const exact = gaussianEpsilon(Math.sqrt(count) / noise, delta);
      const above = pldEpsilon(gaussian(noise, count), delta);
      expect(above).toBeGreaterThanOrEqual(exact * (1 - 1e-9));
      expect(above).toBeLessThanOrEqual(exact * 1.001);
      const below = pldEpsilon(gaussian(noise, count), delta, 'optimistic');
      expect(below).toBeLessThanOrEqual(exact * (1 + 1e-9));
      expect(below).toBeGreaterThan(exact * 0.98);
    },
  );

  // Google's dp_accounting with a grid of 1e-4.
  it.each([
    [0.01, 1, 1000, 1.82824],
    [0.01, 4, 1000, 0.27217],
  ])(
    'of Poisson-sampled releases (q %f, σ %f, %i times) is within 1 percent of the published %f',
    (rate, noise, count, published) => {
      const above = pldEpsilon(sampled(rate, noise, count), 1e-5);
      expect(Math.abs(above / published - 1)).toBeLessThan(2e-4);
      expect(pldEpsilon(sampled(rate, noise, count), 1e-5, 'optimistic')).toBeLessThanOrEqual(above);
    },
  );

  it('of one Laplace release is its curve 1 + 2 ln(1 − δ), and of 2,000 the published 887–888', () => {
    for (const delta of [1e-5, 1e-2, 0.2]) {
      const exact = 1 + 2 * Math.log(1 - delta);
      expect(pldEpsilon(laplace(1, 1), delta)).toBeGreaterThanOrEqual(exact - 1e-12);
      expect(pldEpsilon(laplace(1, 1), delta)).toBeLessThan(exact + 1e-4);
    }
    expect(pldEpsilon(laplace(1, 3), 1e-300)).toBeCloseTo(3, 9);
    const many = pldEpsilon(laplace(1, 2000), 1e-5);
    expect(many).toBeGreaterThan(887);
    expect(many).toBeLessThan(888);
  });

  it('of randomised response is its curve ln((p − δ)/(1 − p))', () => {
    const p = Math.E / (1 + Math.E);
    const event: PrivacyEvent = { kind: 'pure', mechanism: 'randomized-response', epsilon: 1 };
    expect(pldEpsilon(event, 1e-3)).toBeCloseTo(Math.log((p - 1e-3) / (1 - p)), 9);
  });

  it.each([
    [0.05, 1000, 1e-5],
    [0.5, 40, 1e-12],
    [0.02, 5000, 1e-25],
  ])(
    'of randomised response (ε₀ %f, %i times, δ %f) is the binomial sum to nine digits',
    (each, count, delta) => {
      // δ(ε) = Σ_k C(n,k) p^k (1−p)^(n−k) (1 − e^(ε − (2k−n)ε₀))₊ (Kairouz, Oh & Viswanath 2015, Theorem
      // 3.3).
      const deltaAt = (epsilon: number): number => {
        const logP = -Math.log1p(Math.exp(-each));
        let logBinomial = 0;
        let sum = 0;
        for (let k = 0; k <= count; k++) {
          const loss = (2 * k - count) * each;
          if (loss > epsilon) {
            sum -= Math.exp(logBinomial + count * logP - (count - k) * each) * Math.expm1(epsilon - loss);
          }
          logBinomial += Math.log((count - k) / (k + 1));
        }
        return sum;
      };
      const epsilon = pldEpsilon(repeated({ kind: 'pure', mechanism: 'x', epsilon: each }, count), delta);
      expect(deltaAt(epsilon)).toBeLessThanOrEqual(delta);
      expect(deltaAt(epsilon * (1 - 1e-7))).toBeGreaterThan(delta * (1 - 1e-9));
    },
  );

  it('charges coarse discrete Laplace noise as randomised response and fine noise as Laplace', () => {
    const response = pldEpsilon(repeated({ kind: 'pure', mechanism: 'x', epsilon: 1 }, 100), 1e-5);
    const ideal = pldEpsilon(laplace(1, 100), 1e-5);
    expect(pldEpsilon(laplace(1, 100, 1), 1e-5)).toBeCloseTo(response, 6);
    expect(pldEpsilon(laplace(1, 100, 4096), 1e-5)).toBeCloseTo(ideal, 3);
    expect(pldEpsilon(laplace(1, 100, 8), 1e-5)).toBeGreaterThan(ideal);
    expect(pldEpsilon(laplace(1, 100, 8), 1e-5)).toBeLessThan(response);
  });

  it('of sampling everyone is the Gaussian one, and adding a release costs', () => {
    expect(pldEpsilon(sampled(1, 2, 10), 1e-5)).toBe(pldEpsilon(gaussian(2, 10), 1e-5));
    const mixture: PrivacyEvent = {
      kind: 'composed',
      events: [sampled(0.01, 1, 1000), gaussian(5, 3), laplace(10, 2)],
    };
    expect(pldEpsilon(mixture, 1e-5)).toBeGreaterThan(pldEpsilon(sampled(0.01, 1, 1000), 1e-5));
    expect(pldEpsilon(mixture, 1e-5)).toBeGreaterThan(pldEpsilon(mixture, 1e-5, 'optimistic'));
  });

  it('has no answer at δ = 0, and none for free', () => {
    expect(pldAccountant.epsilon(gaussian(1, 1), 0)).toBe(Infinity);
    expect(pldAccountant.epsilon(laplace(1000, 1), 0.5)).toBe(0);
  });

  it('composes 10,000 releases in under 5 seconds of a processor', () => {
    const start = process.cpuUsage();
    pldEpsilon(sampled(0.01, 1, 10_000), 1e-5);
    const { user, system } = process.cpuUsage(start);
    expect(user + system).toBeLessThan(5e6);
  });
});
