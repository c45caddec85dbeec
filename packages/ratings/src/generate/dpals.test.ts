import { describe, expect, it } from 'vitest';
import { generateDpals } from './dpals.js';

describe('generateDpals', () => {
  it('has unit entry variance and the density of the paper', () => {
    const users = 2000;
    const items = 500;
    const { values } = generateDpals({ users, items, seed: 1 }).ratings.byUser;
    const expected = (20 * Math.log(users)) / items;
    // 10⁶ Bernoulli draws: a correct sampler is off by more than 6 standard deviations with probability 2e-9.
    const deviation = Math.sqrt(users * items * expected * (1 - expected));
    expect(Math.abs(values.length - users * items * expected)).toBeLessThan(6 * deviation);
    const meanSquare = values.reduce((sum, value) => sum + value ** 2, 0) / values.length;
    expect(meanSquare).toBeGreaterThan(0.97);
    expect(meanSquare).toBeLessThan(1.03);
  });

  it('has rank 5 and no less', () => {
    const size = 12;
    const { values } = generateDpals({ users: size, items: size, rank: 5, density: 1, seed: 2 }).ratings
      .byUser;
    expect(values.length).toBe(size * size);
    const rank = (tolerance: number) => {
      const rows = Array.from({ length: size }, (_, r) =>
        Array.from(values.subarray(r * size, (r + 1) * size)),
      );
      let found = 0;
      for (let c = 0; c < size && found < size; c++) {
        const pivot = rows
          .slice(found)
          .reduce((best, row, k) => (Math.abs(row[c]) > Math.abs(rows[best][c]) ? k + found : best), found);
        if (Math.abs(rows[pivot][c]) < tolerance) continue;
        [rows[found], rows[pivot]] = [rows[pivot], rows[found]];
        for (let r = found + 1; r < size; r++) {
          const factor = rows[r][c] / rows[found][c];
          for (let k = c; k < size; k++) rows[r][k] -= factor * rows[found][k];
        }
        found++;
      }
      return found;
    };
    // Entries are float32 of size about 1: elimination leaves errors near 1e-6.
    expect(rank(1e-4)).toBe(5);
  });

  it('is the same for the same seed and refuses a rank above the matrix', () => {
    const first = generateDpals({ users: 30, items: 20, seed: 3 });
    expect(generateDpals({ users: 30, items: 20, seed: 3 })).toEqual(first);
    expect(() => generateDpals({ users: 3, items: 20, seed: 3 })).toThrow(/rank/);
  });
});
