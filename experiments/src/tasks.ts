import { evaluateModel, type SweepSplit } from '@hushrec/evaluate';
import type { Engine } from '@hushrec/numerics';
import {
  type FeatureSource,
  generateCatalogue,
  likedItems,
  type RatingMatrix,
  SeededRandom,
  selectRatings,
  selectUsers,
  splitHoldout,
  splitStrongGeneralization,
} from '@hushrec/ratings';
import type { ExperimentContext } from './experiment.js';
import { type Clustered, generateClusters } from './generated-clusters.js';
import { generateShape, type Shape } from './generated-shape.js';
import { generateVisits } from './generated-visits.js';
import { loadRealData } from './real-data.js';
import { movieFeatures } from './user-level/movie-features.js';

/** One data set, one question, one figure that decides. */
export interface Task {
  readonly name: string;
  readonly split: SweepSplit;
  readonly metric: 'rmse' | 'recall@20';
  /** A public, rounded figure, as an operator would give it. */
  readonly declaredPeople: number;
  readonly features: readonly FeatureSource[];
}

/** ML-1M ratings, 80/10/10, with public facts about the films; of everyone, or of every so many-th person. */
export async function ml1mRatings(context: ExperimentContext, people?: number): Promise<Task> {
  const { ratings, itemIds } = await loadRealData(context, 'ml-1m');
  const features = [await movieFeatures(context, itemIds)];
  if (people === undefined) return { ...ratingTask('ML-1M', ratings, 6000, context), features };
  return {
    ...ratingTask(`ML-1M, ${people} people`, everySoMany(ratings, people), people, context),
    features,
  };
}

function everySoMany(ratings: RatingMatrix, people: number): RatingMatrix {
  const some = Array.from({ length: people }, (_, k) => Math.floor((k * ratings.userCount) / people));
  return selectUsers(ratings, some);
}

/** ML-1M ratings of every so many-th person: the same taste with fewer people. */
export async function ml1mFewPeople(context: ExperimentContext, people: number): Promise<Task> {
  const { ratings } = await loadRealData(context, 'ml-1m');
  return ratingTask(`ML-1M, ${people} people`, everySoMany(ratings, people), people, context);
}

/** ML-10M ratings, 80/10/10, with the genres and years that come with it: the data of the papers. */
export async function ml10mRatings(context: ExperimentContext): Promise<Task> {
  const { ratings, features } = await loadRealData(context, 'ml-10m');
  return { ...ratingTask('ML-10M', ratings, 70_000, context), features };
}

/** ML-20M ratings of 4 and more as likes, people the model has not seen: the data of the papers. */
export async function ml20mLikes(context: ExperimentContext): Promise<Task> {
  const { ratings, features } = await loadRealData(context, 'ml-20m');
  return { ...choiceTask('ML-20M likes', likedItems(ratings, 4), 140_000, context), features };
}

/** ML-100K ratings, 80/10/10. */
export async function ml100kRatings(context: ExperimentContext): Promise<Task> {
  return ratingTask('ML-100K', (await loadRealData(context, 'ml-100k')).ratings, 1000, context);
}

/** ML-1M ratings of 4 and 5 as likes, with public facts about the films; people the model has not seen. */
export async function ml1mLikes(context: ExperimentContext, people?: number): Promise<Task> {
  const { ratings, itemIds } = await loadRealData(context, 'ml-1m');
  const features = [await movieFeatures(context, itemIds)];
  const liked = likedItems(ratings, 4);
  if (people === undefined) return { ...choiceTask('ML-1M likes', liked, 6000, context), features };
  const some = everySoMany(liked, people);
  return { ...choiceTask(`ML-1M likes, ${people} people`, some, people, context), features };
}

/** One in five of the likes of ML-1M: the same taste in sparser data. */
export async function ml1mFewLikes(context: ExperimentContext): Promise<Task> {
  const liked = likedItems((await loadRealData(context, 'ml-1m')).ratings, 4);
  const random = new SeededRandom(context.seed);
  const labels = liked.byUser.indices.map(() => random.below(5));
  return choiceTask('ML-1M, a fifth of the likes', selectRatings(liked, labels, 0), 6000, context);
}

/** What people rated in Amazon's video shop, whatever they thought of it. */
export async function amazonChoices(context: ExperimentContext): Promise<Task> {
  const { ratings } = await loadRealData(context, 'amazon-all-items');
  return choiceTask('Amazon Instant Video', likedItems(ratings, ratings.scale.min), 8000, context);
}

/** FilmTrust ratings, 80/10/10. */
export async function filmTrustRatings(context: ExperimentContext): Promise<Task> {
  return ratingTask('FilmTrust', (await loadRealData(context, 'filmtrust')).ratings, 1500, context);
}

/** FilmTrust ratings of 3 and more as likes: a few films that nearly everybody likes. */
export async function filmTrustLikes(context: ExperimentContext): Promise<Task> {
  const { ratings } = await loadRealData(context, 'filmtrust');
  return choiceTask('FilmTrust likes', likedItems(ratings, 3), 1500, context);
}

/** Ratings in Amazon's video shop (5-core), 80/10/10. */
export async function amazonRatings(context: ExperimentContext): Promise<Task> {
  const { ratings } = await loadRealData(context, 'amazon-instant-video');
  return ratingTask('Amazon Instant Video', ratings, 5000, context);
}

/** Artists on Last.fm; people the model has not seen. */
export async function lastFmChoices(context: ExperimentContext): Promise<Task> {
  return choiceTask('Last.fm', (await loadRealData(context, 'lastfm')).ratings, 1900, context);
}

/** Choices of another kind than films and songs: what people tag, with what, and whom they know. */
export async function choicesIn(
  context: ExperimentContext,
  source: 'tagged-films' | 'lastfm-tags' | 'lastfm-tagged' | 'lastfm-friends',
  name: string,
): Promise<Task> {
  return choiceTask(name, (await loadRealData(context, source)).ratings, 2000, context);
}

/** All that people rated in ML-1M, whatever they thought of it. */
export async function ml1mRated(context: ExperimentContext): Promise<Task> {
  const { ratings } = await loadRealData(context, 'ml-1m');
  return choiceTask('ML-1M, all that was rated', likedItems(ratings, ratings.scale.min), 6000, context);
}

/** One in twelve of the ratings of ML-1M: fourteen each instead of 166. */
export async function ml1mFewRatings(context: ExperimentContext): Promise<Task> {
  const { ratings } = await loadRealData(context, 'ml-1m');
  const random = new SeededRandom(context.seed);
  const labels = ratings.byUser.indices.map(() => random.below(12));
  return ratingTask('ML-1M, a twelfth of the ratings', selectRatings(ratings, labels, 0), 6000, context);
}

/** Ratings in ML-1M of films that at most 200 people rated. */
export async function ml1mRareFilms(context: ExperimentContext): Promise<Task> {
  const { ratings } = await loadRealData(context, 'ml-1m');
  const { indices } = ratings.byUser;
  const counts = new Uint32Array(ratings.itemCount);
  for (const item of indices) counts[item]++;
  const labels = indices.map((item) => (counts[item] <= 200 ? 1 : 0));
  return ratingTask('ML-1M, rare films', selectRatings(ratings, labels, 1), 6000, context);
}

/** Ratings of ML-1M as thumbs: 4 and 5 are up. */
export async function ml1mThumbs(context: ExperimentContext): Promise<Task> {
  const { ratings } = await loadRealData(context, 'ml-1m');
  const thumbs: RatingMatrix = {
    ...ratings,
    scale: { min: 0, max: 1, step: 1 },
    byUser: { ...ratings.byUser, values: ratings.byUser.values.map((value) => (value >= 4 ? 1 : 0)) },
  };
  return ratingTask('ML-1M as thumbs', thumbs, 6000, context);
}

/** Ratings in Amazon's video shop with all its items: eight each among 11,830. */
export async function amazonAllRatings(context: ExperimentContext): Promise<Task> {
  const { ratings } = await loadRealData(context, 'amazon-all-items');
  return ratingTask('Amazon Instant Video, all items', ratings, 8000, context);
}

/** Ratings, or choices, of a generated shape; the shape has a seed of its own, the split that of the run. */
export function generatedShape(
  name: string,
  shape: Shape,
  context: Pick<ExperimentContext, 'engine' | 'seed'>,
): Task {
  const ask = shape.scale === undefined ? choiceTask : ratingTask;
  return ask(name, generateShape(shape), shape.people, context);
}

/** The same of a catalogue that falls into clusters. */
export function generatedClusters(
  name: string,
  recipe: Clustered,
  context: Pick<ExperimentContext, 'engine' | 'seed'>,
): Task {
  const ask = recipe.scale === undefined ? choiceTask : ratingTask;
  return ask(name, generateClusters(recipe), recipe.people, context);
}

/** Gowalla check-ins; people the model has not seen. */
export async function gowallaVisits(context: ExperimentContext): Promise<Task> {
  return choiceTask('Gowalla', (await loadRealData(context, 'gowalla')).ratings, 30_000, context);
}

/** Generated visits to 20,000 places in 100 towns: sparse choices among many items. */
export function generatedVisits(context: Pick<ExperimentContext, 'engine' | 'seed'>): Task {
  const visits = generateVisits({ people: 12_000, places: 20_000, towns: 100, seed: context.seed });
  return choiceTask('generated visits', visits, 12_000, context);
}

/** A generated catalogue of the given shape. */
export function generatedRatings(
  context: Pick<ExperimentContext, 'engine' | 'seed'>,
  users: number,
  items: number,
  ratings: number,
): Task {
  const content = generateCatalogue({ users, items, ratings, seed: context.seed });
  return ratingTask(`generated, ${users} × ${items}`, content.ratings, users, context);
}

function ratingTask(
  name: string,
  ratings: RatingMatrix,
  declaredPeople: number,
  { engine, seed }: { readonly engine: Engine; readonly seed: number },
): Task {
  const split = splitHoldout(ratings, { seed });
  return {
    name,
    metric: 'rmse',
    declaredPeople,
    features: [],
    split: {
      train: split.train,
      evaluate: (model, options) => evaluateModel(model, split, 'holdout', engine, options),
    },
  };
}

function choiceTask(
  name: string,
  choices: RatingMatrix,
  declaredPeople: number,
  { engine, seed }: { readonly engine: Engine; readonly seed: number },
): Task {
  const split = splitStrongGeneralization(choices, { seed });
  return {
    name,
    metric: 'recall@20',
    declaredPeople,
    features: [],
    split: {
      train: split.train,
      evaluate: (model, options) => evaluateModel(model, split, 'strong-generalization', engine, options),
    },
  };
}
