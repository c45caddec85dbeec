import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { divide, expMinus, fixedFromNumber, multiply, ONE, PRECISION } from './fixed-point.js';

/** e⁻¹ to 60 digits, cut off. */
const INVERSE_E = 367879441171442321595523770161460867445811131031767834507836n;

describe('fixed point', () => {
  it('keeps every digit of a double', () => {
    fc.assert(
      fc.property(fc.double({ min: 2 ** -150, max: 2 ** 60, noNaN: true }), (value) => {
        expect(Number(fixedFromNumber(value)) / 2 ** Number(PRECISION)).toBe(value);
      }),
    );
    expect(fixedFromNumber(0)).toBe(0n);
    expect(() => fixedFromNumber(-1)).toThrow(RangeError);
  });

  it('has e⁻¹ to 60 digits, and e^(−x)·e^(−y) = e^(−x−y)', () => {
    expect((expMinus(ONE) * 10n ** 60n) >> PRECISION).toBe(INVERSE_E);
    const [x, y] = [fixedFromNumber(0.37), fixedFromNumber(11.3)];
    const error = multiply(expMinus(x), expMinus(y)) - expMinus(x + y);
    expect(error < 0n ? -error : error).toBeLessThan(1n << 20n);
    expect(divide(multiply(x, y), y) - x).toBeLessThan(1n << 4n);
  });
});
