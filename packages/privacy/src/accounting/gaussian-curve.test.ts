import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gaussianDelta, gaussianDeltaUpper, gaussianEpsilon, muFor } from './gaussian-curve.js';

const relative = (value: number, expected: number): number => Math.abs(value / expected - 1);

describe('the exact Gaussian curve', () => {
  // σ at sensitivity 1, to the digits given; agrees with Google's dp_accounting to 9 digits.
  it.each([
    [0.1, 1e-5, 30.749566],
    [0.5, 1e-5, 7.0318267],
    [1, 1e-5, 3.7306316],
    [2, 1e-5, 1.9938124],
    [5, 1e-5, 0.89186826],
    [10, 1e-5, 0.49988862],
    [20, 1e-5, 0.29004142],
    [1, 8e-6, 3.780534],
    [5, 8e-6, 0.90072281],
    [20, 8e-6, 0.29194804],
    [1, 1e-6, 4.2246789],
    [5, 1e-6, 0.980049],
    [10, 1e-6, 0.54108683],
    [20, 1e-6, 0.30908468],
  ])('calibrates ε = %f, δ = %f to σ = %f', (epsilon, delta, sigma) => {
    expect(relative(1 / muFor(epsilon, delta), sigma)).toBeLessThan(3e-8);
  });

  it.each([
    [0.1, 1e-5, 0.0325207840562],
    [1, 1e-5, 0.268051123211],
    [5, 8e-6, 1.11021946551],
    [20, 1e-5, 3.44778344687],
    [10, 1e-6, 1.84813220577],
  ])('gives μ(%f, %f) = %f', (epsilon, delta, mu) => {
    expect(relative(muFor(epsilon, delta), mu)).toBeLessThan(1e-11);
  });

  it.each([
    [0, 1, 0.382924922548],
    [1, 1, 0.126936737507],
    [4, 1, 4.712241201e-5],
    [0, 0.5, 0.197412651366],
    [2, 0.5, 9.43916863495e-6],
    [10, 1, 9.81270582685e-23],
    [50, 10, 0.460493305899],
    [1, 0.05, 1.1290332271e-91],
  ])('gives δ(%f; %f) = %f', (epsilon, mu, delta) => {
    expect(relative(gaussianDelta(mu, epsilon), delta)).toBeLessThan(1e-9);
  });

  it('never says less than the truth, and inverts itself, over ε ∈ [0.01, 50] and δ ∈ [1e-12, 1e-3]', () => {
    fc.assert(
      fc.property(
        fc.double({ min: Math.log(0.01), max: Math.log(50), noNaN: true }),
        fc.double({ min: Math.log(1e-12), max: Math.log(1e-3), noNaN: true }),
        (logEpsilon, logDelta) => {
          const [epsilon, delta] = [Math.exp(logEpsilon), Math.exp(logDelta)];
          const mu = muFor(epsilon, delta);
          expect(gaussianDelta(mu, epsilon)).toBeLessThanOrEqual(delta);
          expect(gaussianDelta(mu, epsilon)).toBeGreaterThan(delta * (1 - 1e-9));
          expect(relative(gaussianEpsilon(mu, delta), epsilon)).toBeLessThan(1e-10);
        },
      ),
    );
  });

  it('rises with μ and falls with ε', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.01, max: 20, noNaN: true }),
        fc.double({ min: 0, max: 40, noNaN: true }),
        (mu, epsilon) => {
          const delta = gaussianDelta(mu, epsilon);
          expect(gaussianDelta(mu * 1.01, epsilon)).toBeGreaterThanOrEqual(delta * (1 - 1e-12));
          expect(gaussianDelta(mu, epsilon * 1.01)).toBeLessThanOrEqual(delta * (1 + 1e-12));
          expect(gaussianDeltaUpper(mu, epsilon)).toBeGreaterThanOrEqual(delta);
        },
      ),
    );
  });

  it('knows the ends of the range and refuses what is outside', () => {
    expect(gaussianEpsilon(0, 1e-5)).toBe(0);
    expect(gaussianEpsilon(1, 0)).toBe(Infinity);
    expect(gaussianEpsilon(0.001, 0.5)).toBe(0);
    expect(muFor(Infinity, 1e-5)).toBe(Infinity);
    expect(() => muFor(-1, 1e-5)).toThrow('epsilon is -1');
    expect(() => gaussianEpsilon(1, 1)).toThrow('delta is 1');
    expect(() => gaussianDelta(Number.NaN, 1)).toThrow('mu is NaN');
  });
});
