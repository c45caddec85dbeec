import { describe, expect, it } from 'vitest';
import { weightsForHead, withCountsForHead } from './counts-for-head.js';
import { hushRules } from './hush-rules.js';

/** Counts that fall from item to item. */
const counts = Float64Array.from({ length: 1000 }, (_, item) => 2000 / (item + 10));

describe('counts for the head of a list', () => {
  it('are asked for where an item may be in it: for a few with little noise, and all where noise decides', () => {
    const asked = (noise: number) =>
      weightsForHead({ value: counts, noise }, hushRules).filter((weight) => weight === 1).length;
    expect(asked(0)).toBe(40); // the fortieth has 2,000/49 = 40.8
    expect(asked(10)).toBe(175); // 2,000/185 = 10.8 is three times ten below it
    expect(asked(14)).toBe(1000);
    expect(weightsForHead({ value: counts, noise: 0 }, hushRules)[40]).toBe(0.1);
    expect(weightsForHead({ value: counts.slice(0, 7), noise: 0 }, hushRules)).toEqual(
      new Float64Array(7).fill(1),
    );
  });

  it('are put together with the first ones in the units of those, by what their noise says', () => {
    const weights = weightsForHead({ value: counts, noise: 10 }, hushRules);
    // Everybody says twice as much about items that are asked for, and a fifth about others.
    const again = { value: counts.map((count, item) => 2 * weights[item] * count), noise: 3 };
    const both = withCountsForHead({ value: counts, noise: 10 }, again, weights);
    both.value.forEach((value, item) => {
      expect(value).toBeCloseTo(counts[item], 9);
    });
    expect(both.noise).toBeCloseTo((10 ** -2 + (2 / 3) ** 2) ** -0.5, 12);
  });

  it('count by their precision: an error of one of the two is in the result by its part', () => {
    const weights = new Float64Array(2).fill(1).fill(0.1, 1);
    const first = { value: Float64Array.of(100, 50), noise: 6 };
    const again = { value: Float64Array.of(300, 15), noise: 3 };
    const clean = withCountsForHead(first, again, weights);
    const off = withCountsForHead({ ...first, value: Float64Array.of(100, 51) }, again, weights);
    // Of the second item the other release says 0.3/3 against 1/6.
    expect(off.value[1] - clean.value[1]).toBeCloseTo(6 ** -2 / (6 ** -2 + 0.1 ** 2), 9);
  });

  it('never count for less than the first ones would, however small noise makes them', () => {
    const first = { value: Float64Array.of(10, 10), noise: 1 };
    const again = { value: Float64Array.of(-5, 2), noise: 1 };
    const both = withCountsForHead(first, again, Float64Array.of(1, 1));
    expect(both.noise).toBeCloseTo(Math.SQRT1_2, 12);
    expect([...both.value]).toEqual([2.5, 6]);
    const nothing = withCountsForHead({ value: Float64Array.of(-1), noise: 1 }, again, Float64Array.of(1));
    expect(nothing.value[0]).toBe(-3);
  });
});
