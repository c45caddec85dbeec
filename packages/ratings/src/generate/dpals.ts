import type { DatasetContent } from '../dataset-content.js';
import { ratingMatrixFromTriples } from '../rating-triples.js';
import { SeededRandom } from '../seeded-random.js';

/** Size and seed of a synthetic low-rank matrix. */
export interface DpalsRecipe {
  readonly users: number;
  /** 1,000 in the paper. */
  readonly items: number;
  /** 5 in the paper. */
  readonly rank?: number;
  readonly seed: number;
  /** Chance that an entry is observed; 20 ln(users)/items unless given, the paper's rate. */
  readonly density?: number;
}

/**
 * Entries have unit variance, so ±8 is far in the tail; what lies beyond is clamped to keep the scale's
 * promise.
 */
const scale = { min: -8, max: 8, step: 0 } as const;

/**
 * The synthetic matrices of Chien et al. 2021 §6.1: M = √(nm/r) U Vᵀ with U, V of orthonormal columns
 * (Gaussian, then Gram–Schmidt), so entries have mean square 1; each entry is observed independently with
 * probability p. O((n + m) r² + observed · r).
 */
export function generateDpals(recipe: DpalsRecipe): DatasetContent {
  const { users, items, rank = 5, seed } = recipe;
  const density = Math.min(1, recipe.density ?? (20 * Math.log(users)) / items);
  if (!(rank >= 1 && rank <= Math.min(users, items)))
    throw new RangeError(`rank is ${rank}; expected 1 to min(users, items) = ${Math.min(users, items)}.`);
  if (!(density > 0)) throw new RangeError(`density is ${density}; expected a number in (0, 1].`);
  const random = new SeededRandom(seed);
  const left = orthonormalColumns(users, rank, random);
  const right = orthonormalColumns(items, rank, random);
  const amplitude = Math.sqrt((users * items) / rank);

  const userOf: number[] = [];
  const itemOf: number[] = [];
  const ratings: number[] = [];
  const logMiss = Math.log1p(-density);
  for (let entry = -1; ; ) {
    entry += density === 1 ? 1 : 1 + Math.floor(Math.log1p(-random.uniform()) / logMiss);
    if (entry >= users * items) break;
    const user = Math.floor(entry / items);
    const item = entry - user * items;
    let sum = 0;
    for (let f = 0; f < rank; f++) sum += left[user * rank + f] * right[item * rank + f];
    userOf.push(user);
    itemOf.push(item);
    ratings.push(Math.max(scale.min, Math.min(scale.max, amplitude * sum)));
  }
  return {
    name: 'dpals',
    ratings: ratingMatrixFromTriples({
      userCount: users,
      itemCount: items,
      scale,
      users: userOf,
      items: itemOf,
      ratings,
    }),
    userIds: Array.from({ length: users }, (_, user) => String(user + 1)),
    itemIds: Array.from({ length: items }, (_, item) => String(item + 1)),
    itemTitles: new Array<string>(items).fill(''),
    features: [],
    provenance: { recipe: 'dpals', users, items, rank, density, seed },
  };
}

/** count × rank, row-major, columns orthonormal (modified Gram–Schmidt on Gaussian columns). */
function orthonormalColumns(count: number, rank: number, random: SeededRandom): Float64Array {
  const columns = Float64Array.from({ length: count * rank }, () => random.normal());
  for (let f = 0; f < rank; f++) {
    for (let g = 0; g < f; g++) {
      let dot = 0;
      for (let i = 0; i < count; i++) dot += columns[i * rank + f] * columns[i * rank + g];
      for (let i = 0; i < count; i++) columns[i * rank + f] -= dot * columns[i * rank + g];
    }
    let square = 0;
    for (let i = 0; i < count; i++) square += columns[i * rank + f] ** 2;
    const inverse = 1 / Math.sqrt(square);
    for (let i = 0; i < count; i++) columns[i * rank + f] *= inverse;
  }
  return columns;
}
