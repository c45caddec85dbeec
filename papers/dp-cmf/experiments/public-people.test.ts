import { memoryOutcomeStore } from '@hushrec/evaluate';
import { createEngine } from '@hushrec/numerics';
import { generateCatalogue } from '@hushrec/ratings';
import { describe, expect, it } from 'vitest';
import { publicRatings, publicVectors, setPeopleApart, similarityBy } from './public-people.js';

const catalogue = generateCatalogue({ users: 60, items: 40, ratings: 900, seed: 3 });
const { ratings } = catalogue;
const people = setPeopleApart(catalogue, 20, 1);
const rowsOf = ({ byUser }: typeof ratings) =>
  Array.from({ length: byUser.rowCount }, (_, user) => {
    const [begin, end] = [byUser.offsets[user], byUser.offsets[user + 1]];
    return `${byUser.indices.slice(begin, end)}:${byUser.values.slice(begin, end)}`;
  });

describe('public people', () => {
  it('are nobody that is protected, and nobody is lost', () => {
    const { train, validation, test } = people.split;
    expect(train.userCount).toBe(40);
    const count = [people.publicPeople, train, validation, test].reduce(
      (sum, { byUser }) => sum + byUser.values.length,
      0,
    );
    expect(count).toBe(ratings.byUser.values.length);
    const all = rowsOf(ratings);
    const isPublic = new Set(rowsOf(people.publicPeople));
    expect(all.filter((row) => isPublic.has(row))).toHaveLength(20);
  });

  it('give the ratings of the first few, or what those liked', () => {
    const asTheyAre = publicRatings(people, 5, 'ratings');
    const liked = publicRatings(people, 5, 'liked');
    if (asTheyAre.kind !== 'public-ratings' || liked.kind !== 'categorical') throw new TypeError('kinds');
    expect(asTheyAre.byUser.rowCount).toBe(5);
    const fours = asTheyAre.byUser.values.filter((rating) => rating >= 4).length;
    expect(fours).toBeGreaterThan(0);
    expect(liked.fields[0].byItem.indices).toHaveLength(fours);
    expect(liked.fields[0].byItem.rowCount).toBe(40);
  });

  it.each(['cosine', 'dot product'] as const)('give each item its nearest others by %s', async (measure) => {
    const engine = await createEngine({ threads: 1, kernel: 'scalar' });
    const context = {
      engine,
      quick: true,
      store: memoryOutcomeStore(),
      seed: 1,
      progress: () => undefined,
      signal: new AbortController().signal,
    };
    const source = similarityBy(await publicVectors(context, people), measure, 5);
    await engine.close();
    if (source.kind !== 'similarity') throw new TypeError('kind');
    const { offsets, indices, values, rowCount } = source.byItem;
    expect(rowCount).toBe(40);
    for (let item = 0; item < rowCount; item++) {
      const own = indices.subarray(offsets[item], offsets[item + 1]);
      expect(own.length).toBeLessThanOrEqual(5);
      expect(own).not.toContain(item);
    }
    expect(values.length).toBeGreaterThan(0);
    expect(values.every((value) => value > 0 && value <= 1 + 1e-6)).toBe(true);
  });
});
