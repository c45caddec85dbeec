import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gaussianEpsilon } from './gaussian-curve.js';
import { groupEpsilon, groupGuarantee } from './group-privacy.js';
import { replaceFactorOfSquaredMu } from './replace-factor.js';

describe('replacing instead of removing', () => {
  it.each([
    [1, 1, 4.5],
    [2, 1, 6.25],
    [1, 3, 12],
  ])('with a = %f, b = %f costs μ² = %fβ', (a, b, replaced) => {
    expect(replaceFactorOfSquaredMu(a, b) * (a + b)).toBeCloseTo(replaced, 12);
  });

  it('bounds the change of any pair of people in one item, and is reached', () => {
    // Two vectors in the plane of squared lengths s, s′ ≤ 1 and cosine c, equal weights, opposite targets at
    // the bound.
    const change = (a: number, b: number, s: number, t: number, c: number) =>
      a * (s * s + t * t - 2 * s * t * c * c) + b * (s + t + 2 * Math.sqrt(s * t) * c);
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.double({ min: 0.1, max: 10, noNaN: true }), unit, unit, unit, (ratio, s, t, c) => {
        const bound = replaceFactorOfSquaredMu(1, ratio) * (1 + ratio);
        expect(change(1, ratio, s, t, c)).toBeLessThanOrEqual(bound * (1 + 1e-12));
      }),
    );
    expect(change(1, 1, 1, 1, 0.5)).toBeCloseTo(4.5, 12);
  });
});

describe('groups', () => {
  it('cost k times μ, which is far less than k times ε at the same δ would suggest for large δ', () => {
    expect(groupEpsilon(0.5, 3, 1e-6)).toBe(gaussianEpsilon(1.5, 1e-6));
    expect(groupGuarantee(1, 1e-6, 1)).toEqual({ epsilon: 1, delta: 1e-6 });
    expect(groupGuarantee(0, 1e-6, 4).delta).toBeCloseTo(4e-6, 12);
    expect(groupGuarantee(1, 1e-6, 2).delta).toBeCloseTo(1e-6 * (1 + Math.E), 12);
  });
});
