import { describe, expect, it } from 'vitest';
import { contentHash } from '../dataset-folder/content-hash.js';
import { generateClassics, mostClassics } from './classics.js';
import { classicTitles } from './classics-titles.js';

const recipe = { users: 2000, items: mostClassics, ratings: 60_000, seed: 3 };
const made = generateClassics(recipe);

describe('generateClassics', () => {
  it('has a few hundred different titles, with the year each came out in', () => {
    expect(mostClassics).toBeGreaterThan(300);
    expect(new Set(made.itemTitles).size).toBe(mostClassics);
    for (const title of made.itemTitles!) expect(title).toMatch(/^\S.*\S \((1[4-9]\d\d)\)$|^It \(1927\)$/);
  });

  it('makes exactly what was asked for, the same for the same seed', () => {
    const { ratings } = made;
    expect([ratings.userCount, ratings.itemCount, ratings.byUser.values.length]).toEqual([
      2000,
      mostClassics,
      60_000,
    ]);
    const hashOf = (given: typeof made) => contentHash(given.ratings, given.userIds, given.itemIds);
    expect(hashOf(generateClassics(recipe))).toBe(hashOf(made));
    expect(hashOf(generateClassics({ ...recipe, seed: 4 }))).not.toBe(hashOf(made));
  });

  it('has people whose taste follows genres: who likes one horror story likes others', () => {
    const isHorror = classicTitles.map(({ genres }) => genres.includes('Horror'));
    const { offsets, indices, values } = made.ratings.byUser;
    const liked = { afterHorror: 0, ofHorror: 0, afterOther: 0, ofOther: 0 };
    for (let user = 0; user < recipe.users; user++) {
      const own = Array.from({ length: offsets[user + 1] - offsets[user] }, (_, k) => offsets[user] + k);
      const best = own.filter((k) => values[k] >= 4.5);
      const horror = best.filter((k) => isHorror[indices[k]]).length;
      for (const k of best) {
        const hasOther = horror - Number(isHorror[indices[k]]) > 0;
        if (hasOther) liked.afterHorror++;
        else liked.afterOther++;
        if (hasOther && isHorror[indices[k]]) liked.ofHorror++;
        if (!hasOther && isHorror[indices[k]]) liked.ofOther++;
      }
    }
    expect(liked.ofHorror / liked.afterHorror).toBeGreaterThan(2 * (liked.ofOther / liked.afterOther));
  });

  it('says how many titles there are when more are asked for', () => {
    expect(() => generateClassics({ ...recipe, items: 5000 })).toThrow(
      `the recipe knows ${mostClassics} titles`,
    );
  });
});
