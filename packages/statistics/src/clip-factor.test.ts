import fc from 'fast-check';
import { expect, it } from 'vitest';
import { clipFactor } from './clip-factor.js';
import { roundingMargin } from './rounding-margin.js';

const length = (vector: readonly number[]) => Math.sqrt(vector.reduce((sum, each) => sum + each * each, 0));

it('brings every vector within the bound, and leaves those that are within as they are', () => {
  const coordinate = fc.double({ min: -1e100, max: 1e100, noNaN: true });
  fc.assert(
    fc.property(
      fc.array(coordinate, { minLength: 1, maxLength: 20 }),
      fc.double({ min: 1e-3, max: 1e3, noNaN: true }),
      (vector, bound) => {
        const norm = length(vector);
        const factor = clipFactor(norm, bound);
        if (norm <= bound) expect(factor).toBe(1);
        expect(length(vector.map((each) => each * factor * roundingMargin))).toBeLessThanOrEqual(bound);
      },
    ),
  );
});

it('keeps nothing of an infinite norm, and says NaN of one that is none', () => {
  expect(clipFactor(Number.POSITIVE_INFINITY, 1)).toBe(0);
  expect(clipFactor(Number.NaN, 1)).toBeNaN();
  expect(clipFactor(0, 1)).toBe(1);
});
