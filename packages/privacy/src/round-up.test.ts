import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { roundedUp, roundUpEpsilon } from './round-up.js';

describe('roundedUp', () => {
  it.each([
    [1.00004, undefined, 1.0001],
    [1.00004, 3, 1.01],
    [1, 2, 1],
    [0.95, 1, 1],
    [0.00012341, 2, 0.00013],
    [9.9999999, undefined, 10],
    [0, undefined, 0],
    [Infinity, undefined, Infinity],
  ])('%f in %s digits is %f', (cost, digits, shown) => {
    expect(roundedUp(cost, digits)).toBe(shown);
  });

  it('is never below, and at most one in the last digit above', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-9, max: 1e9, noNaN: true }),
        fc.integer({ min: 1, max: 8 }),
        (cost, digits) => {
          expect(roundedUp(cost, digits)).toBeGreaterThanOrEqual(cost);
          expect(roundedUp(cost, digits)).toBeLessThanOrEqual(cost * (1 + 1.01 * 10 ** (1 - digits)));
        },
      ),
    );
  });
});

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
