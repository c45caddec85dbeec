import { AliasTable, type RatingMatrix, SeededRandom } from '@hushrec/ratings';
import { GeneratedRows, type GeneratedSize } from './generated-rows.js';

/** What makes one data set unlike another, as far as a recommender is concerned. */
export interface Shape extends GeneratedSize {
  /**
   * Mean number of ratings a person; log-normal with deviation 0.8 of the logarithm, at least 3, at most half
   * the items.
   */
  readonly each: number;
  /** Popularity falls with rank^−steepness: 0 is flat. */
  readonly steepness: number;
  readonly seed: number;
}

const tasteRank = 6;
const activityDeviation = 0.8;
const fewest = 3;
/**
 * Standard deviations of the parts of a rating, in half-widths of the scale; tastes fall off from direction
 * to direction.
 */
const spread = { person: 0.2, item: 0.2, taste: 0.3, noise: 0.38 } as const;
/**
 * How much more likely people pick what suits them: weight of the fit in a logistic law, for ratings and for
 * choices.
 */
const selectivity = { ratings: 1, choices: 2.5 } as const;

/**
 * Ratings, or choices, of a given shape: people pick popular things that suit them, and rate
 *
 *   on-scale(mean + b_i + c_j + u_i·v_j + noise).
 *
 * O(ratings).
 */
export function generateShape(shape: Shape): RatingMatrix {
  const { people, items, each, steepness, scale } = shape;
  const random = new SeededRandom(shape.seed);
  const falloff = Float64Array.from({ length: tasteRank }, (_, k) => 1 / Math.sqrt(k + 1));
  const norm = Math.sqrt(falloff.reduce((sum, value) => sum + value ** 4, 0));
  const vectors = Float64Array.from(
    { length: items * tasteRank },
    (_, at) => (falloff[at % tasteRank] / Math.sqrt(norm)) * random.normal(),
  );
  const popularity = new AliasTable(
    random.shuffle(Float64Array.from({ length: items }, (_, rank) => (rank + 1 + items / 200) ** -steepness)),
  );
  const effects = Float64Array.from({ length: items }, () => spread.item * random.normal());
  const most = Math.max(fewest, Math.floor(items / 2));
  const pickedBy = new Int32Array(items).fill(-1);
  const taste = new Float64Array(tasteRank);
  const rows = new GeneratedRows(shape);
  for (let person = 0; person < people; person++) {
    const level = spread.person * random.normal();
    for (let k = 0; k < tasteRank; k++) taste[k] = (falloff[k] / Math.sqrt(norm)) * random.normal();
    const wanted = each * Math.exp(activityDeviation * random.normal() - activityDeviation ** 2 / 2);
    const count = Math.min(most, Math.max(fewest, Math.round(wanted)));
    for (let picked = 0, misses = 0; picked < count; ) {
      const item = misses > 40 ? random.below(items) : popularity.draw(random);
      let fit = 0;
      for (let k = 0; k < tasteRank; k++) fit += taste[k] * vectors[item * tasteRank + k];
      const choosy = scale === undefined ? selectivity.choices : selectivity.ratings;
      const passed = misses > 40 || random.uniform() < 1 / (1 + Math.exp(-choosy * fit));
      if (pickedBy[item] === person || !passed) {
        misses++;
        continue;
      }
      misses = 0;
      picked++;
      pickedBy[item] = person;
      rows.add(person, item, level + effects[item] + spread.taste * fit + spread.noise * random.normal());
    }
  }
  return rows.matrix();
}
