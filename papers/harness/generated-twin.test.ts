import { describe, expect, it } from 'vitest';
import { generateTwin, ml10mSize } from './generated-twin.js';

describe('the generated twin of ML-10M', () => {
  const people = 2000;
  const { ratings, features } = generateTwin(3, people);
  const { byUser } = ratings;

  it('has its films, its half stars, its mean and as many ratings a person', () => {
    expect([ratings.userCount, ratings.itemCount]).toEqual([people, 10_677]);
    const each = byUser.indices.length / people;
    expect(each).toBeGreaterThan(128);
    expect(each).toBeLessThan(158);
    expect(byUser.values.every((value) => value >= 0.5 && value <= 5 && Number.isInteger(value * 2))).toBe(
      true,
    );
    const mean = byUser.values.reduce((sum, value) => sum + value, 0) / byUser.values.length;
    expect(mean).toBeGreaterThan(3.4);
    expect(mean).toBeLessThan(3.6);
    for (let person = 0; person < people; person++)
      expect(byUser.offsets[person + 1] - byUser.offsets[person]).toBeGreaterThanOrEqual(20);
  });

  it('has its popularity: the most rated film far above the mean, the mean far above the median', () => {
    const counts = new Float64Array(ratings.itemCount);
    for (const item of byUser.indices) counts[item]++;
    counts.sort();
    const mean = byUser.indices.length / counts.length;
    expect(counts.at(-1)! / mean).toBeGreaterThan(20);
    expect(counts.at(-1)! / mean).toBeLessThan(40);
    expect(mean / counts[counts.length >> 1]).toBeGreaterThan(4);
    expect(mean / counts[counts.length >> 1]).toBeLessThan(10);
  });

  it('has five fields of 58,619 tokens in all, and every person in a film', () => {
    if (features.kind !== 'categorical') throw new Error('categorical features were promised');
    expect(features.fields.map(({ name, tokens }) => [name, tokens.length])).toEqual(
      Object.entries(ml10mSize.fields),
    );
    expect(features.fields.reduce((sum, { tokens }) => sum + tokens.length, 0)).toBe(58_619);
    const persons = features.fields.find(({ name }) => name === 'person')!;
    expect(new Set(persons.byItem.indices).size).toBe(58_139);
  });

  it('is the same for the same seed, and its films are for fewer people', () => {
    expect(generateTwin(3, 20).ratings.byUser.values).toEqual(generateTwin(3, 20).ratings.byUser.values);
    const tokens = (seed: number) => {
      const twin = generateTwin(seed, 20).features;
      return twin.kind === 'categorical' ? twin.fields.map(({ byItem }) => [...byItem.indices].join()) : [];
    };
    const own =
      features.kind === 'categorical' ? features.fields.map(({ byItem }) => [...byItem.indices].join()) : [];
    expect(tokens(3)).toEqual(own);
    expect(tokens(4)).not.toEqual(own);
  });
});
