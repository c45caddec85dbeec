import { describe, expect, it } from 'vitest';
import { flooredCounts, frequentItems, ridgeByCount } from './released-counts.js';

describe('released counts', () => {
  it('are floored at the noise level', () => {
    expect([...flooredCounts([-4, 0, 2, 9], 3)]).toEqual([3, 3, 3, 9]);
    expect(flooredCounts([-4], 0)[0]).toBeGreaterThan(0);
  });

  it('choose the largest fraction, rounded up, ties by number', () => {
    expect([...frequentItems([5, 9, 5, 1], 0.5)]).toEqual([1, 1, 0, 0]);
    expect([...frequentItems([5, 9, 5, 1], 0.51)]).toEqual([1, 1, 1, 0]);
    expect(() => frequentItems([1], 0)).toThrow(/fraction/);
  });

  it('scale the ridge so that λ belongs to an item of count-weighted average size', () => {
    expect([...ridgeByCount([3, 8], 2, 0)]).toEqual([2, 2]);
    const [rare, common] = ridgeByCount([0, 3], 2, 1);
    expect(common / rare).toBeCloseTo(4);
    expect((1 * rare + 4 * common) / 5).toBeCloseTo(2);
  });
});
