import type { DatasetContent } from '../dataset-content.js';
import { type RatingTriples, ratingMatrixFromTriples } from '../rating-triples.js';
import { SeededRandom } from '../seeded-random.js';
import { AliasTable } from './alias-table.js';
import { catalogueItems } from './catalogue-items.js';
import { inventTitles } from './invented-names.js';

/** Size and seed of a synthetic catalogue; every user gets at least one rating, at most half the items. */
export interface CatalogueRecipe {
  readonly users: number;
  readonly items: number;
  /** Exactly as many ratings are made. */
  readonly ratings: number;
  readonly seed: number;
  /** Dimensions of taste; 8 unless given. */
  readonly rank?: number;
}

const halfStars = { min: 0.5, max: 5, step: 0.5 } as const;
/** Standard deviations of the parts of a rating, in stars; together about 1.05, as in film ratings. */
const spread = { userBias: 0.35, itemBias: 0.35, taste: 0.55, noise: 0.7 } as const;
const secondsPerDay = 86_400;

/**
 * A data set that behaves like a shop's: item popularity follows a shifted power law, people's activity a
 * log-normal, people pick what suits them (and popular things are a little better liked), and
 *
 *   rating = half-star(3.5 + b_u + b_i + p_u·q_i + noise),  clamped to 0.5 … 5,
 *
 * with q_i partly explained by public fields (see `catalogueItems`). About O(ratings · rank).
 */
export function generateCatalogue(recipe: CatalogueRecipe): DatasetContent {
  const { users, items, ratings, seed, rank = 8 } = recipe;
  checkSize(recipe);
  const random = new SeededRandom(seed);
  const { taste, features } = catalogueItems(items, rank, random);
  const popularity = random.shuffle(popularityWeights(items));
  const bias = itemBiases(popularity, random);
  const activity = activityCounts(users, items, ratings, random);
  return {
    name: 'catalogue',
    ratings: ratingMatrixFromTriples(
      drawRatings({ users, items, ratings, rank }, { taste, popularity, bias }, activity, random),
    ),
    userIds: Array.from({ length: users }, (_, user) => String(user + 1)),
    itemIds: Array.from({ length: items }, (_, item) => String(item + 1)),
    itemTitles: inventTitles(items, random),
    features: [features],
    provenance: { recipe: 'catalogue', users, items, ratings, rank, seed },
  };
}

/** What decides whether an item is picked and how it is rated. */
interface ItemTraits {
  /** Vectors q_i, one after the other. */
  readonly taste: Float64Array;
  readonly popularity: Float64Array;
  readonly bias: Float64Array;
}

/** One person after another picks items that suit, and rates them. */
export function drawRatings(
  { users, items, ratings, rank }: { users: number; items: number; ratings: number; rank: number },
  { taste, popularity, bias: itemBias }: ItemTraits,
  activity: Uint32Array,
  random: SeededRandom,
): RatingTriples {
  const table = new AliasTable(popularity);
  const userOf = new Uint32Array(ratings);
  const itemOf = new Uint32Array(ratings);
  const value = new Float32Array(ratings);
  const times = new Float64Array(ratings);
  const own = new Float64Array(rank);
  const pickedBy = new Int32Array(items).fill(-1);
  let position = 0;
  for (let user = 0; user < users; user++) {
    const bias = spread.userBias * random.normal();
    for (let f = 0; f < rank; f++) own[f] = random.normal() / Math.sqrt(rank);
    let time = 1.5e9 + Math.floor(random.uniform() * 6 * 365) * secondsPerDay;
    const count = activity[user];
    let misses = 0;
    for (let picked = 0; picked < count; ) {
      // A heavy user runs out of likely items: after many misses take any unseen one.
      const item = misses > 30 ? random.below(items) : table.draw(random);
      const suits = affinity(own, taste, item, rank);
      if (pickedBy[item] === user || (misses <= 30 && random.uniform() > 1 / (1 + Math.exp(-1.2 * suits)))) {
        misses++;
        continue;
      }
      misses = 0;
      picked++;
      pickedBy[item] = user;
      const stars = 3.4 + bias + itemBias[item] + spread.taste * suits + spread.noise * random.normal();
      time += random.uniform() < 0.85 ? 20 + random.below(160) : secondsPerDay * (1 + random.below(30));
      userOf[position] = user;
      itemOf[position] = item;
      value[position] = Math.max(halfStars.min, Math.min(halfStars.max, Math.round(2 * stars) / 2));
      times[position] = time;
      position++;
    }
  }
  return {
    userCount: users,
    itemCount: items,
    scale: halfStars,
    users: userOf,
    items: itemOf,
    ratings: value,
    times,
  };
}

export function checkSize({ users, items, ratings, rank = 8 }: CatalogueRecipe): void {
  for (const [name, size] of Object.entries({ users, items, ratings, rank }))
    if (!Number.isSafeInteger(size) || size < 1)
      throw new RangeError(`${name} is ${size}; expected a whole number ≥ 1.`);
  if (ratings < users || ratings > (users * items) / 2)
    throw new RangeError(
      `ratings is ${ratings}; expected one per user to half of all pairs (${users} to ${Math.floor((users * items) / 2)}).`,
    );
}

/** Weights of (rank + shift)^−1.1, largest first, normalised; the shift keeps the head from taking all. */
export function popularityWeights(items: number): Float64Array {
  const weights = Float64Array.from({ length: items }, (_, place) => (place + 1 + items / 60) ** -1.1);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** How far an item's ratings lie above the usual: popular things are a little better liked. */
export function itemBiases(popularity: Float64Array, random: SeededRandom): Float64Array {
  return Float64Array.from(popularity, (weight) => {
    const lift = Math.max(-1.5, Math.min(2, Math.log(weight * popularity.length) / 1.5));
    return spread.itemBias * (0.5 * lift + Math.sqrt(0.75) * random.normal());
  });
}

/**
 * Log-normal activity (σ = 1), at least 1 and at most half the items each, adding up to `ratings` exactly.
 */
export function activityCounts(
  users: number,
  items: number,
  ratings: number,
  random: SeededRandom,
): Uint32Array {
  const raw = Float64Array.from({ length: users }, () => Math.exp(random.normal()));
  const most = Math.max(1, Math.ceil(items / 2));
  const sumAt = (scale: number) =>
    raw.reduce((sum, each) => sum + Math.max(1, Math.min(most, Math.floor(scale * each))), 0);
  let low = 0;
  let high = 1;
  while (sumAt(high) < ratings) high *= 2;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (sumAt(middle) <= ratings) low = middle;
    else high = middle;
  }
  const counts = Uint32Array.from(raw, (each) => Math.max(1, Math.min(most, Math.floor(low * each))));
  let missing = ratings - counts.reduce((sum, count) => sum + count, 0);
  while (missing > 0) {
    const user = random.below(users);
    if (counts[user] < most) {
      counts[user]++;
      missing--;
    }
  }
  return counts;
}

function affinity(own: Float64Array, taste: Float64Array, item: number, rank: number): number {
  let sum = 0;
  for (let f = 0; f < rank; f++) sum += own[f] * taste[item * rank + f];
  return sum;
}
