import { describe, expect, it } from 'vitest';
import { SeededRandom } from './seeded-random.js';

describe('SeededRandom', () => {
  it('repeats itself for a seed and differs between near seeds', () => {
    const draw = (seed: number) => {
      const random = new SeededRandom(seed);
      return Array.from({ length: 8 }, () => random.uint32());
    };
    expect(draw(0)).toEqual(draw(0));
    const all = [0, 1, 2, 2 ** 32, 2 ** 32 + 1, 2 ** 52].map((seed) => draw(seed).join());
    expect(new Set(all).size).toBe(all.length);
  });

  it.each([-1, 0.5, Number.NaN, 2 ** 53])('refuses the seed %s', (seed) => {
    expect(() => new SeededRandom(seed)).toThrow(/whole number/);
  });

  // The seeds are fixed, so these cannot fail by chance on unchanged code. Thresholds: chi-square with 15
  // degrees of freedom exceeds 58 with probability 5e-7; |z| > 5.2 has probability 2e-7.
  const n = 160_000;
  const chiSquare = (counts: number[]) =>
    counts.reduce((sum, count) => sum + (count - n / 16) ** 2 / (n / 16), 0);

  it('fills sixteen cells evenly, by uniform and by below', () => {
    const random = new SeededRandom(11);
    const byUniform = new Array<number>(16).fill(0);
    const byBelow = new Array<number>(16).fill(0);
    for (let k = 0; k < n; k++) {
      byUniform[Math.floor(random.uniform() * 16)]++;
      byBelow[random.below(16)]++;
    }
    expect(chiSquare(byUniform)).toBeLessThan(58);
    expect(chiSquare(byBelow)).toBeLessThan(58);
    const skewed = byUniform.map((count, cell) => count + (cell === 0 ? 800 : 0));
    expect(chiSquare(skewed), 'a cell 8 % too full is noticed').toBeGreaterThan(58);
  });

  it('has normals of mean 0 and variance 1', () => {
    const random = new SeededRandom(12);
    const draws = Float64Array.from({ length: n }, () => random.normal());
    const zOfMean = draws.reduce((sum, x) => sum + x, 0) / Math.sqrt(n);
    const zOfVariance = (sd: number) =>
      (draws.reduce((sum, x) => sum + (x / sd) ** 2, 0) - n) / Math.sqrt(2 * n);
    expect(Math.abs(zOfMean)).toBeLessThan(5.2);
    expect(Math.abs(zOfVariance(1))).toBeLessThan(5.2);
    expect(Math.abs(zOfVariance(0.97)), 'σ wrong by 3 % is noticed').toBeGreaterThan(5.2);
    expect(Math.abs(zOfVariance(1.03))).toBeGreaterThan(5.2);
  });

  it('shuffles: every element stays, every position is equally likely', () => {
    const random = new SeededRandom(13);
    const counts = new Array<number>(16).fill(0);
    for (let k = 0; k < n; k += 16) {
      const cards = random.shuffle(Uint8Array.from({ length: 16 }, (_, card) => card));
      expect(cards.reduce((sum, card) => sum + card, 0)).toBe(120);
      counts[cards.indexOf(0)]++;
    }
    const expected = n / 256;
    const statistic = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    expect(statistic).toBeLessThan(58);
  });
});
