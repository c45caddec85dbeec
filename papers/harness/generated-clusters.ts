import { AliasTable, type RatingMatrix, SeededRandom } from '@hushrec/ratings';
import { GeneratedRows, type GeneratedSize } from './generated-rows.js';

/** What is asked of a catalogue that falls into clusters. */
export interface Clustered extends GeneratedSize {
  /** Mean number of ratings a person; log-normal with deviation 0.7 of the logarithm, at least 3. */
  readonly each: number;
  readonly clusters: number;
  /** Popularity within a cluster falls with rank^−steepness. */
  readonly steepness: number;
  /** Part of what people pick from clusters of their own. */
  readonly loyalty: number;
  readonly seed: number;
}

/** In half-widths of the scale: how much more people like clusters of their own, and deviations. */
const liking = 0.35;
const spread = { person: 0.2, item: 0.2, cluster: 0.1, noise: 0.35 } as const;
const activityDeviation = 0.7;
const fewest = 3;
/** Cluster c of n is as likely as ((c + 1)/n)^(2/3) − (c/n)^(2/3): the first are large. */
const unevenness = 1.5;

/**
 * Ratings, or choices, by another law than `generateShape`: items belong to one cluster each, as to a genre
 * or a place, and people like one to three clusters, pick from them mostly, and rate them higher. Tastes are
 * few and clear instead of many and mixed. O(ratings).
 */
export function generateClusters(recipe: Clustered): RatingMatrix {
  const { people, items, each, clusters } = recipe;
  const random = new SeededRandom(recipe.seed);
  const drawCluster = () => Math.min(clusters - 1, Math.floor(clusters * random.uniform() ** unevenness));
  const members = Array.from({ length: clusters }, () => [] as number[]);
  for (let item = 0; item < items; item++) members[drawCluster()].push(item);
  const popularity = members.map((own) =>
    own.length === 0 ? undefined : new AliasTable(own.map((_, rank) => (rank + 2) ** -recipe.steepness)),
  );
  const effects = Float64Array.from({ length: items }, () => spread.item * random.normal());
  const rows = new GeneratedRows(recipe);
  for (let person = 0; person < people; person++) {
    const own = Array.from({ length: 1 + random.below(3) }, drawCluster);
    const level = spread.person * random.normal();
    const fit = Float64Array.from(
      { length: clusters },
      (_, cluster) => (own.includes(cluster) ? liking : -liking / 4) + spread.cluster * random.normal(),
    );
    const wanted = each * Math.exp(activityDeviation * random.normal() - activityDeviation ** 2 / 2);
    const count = Math.min(items >> 1, Math.max(fewest, Math.round(wanted)));
    const picked = new Set<number>();
    for (let tries = 0; picked.size < count && tries < 30 * count; tries++) {
      const cluster = random.uniform() < recipe.loyalty ? own[random.below(own.length)] : drawCluster();
      const table = popularity[cluster];
      if (table === undefined) continue;
      const item = members[cluster][table.draw(random)];
      if (picked.has(item)) continue;
      picked.add(item);
      rows.add(person, item, level + effects[item] + fit[cluster] + spread.noise * random.normal());
    }
  }
  return rows.matrix();
}
