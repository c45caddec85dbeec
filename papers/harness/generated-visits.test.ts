import { describe, expect, it } from 'vitest';
import { generateVisits } from './generated-visits.js';

const recipe = { people: 400, places: 900, towns: 20, seed: 3 };

describe('generated visits', () => {
  const { byUser, scale } = generateVisits(recipe);
  const placesOf = (person: number) =>
    byUser.indices.subarray(byUser.offsets[person], byUser.offsets[person + 1]);

  it('are the same for the same seed and others for another', () => {
    expect(generateVisits(recipe).byUser.indices).toEqual(byUser.indices);
    expect(generateVisits({ ...recipe, seed: 4 }).byUser.indices).not.toEqual(byUser.indices);
  });

  it('are choices, each once, a few for everyone', () => {
    expect(scale).toEqual({ min: 1, max: 1, step: 1 });
    for (let person = 0; person < recipe.people; person++) {
      const places = placesOf(person);
      expect(new Set(places).size).toBe(places.length);
      expect(places.length).toBeGreaterThan(1);
    }
  });

  it('go mostly to the same few towns: two visits of one person share more people than two of anybody', () => {
    const visitors = Array.from({ length: recipe.places }, () => new Set<number>());
    for (let person = 0; person < recipe.people; person++) {
      for (const place of placesOf(person)) visitors[place].add(person);
    }
    const shared = (a: number, b: number) => {
      const both = [...visitors[a]].filter((person) => visitors[b].has(person)).length;
      return both / Math.sqrt(visitors[a].size * visitors[b].size);
    };
    let [own, other] = [0, 0];
    for (let person = 0; person + 1 < recipe.people; person++) {
      const [here, there] = [placesOf(person), placesOf(person + 1)];
      own += shared(here[0], here[1]);
      other += shared(here[0], there[1]);
    }
    expect(own).toBeGreaterThan(1.5 * other);
  });
});
