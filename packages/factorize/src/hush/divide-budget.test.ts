import { describe, expect, it } from 'vitest';
import { divideBudget, expectedVariance } from './divide-budget.js';
import { hushRules } from './hush-rules.js';

/** Counts that fall from item to item as popularity does, of `people` with `each` ratings. */
function countsOf(people: number, each: number, items: number): Float64Array {
  const popularity = Float64Array.from({ length: items }, (_, item) => 1 / (item + 10));
  const total = popularity.reduce((sum, value) => sum + value, 0);
  return popularity.map((value) => (people * Math.sqrt(each) * value) / total);
}

const divide = (people: number, each: number, mu: number, noise = 0.01, items = 2000) =>
  divideBudget({
    counts: { value: countsOf(people, each, items), noise },
    people,
    mu,
    weightExponent: 0.25,
    left: 0.93,
    ratingVariance: 0.2,
    rules: hushRules,
  });

describe('how hush divides its budget on ratings', () => {
  it('reads strength and ratings a person off counts, as if no items were taken together', () => {
    const counts = countsOf(5000, 64, 2000);
    const preference = counts.map((count) => count ** -0.25);
    let [squares, total, sum, ofSquares] = [0, 0, 0, 0];
    counts.forEach((count, item) => {
      squares += count * preference[item] ** 2;
      total += count;
    });
    const norm = Math.sqrt(squares / total);
    counts.forEach((count, item) => {
      const weight = (count * preference[item]) / norm;
      sum += weight;
      ofSquares += weight ** 2;
    });
    const { strength, ratingsEach } = divide(5000, 64, 0.5);
    expect(strength / ((100 * 0.5 * ofSquares) / sum)).toBeCloseTo(1, 2);
    expect(ratingsEach).toBeCloseTo(1.5 * 64, 6);
  });

  it('spends all on effects where people say little, and divides the rest where they say much', () => {
    expect(divide(5000, 100, 0.01)).toMatchObject({ rank: 0, effectShare: 0.93 });
    expect(divide(1500, 10, 0.5)).toMatchObject({ rank: 0, effectShare: 0.93 });
    const some = divide(5000, 100, 0.3);
    const much = divide(50_000, 100, 1);
    expect(some.rank).toBeGreaterThan(0);
    expect(some.effectShare).toBeLessThan(0.93);
    expect(much.rank).toBeGreaterThan(some.rank);
    expect(much.effectShare).toBeLessThanOrEqual(some.effectShare);
  });

  it('has as many directions as stand out from the noise, from four to twenty-four, and no more than items', () => {
    const among = (people: number, items = 2000) => divide(people, 100, 1, 0.01, items);
    const ranks = [1000, 5000, 20_000, 40_000, 100_000].map((people) => among(people).rank);
    expect(ranks[0]).toBe(4);
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
    expect(among(5000).rank).toBe(Math.round(Math.sqrt(among(5000).strength / 100)));
    expect(ranks.at(-1)).toBe(24);
    expect(among(100_000, 15).rank).toBe(15);
  });

  it('expects ratings of two grades to say less, the less the nearer their mean is to the middle', () => {
    const thumbs = { min: 0, max: 1, step: 1 };
    expect(expectedVariance({ min: 1, max: 5, step: 1 }, 3, hushRules)).toBe(0.2);
    expect(expectedVariance({ min: 0, max: 1, step: 0 }, 0.5, hushRules)).toBe(0.2);
    expect(expectedVariance(thumbs, 0.5, hushRules)).toBe(1);
    expect(expectedVariance(thumbs, 0.75, hushRules)).toBeCloseTo(0.75, 12);
    expect(expectedVariance(thumbs, 1, hushRules)).toBe(0.2);
    const known = { counts: { value: countsOf(5000, 100, 2000), noise: 0.01 }, people: 5000, mu: 0.2 };
    const others = { weightExponent: 0.25, left: 0.93, rules: hushRules };
    expect(divideBudget({ ...known, ...others, ratingVariance: 0.2 }).rank).toBeGreaterThan(0);
    expect(divideBudget({ ...known, ...others, ratingVariance: 0.8 }).rank).toBe(0);
  });

  it.each([
    ['all of them negative', new Float64Array(50).fill(-3)],
    ['not one item', new Float64Array(0)],
    ['beyond what integers are exact in', new Float64Array(50).fill(1e18)],
    ['next to nothing', new Float64Array(50).fill(1e-15)],
  ])('makes something of any released counts: %s', (_, value) => {
    const division = divideBudget({
      counts: { value, noise: 2 },
      people: 1,
      mu: 1,
      weightExponent: 0.25,
      left: 0.93,
      ratingVariance: 0.2,
      rules: hushRules,
    });
    expect(division.effectShare).toBeGreaterThan(0);
    expect(division.effectShare).toBeLessThanOrEqual(0.93);
    expect(Number.isFinite(division.strength)).toBe(true);
  });
});
