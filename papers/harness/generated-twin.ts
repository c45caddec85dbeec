import { csrFromTriples } from '@hushrec/numerics';
import { AliasTable, type FeatureSource, type RatingMatrix, SeededRandom } from '@hushrec/ratings';
import { GeneratedRows } from './generated-rows.js';

/** Counts of ML-10M: its films, its people, and what was published of the features of its films. */
export const ml10mSize = {
  people: 69_878,
  items: 10_677,
  fields: { year: 96, genre: 19, 'finer genre': 310, person: 58_139, role: 55 },
} as const;

/**
 * Chances to be picked fall with exp(−rank/3370)/(1 + rank/44). Nobody rates a film twice, which flattens
 * them (`generateTwin` has the counts).
 */
const popularity = { shift: 44, decay: 3370 } as const;
/** Everybody rates 20 films and a log-normal number of more: 143 in the mean, 69 in the median. */
const activity = { fewest: 20, median: 49, deviation: 1.357 } as const;
const tasteRank = 6;
/** Part of the variance of tastes and of item effects that the features of a film tell. */
const told = 0.5;
/** Standard deviations of the parts of a rating, in half-widths of the scale. */
const spread = { person: 0.2, item: 0.2, taste: 0.2, noise: 0.335 } as const;
const scale = { min: 0.5, max: 5, step: 0.5 } as const;
/** 3.51 stars: the mean over films; that over ratings is what the most rated films make of it. */
const mean = 0.669;

/** Ratings with public facts about what was rated. */
export interface Twin {
  readonly ratings: RatingMatrix;
  readonly features: FeatureSource;
}

/**
 * A generated data set of the size of ML-10M, at all of its people or fewer: films have tokens in five
 * fields, which tell half of what is particular about them; people pick by popularity, whatever their tastes,
 *
 *   half-star(mean + b_i + c_j + u_i·v_j + noise).
 *
 * With its 69,878 people (seed 1) there are 10.0 million ratings, 937 a film in the mean: the most rated film
 * has 30,600, a quarter of the films more than 630, half more than 156, three quarters more than 48. ML-10M
 * has 34,864, about 630, 135 and 33. People have 143 in the mean and 70 in the median, as there.
 *
 * O(ratings + tokens).
 */
export function generateTwin(seed: number, people: number = ml10mSize.people): Twin {
  const { items, fields } = ml10mSize;
  const random = new SeededRandom(seed);
  const bags = tokensOfFilms(random);
  const film = filmVectors(random, bags);
  const draw = new AliasTable(
    random.shuffle(
      Float64Array.from(
        { length: items },
        (_, rank) => Math.exp(-rank / popularity.decay) / (1 + rank / popularity.shift),
      ),
    ),
  );
  const rows = new GeneratedRows({ people, items, mean, scale });
  const ratedBy = new Int32Array(items).fill(-1);
  const taste = new Float64Array(tasteRank);
  for (let person = 0; person < people; person++) {
    const level = spread.person * random.normal();
    for (let k = 0; k < tasteRank; k++) taste[k] = (spread.taste / Math.sqrt(tasteRank)) * random.normal();
    const more = activity.median * Math.exp(activity.deviation * random.normal());
    const count = Math.min(items >> 1, activity.fewest + Math.round(more));
    for (let rated = 0; rated < count; ) {
      const item = draw.draw(random);
      if (ratedBy[item] === person) continue;
      ratedBy[item] = person;
      rated++;
      const at = item * (tasteRank + 1);
      let high = level + spread.item * film[at + tasteRank] + spread.noise * random.normal();
      for (let k = 0; k < tasteRank; k++) high += taste[k] * film[at + k];
      rows.add(person, item, high);
    }
  }
  return {
    ratings: rows.matrix(),
    features: {
      kind: 'categorical',
      name: 'film facts',
      fields: Object.entries(fields).map(([name, size], field) => ({
        name,
        tokens: Array.from({ length: size }, (_, token) => `${name} ${token}`),
        byItem: csrFromTriples(
          items,
          size,
          bags[field].flatMap((bag, item) => bag.map(() => item)),
          bags[field].flat(),
        ),
      })),
    },
  };
}

/**
 * Tokens of every film by field: one year, one to three genres, two to five finer ones, every person in one
 * film at least and five to fifteen more a film whom many films share, three to eight roles.
 */
function tokensOfFilms(random: SeededRandom): number[][][] {
  const { items, fields } = ml10mSize;
  const drawn = (size: number, steepness: number, least: number, most: number) => {
    const table = new AliasTable(Float64Array.from({ length: size }, (_, rank) => (rank + 3) ** -steepness));
    return Array.from({ length: items }, () => {
      const count = least + random.below(most - least + 1);
      return new Set(Array.from({ length: count }, () => table.draw(random)));
    });
  };
  const persons = drawn(fields.person, 0.8, 5, 15);
  for (let person = 0; person < fields.person; person++) persons[random.below(items)].add(person);
  return [
    drawn(fields.year, 0.6, 1, 1),
    drawn(fields.genre, 0.7, 1, 3),
    drawn(fields['finer genre'], 0.7, 2, 5),
    persons,
    drawn(fields.role, 0.7, 3, 8),
  ].map((bags) => bags.map((bag) => [...bag].sort((a, b) => a - b)));
}

/** Tastes that a film meets, and its effect last: standard normal, `told` of it by its tokens. */
function filmVectors(random: SeededRandom, bags: readonly (readonly number[][])[]): Float64Array {
  const { items, fields } = ml10mSize;
  const width = tasteRank + 1;
  const vectors = Float64Array.from({ length: items * width }, () => Math.sqrt(1 - told) * random.normal());
  Object.values(fields).forEach((size, field) => {
    const ofToken = Float64Array.from({ length: size * width }, () => random.normal());
    bags[field].forEach((bag, item) => {
      const weight = Math.sqrt(told / bags.length / bag.length);
      for (const token of bag)
        for (let k = 0; k < width; k++) vectors[item * width + k] += weight * ofToken[token * width + k];
    });
  });
  return vectors;
}
