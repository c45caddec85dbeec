import { transpose } from '@hushrec/numerics';
import { describe, expect, it } from 'vitest';
import { contentHash } from '../dataset-folder/content-hash.js';
import { isOnScale } from '../rating-scale.js';
import { generateCatalogue } from './catalogue.js';

const recipe = { users: 1500, items: 300, ratings: 45_000, seed: 5 };
const catalogue = generateCatalogue(recipe);
const { ratings } = catalogue;

describe('generateCatalogue', () => {
  it('makes exactly what was asked for, the same for the same seed', () => {
    expect([ratings.userCount, ratings.itemCount, ratings.byUser.values.length]).toEqual([1500, 300, 45_000]);
    const hash = (seed: number) => {
      const made = generateCatalogue({ ...recipe, seed });
      return contentHash(made.ratings, made.userIds, made.itemIds);
    };
    expect(hash(5)).toBe(contentHash(ratings, catalogue.userIds, catalogue.itemIds));
    expect(hash(6)).not.toBe(hash(5));
  });

  it('has half-star ratings on the declared scale, of a usual mean and spread', () => {
    const { values } = ratings.byUser;
    expect(values.every((rating) => isOnScale(rating, ratings.scale))).toBe(true);
    const mean = values.reduce((sum, rating) => sum + rating, 0) / values.length;
    const variance = values.reduce((sum, rating) => sum + (rating - mean) ** 2, 0) / values.length;
    expect(mean).toBeGreaterThan(3);
    expect(mean).toBeLessThan(4);
    expect(Math.sqrt(variance)).toBeGreaterThan(0.8);
    expect(Math.sqrt(variance)).toBeLessThan(1.2);
  });

  it('is skewed in items and in users', () => {
    const { offsets } = transpose(ratings.byUser);
    const counts = Array.from({ length: 300 }, (_, item) => offsets[item + 1] - offsets[item]);
    counts.sort((a, b) => b - a);
    const top = counts.slice(0, 60).reduce((sum, count) => sum + count, 0);
    expect(top / 45_000, 'the most popular fifth has far more than a fifth').toBeGreaterThan(0.4);
    const activity = Array.from(
      { length: 1500 },
      (_, user) => ratings.byUser.offsets[user + 1] - ratings.byUser.offsets[user],
    );
    expect(Math.max(...activity)).toBeGreaterThan(3 * (45_000 / 1500));
    expect(Math.min(...activity)).toBeGreaterThanOrEqual(1);
  });

  it('has public fields that tell something about taste', () => {
    const [source] = catalogue.features;
    if (source?.kind !== 'categorical') throw new Error('expected categorical features');
    expect(source.fields.map(({ name }) => name)).toEqual(['genre', 'maker', 'era', 'region']);
    // People who like one item of a maker like the others: residuals of one user on one maker's items
    // correlate.
    const gain = (field: string) => {
      const { byItem: tokens } = source.fields.find(({ name }) => name === field)!;
      const { offsets, indices, values } = ratings.byUser;
      const itemMean = new Float64Array(300);
      const columns = transpose(ratings.byUser);
      for (let item = 0; item < 300; item++) {
        const own = columns.values.subarray(columns.offsets[item], columns.offsets[item + 1]);
        itemMean[item] = own.reduce((sum, rating) => sum + rating, 0) / Math.max(1, own.length);
      }
      let products = 0;
      let pairs = 0;
      for (let user = 0; user < 1500; user++) {
        const start = offsets[user];
        const end = offsets[user + 1];
        let mean = 0;
        for (let k = start; k < end; k++) mean += (values[k] - itemMean[indices[k]]) / (end - start);
        for (let k = start; k < end; k++) {
          for (let l = start; l < k; l++) {
            if (tokens.indices[tokens.offsets[indices[k]]] !== tokens.indices[tokens.offsets[indices[l]]])
              continue;
            products += (values[k] - itemMean[indices[k]] - mean) * (values[l] - itemMean[indices[l]] - mean);
            pairs++;
          }
        }
      }
      return products / pairs;
    };
    expect(gain('maker')).toBeGreaterThan(0.05);
    expect(gain('maker')).toBeGreaterThan(3 * Math.abs(gain('region')));
  });

  it('has a different invented title for every item, and times', () => {
    expect(new Set(catalogue.itemTitles).size).toBe(300);
    expect(ratings.times!.every((time) => time > 1.4e9 && time < 2.5e9)).toBe(true);
  });

  it.each([{ ratings: 1499 }, { ratings: 300_000 }, { users: 0 }, { items: 1.5 }])('refuses %o', (wrong) => {
    expect(() => generateCatalogue({ ...recipe, ...wrong })).toThrow(RangeError);
  });
});
