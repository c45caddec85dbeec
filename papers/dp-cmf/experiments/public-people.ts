import { trainModel } from '@hushrec/factorize';
import type { FactorModel } from '@hushrec/model';
import { csrFromTriples } from '@hushrec/numerics';
import {
  type FeatureSource,
  type Holdout,
  type NamedRatings,
  type RatingMatrix,
  SeededRandom,
  selectUsers,
  splitHoldout,
} from '@hushrec/ratings';
import type { ExperimentContext } from '../../harness/experiment.js';
import { peopleOf } from '../../harness/tasks.js';

/**
 * One data set cut in two by person: those whose ratings are taken as public, in random order, and those to
 * protect.
 */
export interface PublicAndPrivate {
  readonly publicPeople: RatingMatrix;
  readonly split: Holdout;
}

/** No person is on both sides, so what is learnt from the public side costs the others nothing. */
export function setPeopleApart(data: NamedRatings, publicCount: number, seed: number): PublicAndPrivate {
  const { ratings } = data;
  const order = new SeededRandom(seed).shuffle(Uint32Array.from({ length: ratings.userCount }, (_, k) => k));
  return {
    publicPeople: selectUsers(ratings, order.subarray(0, publicCount)),
    split: splitHoldout(peopleOf(data, order.subarray(publicCount)), { seed }),
  };
}

/**
 * The first `count` public people: their ratings as they are, or 1 for what they liked (rated 4 or more) and
 * nothing else.
 */
export function publicRatings(
  { publicPeople }: PublicAndPrivate,
  count: number,
  values: 'ratings' | 'liked',
): FeatureSource {
  const first = Uint32Array.from({ length: Math.min(count, publicPeople.userCount) }, (_, k) => k);
  const { byUser, scale, itemCount } = selectUsers(publicPeople, first);
  if (values === 'ratings') return { kind: 'public-ratings', name: `${count} public people`, byUser, scale };
  const people: number[] = [];
  const items: number[] = [];
  for (let user = 0; user < byUser.rowCount; user++) {
    for (let at = byUser.offsets[user]; at < byUser.offsets[user + 1]; at++) {
      if (byUser.values[at] < 4) continue;
      people.push(user);
      items.push(byUser.indices[at]);
    }
  }
  const name = `${count} public people, liked`;
  // Who liked it is a token of an item like any other: the loss of tokens is the implicit one.
  const tokens = Array.from({ length: first.length }, (_, user) => `person ${user}`);
  const byItem = csrFromTriples(itemCount, first.length, items, people);
  return { kind: 'categorical', name, fields: [{ name, tokens, byItem }] };
}

/** Item vectors of a model without privacy of the public people (Curmei et al. 2023, §4). */
export async function publicVectors(
  context: ExperimentContext,
  { publicPeople }: PublicAndPrivate,
): Promise<Pick<FactorModel, 'itemFactors' | 'rank'>> {
  const { model } = await trainModel({
    method: 'als',
    settings: { rank: 16, rounds: 8 },
    ratings: publicPeople,
    engine: context.engine,
    epsilon: Infinity,
    delta: 0,
    seed: context.seed,
    hooks: { signal: context.signal },
  });
  if (model.kind !== 'factors') throw new TypeError(`Similarity needs vectors; the model is ${model.kind}.`);
  return model;
}

/**
 * The `neighbours` most similar items of every item by these vectors: by their product, which favours items
 * with long vectors, or by the angle alone; as scores, or 1 for each of them. O(items² × rank).
 */
export function similarityBy(
  { itemFactors, rank }: Pick<FactorModel, 'itemFactors' | 'rank'>,
  measure: 'dot product' | 'cosine',
  neighbours: number,
  values: 'scores' | 'ones' = 'scores',
): FeatureSource {
  const itemCount = itemFactors.length / rank;
  const lengths = Float64Array.from({ length: itemCount }, (_, item) => {
    let square = 0;
    for (let a = item * rank; a < (item + 1) * rank; a++) square += itemFactors[a] ** 2;
    return Math.sqrt(square);
  });
  const longest = lengths.reduce((most, length) => Math.max(most, length), 0);
  const rows: number[] = [];
  const columns: number[] = [];
  const entries: number[] = [];
  const scores = new Float64Array(itemCount);
  for (let item = 0; item < itemCount; item++) {
    // An item that no public person rated has no vector, hence no neighbours.
    if (lengths[item] === 0) continue;
    for (let other = 0; other < itemCount; other++) {
      let dot = 0;
      for (let a = 0; a < rank; a++) dot += itemFactors[item * rank + a] * itemFactors[other * rank + a];
      const scale = measure === 'cosine' ? lengths[item] * lengths[other] : longest ** 2;
      scores[other] = other === item || scale === 0 ? 0 : dot / scale;
    }
    const least = Float64Array.from(scores).sort()[itemCount - neighbours] ?? 0;
    for (let other = 0; other < itemCount; other++) {
      if (scores[other] <= 0 || scores[other] < least) continue;
      rows.push(item);
      columns.push(other);
      entries.push(values === 'ones' ? 1 : scores[other]);
    }
  }
  return {
    kind: 'similarity',
    name: `similarity by ${measure}`,
    byItem: csrFromTriples(itemCount, itemCount, rows, columns, entries),
  };
}
