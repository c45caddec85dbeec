import { describe, expect, it } from 'vitest';
import type { PrivacyEvent } from '../event.js';
import { composedDivergence, PUBLISHED_ORDERS, rdpAccountant, renyiEpsilon } from './rdp.js';
import { renyiDivergence, sampledGaussianDivergence } from './rdp-curve.js';
import { zcdpAccountant } from './zcdp.js';

const relative = (value: number, expected: number): number => Math.abs(value / expected - 1);
const gaussian = (noise: number, count: number): PrivacyEvent => ({
  kind: 'repeated',
  event: { kind: 'gaussian', sensitivity: 1, noise },
  count,
});
const sampled = (rate: number, noise: number, count: number): PrivacyEvent => ({
  kind: 'repeated',
  event: { kind: 'poisson-sampled-gaussian', rate, sensitivity: 1, noise },
  count,
});

describe('Rényi DP', () => {
  // Improved conversion, and Mironov's, which for Gaussian noise is that of zCDP; δ = 1e-5.
  it.each([
    [10, 5, 2.813632, 3.234854],
    [20, 5, 4.161533, 4.691932],
    [100, 10, 4.728387, 5.298526],
    [4, 1, 10.724824, 11.597052],
  ])('of %i Gaussian releases with σ = %f gives ε = %f, zCDP %f', (count, noise, improved, classic) => {
    expect(relative(rdpAccountant.epsilon(gaussian(noise, count), 1e-5), improved)).toBeLessThan(1e-6);
    expect(relative(zcdpAccountant.epsilon(gaussian(noise, count), 1e-5), classic)).toBeLessThan(1e-6);
  });

  it.each([
    [0.1, 33.98163],
    [0.5, 7.667156],
    [1, 4.04513],
    [5, 0.95262],
    [20, 0.304515],
  ])('meets ε = %f at the published σ = %f', (epsilon, sigma) => {
    expect(relative(rdpAccountant.epsilon(gaussian(sigma, 1), 1e-5), epsilon)).toBeLessThan(
      2e-5 / epsilon ** 0.5,
    );
  });

  it('gives the published values on the published orders', () => {
    expect(
      relative(renyiEpsilon(composedDivergence(gaussian(4.045385, 1)), 1e-5, PUBLISHED_ORDERS), 1),
    ).toBeLessThan(1e-6);
    expect(
      relative(renyiEpsilon(composedDivergence(gaussian(0.304516, 1)), 1e-5, PUBLISHED_ORDERS), 20),
    ).toBeLessThan(1e-5);
  });

  it.each([
    [0.01, 1, 2, 1.71813422e-4],
    [0.01, 1, 8, 8.93643908e-4],
    [0.1, 2, 4, 6.00328296e-3],
  ])('of Poisson sampling q = %f, σ = %f at order %i is %f', (rate, noise, order, divergence) => {
    expect(relative(sampledGaussianDivergence(rate, 1 / noise, order), divergence)).toBeLessThan(1e-8);
  });

  it('agrees with the binomial sum at whole orders and interpolates between them', () => {
    const [rate, mu] = [0.07, 0.8];
    for (const order of [2, 3, 7, 20]) {
      let sum = 0;
      let binomial = 1;
      for (let k = 0; k <= order; k++) {
        sum += binomial * (1 - rate) ** (order - k) * rate ** k * Math.exp(((k * k - k) * mu * mu) / 2);
        binomial = (binomial * (order - k)) / (k + 1);
      }
      expect(relative(sampledGaussianDivergence(rate, mu, order), Math.log(sum) / (order - 1))).toBeLessThan(
        1e-11,
      );
    }
    expect(sampledGaussianDivergence(rate, mu, 2.5)).toBeGreaterThan(sampledGaussianDivergence(rate, mu, 2));
    expect(sampledGaussianDivergence(rate, mu, 2.5)).toBeLessThan(sampledGaussianDivergence(rate, mu, 3));
  });

  // Unit-test targets of the DPALS reference code: examples, batch, σ, epochs, δ → ε on its orders.
  it.each([
    [60000, 150, 1.3, 15, 1e-5, 0.7242234026],
    [100000, 100, 1.0, 30, 1e-7, 1.4154988495],
    [1e8, 1024, 0.1, 10, 1e-7, 5907982.31138],
  ])(
    'of DP-SGD with %i examples, batch %i, σ %f, %i epochs, δ %f is %f',
    (n, batch, noise, epochs, delta, epsilon) => {
      const orders = [1.25, 1.5, 1.75, 2, 2.25, 2.5, 3, 3.5, 4, 4.5];
      for (let order = 5; order <= 63; order++) orders.push(order);
      orders.push(128, 256, 512);
      const divergence = composedDivergence(sampled(batch / n, noise, Math.ceil((epochs * n) / batch)));
      expect(relative(renyiEpsilon(divergence, delta, orders), epsilon)).toBeLessThan(1e-9);
    },
  );

  it('becomes Gaussian when everyone is sampled, and nothing when nobody is', () => {
    const whole = renyiDivergence({ kind: 'poisson-sampled-gaussian', rate: 1, sensitivity: 1, noise: 2 }, 5);
    expect(whole).toBe(5 / 8);
    expect(sampledGaussianDivergence(1 - 1e-12, 0.5, 5)).toBeCloseTo(5 / 8, 9);
    expect(sampledGaussianDivergence(1e-9, 0.5, 5)).toBeLessThan(1e-15);
  });

  it('of pure releases never exceeds ε nor αε²/2', () => {
    for (const epsilon of [0.01, 0.5, 3, 30]) {
      for (const order of [1.01, 2, 50]) {
        for (const event of [
          { kind: 'pure', mechanism: 'x', epsilon } as const,
          { kind: 'laplace', sensitivity: epsilon, noise: 1 } as const,
        ]) {
          const divergence = renyiDivergence(event, order);
          expect(divergence).toBeGreaterThan(0);
          expect(divergence).toBeLessThanOrEqual(Math.min(epsilon, (order * epsilon ** 2) / 2) * (1 + 1e-9));
        }
      }
    }
  });
});
