import { expect, it } from 'vitest';
import { popularityCurve, usualShape } from './popularity-shape.js';

const shareOf = (curve: Float64Array, from: number, to: number) =>
  curve.subarray(from * curve.length, to * curve.length).reduce((sum, value) => sum + value, 0) /
  curve.length;

it.each([usualShape, { headShare: 0.25, tailShare: 0.3 }, { headShare: 0.7, tailShare: 0.01 }])(
  'gives the head and the tail their shares: $headShare and $tailShare',
  (shape) => {
    const curve = popularityCurve(shape);
    expect(shareOf(curve, 0, 1)).toBeCloseTo(1, 10);
    expect(shareOf(curve, 0, 0.1)).toBeCloseTo(shape.headShare, 6);
    // Only from the curve without a floor on: below it no curve of this form has a smaller tail.
    expect(shareOf(curve, 0.5, 1)).toBeGreaterThan(shape.tailShare - 1e-6);
    expect(shareOf(curve, 0.5, 1)).toBeLessThan(shape.tailShare + 0.02);
    expect([...curve].every((value, at) => at === 0 || value <= curve[at - 1])).toBe(true);
  },
);
