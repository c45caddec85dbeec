import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { roundUpEpsilon } from './round-up.js';

describe('roundUpEpsilon', () => {
  it('keeps six digits and never goes down', () => {
    expect(roundUpEpsilon(1)).toBe(1);
    expect(roundUpEpsilon(1.0000001)).toBe(1.00001);
    expect(roundUpEpsilon(0.99999999)).toBe(1);
    expect(roundUpEpsilon(Infinity)).toBe(Infinity);
    expect(() => roundUpEpsilon(-1)).toThrow('epsilon is -1');
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e6, noNaN: true }), (epsilon) => {
        expect(roundUpEpsilon(epsilon)).toBeGreaterThanOrEqual(epsilon);
        expect(roundUpEpsilon(epsilon)).toBeLessThanOrEqual(epsilon * (1 + 1.01e-5));
      }),
    );
  });
});
