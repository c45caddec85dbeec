import { evaluateModel, type SweepSplit } from '@hushrec/evaluate';
import type { Engine } from '@hushrec/numerics';
import {
  type FeatureSource,
  generateCatalogue,
  likedItems,
  type NamedRatings,
  numbered,
  type RatingMatrix,
  SeededRandom,
  selectRatings,
  selectUsers,
  splitHoldout,
  splitStrongGeneralization,
} from '@hushrec/ratings';
import { movieFeatures } from '../dp-cmf/experiments/movie-features.js';
import type { ExperimentContext } from './experiment.js';
import { type Clustered, generateClusters } from './generated-clusters.js';
import { generateShape, type Shape } from './generated-shape.js';
import { generateTwin } from './generated-twin.js';
import { generateVisits } from './generated-visits.js';
import { readCoat, readJester } from './rating-tables.js';
import { loadRealData } from './real-data.js';
import { generateThreeTastes } from './three-tastes.js';

/** One data set, one question, one figure that decides. */
export interface Task {
  readonly name: string;
  readonly split: SweepSplit;
  readonly metric: 'rmse' | 'recall@20';
  /** A public, rounded figure, as an operator would give it. */
  readonly declaredPeople: number;
  /** That of the paper whose data it is; 1e-5 unless given. */
  readonly delta?: number;
  readonly features: readonly FeatureSource[];
}

/** ML-1M ratings, 80/10/10, with public facts about the films; of everyone, or of every so many-th person. */
export async function ml1mRatings(context: ExperimentContext, people?: number): Promise<Task> {
  const data = await loadRealData(context, 'ml-1m');
  const features = [await movieFeatures(context, data.itemIds)];
  if (people === undefined) return { ...ratingTask('ML-1M', data, 6000, context), features };
  return {
    ...ratingTask(`ML-1M, ${people} people`, everySoMany(data, people), people, context),
    features,
  };
}

function everySoMany(data: NamedRatings, people: number): NamedRatings {
  const { userCount } = data.ratings;
  return peopleOf(
    data,
    Uint32Array.from({ length: people }, (_, k) => Math.floor((k * userCount) / people)),
  );
}

/** Some of the people, under their own ids. */
export function peopleOf({ ratings, userIds, itemIds }: NamedRatings, people: Uint32Array): NamedRatings {
  return {
    ratings: selectUsers(ratings, people),
    userIds: Array.from(people, (user) => userIds[user]),
    itemIds,
  };
}

/** The same people's likes. */
function likesOf(data: NamedRatings, threshold: number): NamedRatings {
  return { ...data, ratings: likedItems(data.ratings, threshold) };
}

/** ML-1M ratings of every so many-th person: the same taste with fewer people. */
export async function ml1mFewPeople(context: ExperimentContext, people: number): Promise<Task> {
  const data = await loadRealData(context, 'ml-1m');
  return ratingTask(`ML-1M, ${people} people`, everySoMany(data, people), people, context);
}

/** ML-10M ratings, 80/10/10, with the genres and years that come with it: the data of the papers. */
export async function ml10mRatings(context: ExperimentContext): Promise<Task> {
  const data = await loadRealData(context, 'ml-10m');
  return { ...ratingTask('ML-10M', data, 70_000, context), features: data.features };
}

/** A generated twin of ML-10M, 80/10/10, with five fields of facts; of fewer than 69,878 people if given. */
export function ml10mTwin(context: Pick<ExperimentContext, 'engine' | 'seed'>, people?: number): Task {
  const { ratings, features } = generateTwin(context.seed, people);
  const name = people === undefined ? 'twin of ML-10M' : `twin of ML-10M, ${people} people`;
  return { ...ratingTask(name, numbered(ratings), people ?? 70_000, context), features: [features] };
}

/** ML-20M ratings of 4 and more as likes, people the model has not seen: the data of the papers. */
export async function ml20mLikes(context: ExperimentContext): Promise<Task> {
  const data = await loadRealData(context, 'ml-20m');
  return {
    ...choiceTask('ML-20M likes', likesOf(data, 4), 140_000, context),
    features: data.features,
    delta: 8e-6,
  };
}

/** ML-100K ratings, 80/10/10. */
export async function ml100kRatings(context: ExperimentContext): Promise<Task> {
  return ratingTask('ML-100K', await loadRealData(context, 'ml-100k'), 1000, context);
}

/** ML-1M ratings of 4 and 5 as likes, with public facts about the films; people the model has not seen. */
export async function ml1mLikes(context: ExperimentContext, people?: number): Promise<Task> {
  const data = await loadRealData(context, 'ml-1m');
  const features = [await movieFeatures(context, data.itemIds)];
  const liked = likesOf(data, 4);
  if (people === undefined) return { ...choiceTask('ML-1M likes', liked, 6000, context), features };
  const some = everySoMany(liked, people);
  return { ...choiceTask(`ML-1M likes, ${people} people`, some, people, context), features };
}

/** One in five of the likes of ML-1M: the same taste in sparser data. */
export async function ml1mFewLikes(context: ExperimentContext): Promise<Task> {
  const liked = likesOf(await loadRealData(context, 'ml-1m'), 4);
  const random = new SeededRandom(context.seed);
  const labels = liked.ratings.byUser.indices.map(() => random.below(5));
  const fifth = { ...liked, ratings: selectRatings(liked.ratings, labels, 0) };
  return choiceTask('ML-1M, a fifth of the likes', fifth, 6000, context);
}

/** What people rated in Amazon's video shop, whatever they thought of it. */
export async function amazonChoices(context: ExperimentContext): Promise<Task> {
  const data = await loadRealData(context, 'amazon-all-items');
  return choiceTask('Amazon Instant Video', likesOf(data, data.ratings.scale.min), 8000, context);
}

/** FilmTrust ratings, 80/10/10. */
export async function filmTrustRatings(context: ExperimentContext): Promise<Task> {
  return ratingTask('FilmTrust', await loadRealData(context, 'filmtrust'), 1500, context);
}

/** FilmTrust ratings of 3 and more as likes: a few films that nearly everybody likes. */
export async function filmTrustLikes(context: ExperimentContext): Promise<Task> {
  const data = await loadRealData(context, 'filmtrust');
  return choiceTask('FilmTrust likes', likesOf(data, 3), 1500, context);
}

/** Ratings in Amazon's video shop (5-core), 80/10/10. */
export async function amazonRatings(context: ExperimentContext): Promise<Task> {
  const data = await loadRealData(context, 'amazon-instant-video');
  return ratingTask('Amazon Instant Video', data, 5000, context);
}

/** Jokes of Jester, 80/10/10: few items, many people. */
export async function jesterRatings(context: ExperimentContext): Promise<Task> {
  return ratingTask('Jester', await readJester(context), 25_000, context);
}

/** Coats with facts about them, 80/10/10: few people. */
export async function coatRatings(context: ExperimentContext): Promise<Task> {
  const coat = await readCoat(context);
  return { ...ratingTask('Coat', coat, 300, context), features: coat.features };
}

/** Films of Douban, 80/10/10. */
export async function doubanRatings(context: ExperimentContext): Promise<Task> {
  return ratingTask('Douban', await loadRealData(context, 'douban'), 3000, context);
}

/** Those of 4 and more as likes; people the model has not seen. */
export async function doubanLikes(context: ExperimentContext): Promise<Task> {
  const data = await loadRealData(context, 'douban');
  return choiceTask('Douban likes', likesOf(data, 4), 3000, context);
}

/** Films of Flixster, 80/10/10: eleven ratings a person. */
export async function flixsterRatings(context: ExperimentContext): Promise<Task> {
  return ratingTask('Flixster', await loadRealData(context, 'flixster'), 2300, context);
}

/** Those of 4 and more as likes; people the model has not seen. */
export async function flixsterLikes(context: ExperimentContext): Promise<Task> {
  const data = await loadRealData(context, 'flixster');
  return choiceTask('Flixster likes', likesOf(data, 4), 2300, context);
}

/** Three tastes and flat popularity: nothing but tastes can be learned. */
export function threeTastes(context: Pick<ExperimentContext, 'engine' | 'seed'>): Task {
  return ratingTask('three tastes', numbered(generateThreeTastes()), 3000, context);
}

/** Artists on Last.fm; people the model has not seen. */
export async function lastFmChoices(context: ExperimentContext): Promise<Task> {
  return choiceTask('Last.fm', await loadRealData(context, 'lastfm'), 1900, context);
}

/** Choices of another kind than films and songs: what people tag, with what, and whom they know. */
export async function choicesIn(
  context: ExperimentContext,
  source: 'tagged-films' | 'lastfm-tags' | 'lastfm-tagged' | 'lastfm-friends',
  name: string,
): Promise<Task> {
  return choiceTask(name, await loadRealData(context, source), 2000, context);
}

/** All that people rated in ML-1M, whatever they thought of it. */
export async function ml1mRated(context: ExperimentContext): Promise<Task> {
  const data = await loadRealData(context, 'ml-1m');
  return choiceTask('ML-1M, all that was rated', likesOf(data, data.ratings.scale.min), 6000, context);
}

/** One in twelve of the ratings of ML-1M: fourteen each instead of 166. */
export async function ml1mFewRatings(context: ExperimentContext): Promise<Task> {
  const data = await loadRealData(context, 'ml-1m');
  const random = new SeededRandom(context.seed);
  const labels = data.ratings.byUser.indices.map(() => random.below(12));
  const twelfth = { ...data, ratings: selectRatings(data.ratings, labels, 0) };
  return ratingTask('ML-1M, a twelfth of the ratings', twelfth, 6000, context);
}

/** Ratings in ML-1M of films that at most 200 people rated. */
export async function ml1mRareFilms(context: ExperimentContext): Promise<Task> {
  const data = await loadRealData(context, 'ml-1m');
  const { ratings } = data;
  const { indices } = ratings.byUser;
  const counts = new Uint32Array(ratings.itemCount);
  for (const item of indices) counts[item]++;
  const labels = indices.map((item) => (counts[item] <= 200 ? 1 : 0));
  const rare = { ...data, ratings: selectRatings(ratings, labels, 1) };
  return ratingTask('ML-1M, rare films', rare, 6000, context);
}

/** Ratings of ML-1M as thumbs: 4 and 5 are up. */
export async function ml1mThumbs(context: ExperimentContext): Promise<Task> {
  const data = await loadRealData(context, 'ml-1m');
  const { ratings } = data;
  const thumbs: RatingMatrix = {
    ...ratings,
    scale: { min: 0, max: 1, step: 1 },
    byUser: { ...ratings.byUser, values: ratings.byUser.values.map((value) => (value >= 4 ? 1 : 0)) },
  };
  return ratingTask('ML-1M as thumbs', { ...data, ratings: thumbs }, 6000, context);
}

/** Ratings in Amazon's video shop with all its items: eight each among 11,830. */
export async function amazonAllRatings(context: ExperimentContext): Promise<Task> {
  const data = await loadRealData(context, 'amazon-all-items');
  return ratingTask('Amazon Instant Video, all items', data, 8000, context);
}

/** Ratings, or choices, of a generated shape; the shape has a seed of its own, the split that of the run. */
export function generatedShape(
  name: string,
  shape: Shape,
  context: Pick<ExperimentContext, 'engine' | 'seed'>,
): Task {
  const ask = shape.scale === undefined ? choiceTask : ratingTask;
  return ask(name, numbered(generateShape(shape)), shape.people, context);
}

/** The same of a catalogue that falls into clusters. */
export function generatedClusters(
  name: string,
  recipe: Clustered,
  context: Pick<ExperimentContext, 'engine' | 'seed'>,
): Task {
  const ask = recipe.scale === undefined ? choiceTask : ratingTask;
  return ask(name, numbered(generateClusters(recipe)), recipe.people, context);
}

/** Gowalla check-ins; people the model has not seen. */
export async function gowallaVisits(context: ExperimentContext): Promise<Task> {
  return choiceTask('Gowalla', await loadRealData(context, 'gowalla'), 30_000, context);
}

/** Generated visits to 20,000 places in 100 towns: sparse choices among many items. */
export function generatedVisits(context: Pick<ExperimentContext, 'engine' | 'seed'>): Task {
  const visits = generateVisits({ people: 12_000, places: 20_000, towns: 100, seed: context.seed });
  return choiceTask('generated visits', numbered(visits), 12_000, context);
}

/** A generated catalogue of the given shape. */
export function generatedRatings(
  context: Pick<ExperimentContext, 'engine' | 'seed'>,
  users: number,
  items: number,
  ratings: number,
): Task {
  const content = generateCatalogue({ users, items, ratings, seed: context.seed });
  return ratingTask(`generated, ${users} × ${items}`, content, users, context);
}

function ratingTask(
  name: string,
  ratings: NamedRatings,
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
  choices: NamedRatings,
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
