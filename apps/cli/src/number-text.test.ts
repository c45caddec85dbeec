import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deltaText, epsilonText, lowerBoundText } from './number-text.js';

describe('numbers for people', () => {
  it.each([
    [0, '0'],
    [1e-6, '1e-6'],
    [1e-5, '1e-5'],
    [0.01, '0.01'],
    [2.5e-7, '2.5e-7'],
    [7.888609052210118e-31, '7.889e-31'],
    [9.99999e-7, '1e-6'],
  ])('δ = %f is %s', (delta, text) => {
    expect(deltaText(delta)).toBe(text);
  });

  it('never understates δ or a promised ε, and never overstates a lower bound', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-40, max: 0.999, noNaN: true }), (value) => {
        expect(Number(deltaText(value))).toBeGreaterThanOrEqual(value * (1 - 1e-12));
        expect(Number(epsilonText(value))).toBeGreaterThanOrEqual(value);
        expect(Number(lowerBoundText(value))).toBeLessThanOrEqual(value);
        expect(Number(lowerBoundText(value))).toBeGreaterThan(value * 0.998);
      }),
    );
  });

  it('says when there is no bound', () => {
    expect([epsilonText(Infinity), lowerBoundText(0), lowerBoundText(-1)]).toEqual(['∞', '0', '0']);
  });
});
