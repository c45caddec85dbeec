import { describe, expect, it } from 'vitest';
import { gaussianEpsilon } from './gaussian-curve.js';
import { largestDetection, largestGaussianDetection, largestPosterior } from './trade-off.js';

describe('what an attacker can reach', () => {
  it('is nothing without information and everything without protection', () => {
    expect(largestDetection(0, 0, 0.05)).toBeCloseTo(0.05, 12);
    expect(largestDetection(Infinity, 0, 0.05)).toBe(1);
    expect(largestGaussianDetection(0, 0.05)).toBeCloseTo(0.05, 12);
    expect(largestPosterior(Math.log(9), 0.5)).toBeCloseTo(0.9, 12);
  });

  it('under Gaussian DP is never more than under any (ε, δ) it implies', () => {
    for (const mu of [0.3, 1, 3]) {
      for (const falseAlarms of [0.001, 0.1, 0.5, 0.9]) {
        for (const delta of [1e-8, 1e-3, 0.1]) {
          expect(largestGaussianDetection(mu, falseAlarms)).toBeLessThanOrEqual(
            largestDetection(gaussianEpsilon(mu, delta), delta, falseAlarms) + 1e-12,
          );
        }
      }
    }
  });
});
