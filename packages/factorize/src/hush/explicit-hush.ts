import { randomFactors, unpackSymmetric } from '@hushrec/numerics';
import type { PlannedRelease, ReleasePlan } from '@hushrec/privacy';
import {
  flooredCounts,
  type GridSums,
  itemEffects,
  itemPreference,
  itemWeights as itemWeightSums,
  meanRating,
  peopleCount,
  residualVariance as residualVarianceSum,
  taste,
  tasteQuestion,
  weightedCountSensitivity,
  weightedCounts,
} from '@hushrec/statistics';
import type { PeopleInput, PublicShape, TrainedModel } from '../method.js';
import { SettingsError } from '../settings.js';
import { roundName, roundReleases, singleRelease } from '../user-level/shared/round-releases.js';
import { byStrength, type Division, divideBudget, roundsFor, sumsOfEffects } from './divide-budget.js';
import { type MeasuredSums, withEarlierRounds } from './earlier-rounds.js';
import { itemFeatures, shrinkToFeatures } from './feature-shrinkage.js';
import type { HushRules } from './hush-rules.js';
import type { HushSettings } from './hush-settings.js';
import { type ReleasedSums, releaseSums, together } from './release-sums.js';
import { envelopeOf, fixedRank, withinNumbers } from './round-limits.js';
import { shrinkEffects } from './shrink-effects.js';
import { shrinkItems } from './shrink-items.js';
import { shrinkButKeep, shrinkToZero } from './shrinkage.js';

/** Shares of μ² that are known before anything is released. */
const shareOf = {
  people: 0.002,
  mean: 0.01,
  counts: 0.05,
  variance: 0.004,
  scaling: 0.002,
} as const;
/** Each round gets so many times the budget (μ²) of the one before. */
const roundGrowth = 1.5;
/**
 * Part of the budget of sums of effects that goes to their first estimate, where there are no vectors and
 * they are estimated twice.
 */
const firstEffects = 0.3;
/** Pseudo-ratings at zero in a person's first local mean. */
const firstShrinkage = 5;
/** Ridge of a person's level when the finished model is used, in ratings. */
const interceptRidgeInUse = 3;
/**
 * In half-widths of the scale: residual standard deviation before any is released, for shrinkage only; how
 * far population means are expected from the middle.
 */
const guessedResidual = 0.45;
const guessedMean = 0.3;
/**
 * People's scaling makes sampling error smaller than the residual variance says; a constant stands for its
 * mean.
 */
const meanScaling = 0.7;
/**
 * In half-widths: standard deviation of the random first vectors; least size of a direction while rounds
 * follow; how much of a common level is left in ratings.
 */
const firstStdDev = 0.15;
const leastSize = 0.02;
const levelLeftIn = 0.05;

/** Pieces of the method, for experiments that leave one out; all are in use. */
export interface HushPieces {
  readonly mean: boolean;
  readonly levelLeftIn: boolean;
  readonly constantDirection: boolean;
  readonly keptDirections: boolean;
  readonly earlierRounds: boolean;
  readonly effectsTwice: boolean;
  /**
   * Of choices: in the last round people speak of an item as if they had not chosen it, where they choose
   * little.
   */
  readonly leftOut: boolean;
}
export const allPieces: HushPieces = {
  mean: true,
  levelLeftIn: true,
  constantDirection: true,
  keptDirections: true,
  earlierRounds: true,
  effectsTwice: true,
  leftOut: true,
};

/**
 * First stage: people, mean, counts. What follows is divided by them (`divideBudget`):
 * weights → effects → residual variance → rounds × {moment, vectors}.
 */
export function planExplicit(settings: HushSettings, shape: PublicShape): ReleasePlan {
  const half = (shape.scale.max - shape.scale.min) / 2;
  if (!(half > 0))
    throw new SettingsError(
      'feedback',
      'feedback is explicit, but the rating scale has a single value. Use feedback=implicit.',
    );
  const { itemCount } = shape;
  return {
    unit: 'user',
    relation: 'add-remove',
    released: 'item effects, and item vectors of every round',
    releases: [
      singleRelease('people-count', shareOf.people, 1),
      singleRelease('mean-rating', shareOf.mean, half),
      singleRelease('item-counts', shareOf.counts, weightedCountSensitivity),
    ],
    later: envelopeOf(
      settings,
      itemCount,
      [
        { name: 'item-weights', sensitivity: 1, numbers: itemCount },
        { name: 'item-effects', sensitivity: settings.effectBound * half, numbers: itemCount },
        { name: 'item-effects-again', sensitivity: settings.effectBound * half, numbers: itemCount },
        { name: 'effect-scaling', sensitivity: 1, numbers: 1 },
        { name: 'residual-variance', sensitivity: half ** 2, numbers: 1 },
      ],
      { vectors: settings.vectorBound * half, moment: settings.momentBound },
      'rank, rounds, shares and bounds of rounds follow from the released number of people and item counts',
    ),
  };
}

export async function trainExplicit(
  input: PeopleInput<HushSettings>,
  pieces: HushPieces,
  rules: HushRules,
): Promise<TrainedModel> {
  const { people, settings, recorder, random, progress, signal } = input;
  const { scale, itemCount } = people;
  const middle = (scale.min + scale.max) / 2;
  const half = (scale.max - scale.min) / 2;
  const known = itemFeatures(input.features, itemCount);
  const shrink = known === undefined ? shrinkToZero : shrinkToFeatures(known);
  const shrinkEarly = known === undefined ? shrinkButKeep : shrinkToFeatures(known, 1);
  const release = (name: string, sums: GridSums, symmetricWidth = 0) =>
    releaseSums(recorder, name, sums, symmetricWidth);

  // How many there are, how high they rate, and what is popular; these say how the rest of the budget is
  // divided.
  const { count } = await people.sum(peopleCount, null, signal);
  const population = Math.max(1, (await release('people-count', count)).value[0]);
  const sum = (await people.sum(meanRating, { middle, bound: half }, signal)).sum;
  const ofMeans = await release('mean-rating', sum);
  const mean = pieces.mean ? shrunkMean(ofMeans, population, middle, half) : middle;
  const counts = await release('item-counts', (await people.sum(weightedCounts, null, signal)).counts);
  const division = divideBudget({
    counts,
    people: population,
    mu: counts.noise > 0 ? Math.min(50, 1 / (counts.noise * Math.sqrt(shareOf.counts))) : 50,
    weightExponent: settings.weightExponent,
    left,
    rules,
  });
  const stage = laterStage(settings, itemCount, half, division, pieces.effectsTwice);
  const { rank: width, rounds, interceptRidge } = stage;
  recorder.stage(stage.lines);

  const preference = itemPreference(flooredCounts(counts.value, counts.noise), settings.weightExponent);
  const { weights } = await people.sum(itemWeightSums, preference, signal);
  const weighed = await release('item-weights', weights);
  const itemWeights = flooredCounts(weighed.value, weighed.noise);
  const totalWeight = itemWeights.reduce((total, each) => total + each, 0);
  const meanWeight = population / totalWeight; // Σ w² / Σ w, as Σ_j w_ij² = 1 for everyone

  // Item effects, relative to each person's own level. A part of the common level stays in the ratings: it
  // lets tastes see which items someone rated.
  const above = mean - middle;
  const leftIn = (levelLeftIn * half * (stage.ratingsEach + interceptRidge)) / interceptRidge;
  const offset = pieces.levelLeftIn ? mean - Math.sign(above) * Math.min(Math.abs(above), leftIn) : mean;
  const sumEffects = (effects: Float64Array) =>
    people.sum(
      itemEffects,
      {
        ...preference,
        offset,
        effects,
        shrinkage: firstShrinkage,
        bound: settings.effectBound * half,
      },
      signal,
    );
  const sums = await sumEffects(new Float64Array(itemCount));
  const released = await release('item-effects', sums.effects);
  // Σ k_i w_ij b_j is smaller than ŝ_j b_j by people's mean scaling. Vectors make up for it; without them it
  // is released.
  const scaling =
    width > 0
      ? 1
      : Math.min(1, Math.max(0.3, (await release('effect-scaling', sums.scaling)).value[0] / population));
  const shrunkEffects = ({ value, noise }: ReleasedSums) =>
    shrinkEffects(
      {
        sums: value,
        noise,
        weights: itemWeights.map((weight) => weight * scaling),
        samplingVariance: (guessedResidual * half) ** 2 * meanWeight * scaling,
      },
      shrink,
    );
  let effects = await shrunkEffects(released);
  // Who rates little, and mostly what is good, is not generous: with effects known levels are known better,
  // and with those effects. Rounds do the same for vectors.
  if (width === 0 && pieces.effectsTwice)
    effects = await shrunkEffects(
      together(released, await release('item-effects-again', (await sumEffects(effects)).effects)),
    );
  const { total } = await people.sum(
    residualVarianceSum,
    { offset, effects, shrinkage: interceptRidge, bound: half ** 2 },
    signal,
  );
  const variance = await release('residual-variance', total);
  const residualVariance =
    stage.varianceFactor * Math.min(half ** 2, Math.max((half / 5) ** 2, variance.value[0] / population));

  // Vectors: everybody's posterior is local, what items learn from it is released. Everybody's taste is
  // expected around g, whose part of items refines their effects.
  let vectors: Float64Array = Float64Array.from(
    randomFactors(itemCount, width, firstStdDev * half, random).data,
  );
  let constant = new Float64Array(width);
  if (pieces.constantDirection && width > 0) constant[0] = 1;
  let measured: MeasuredSums | undefined;
  for (let round = 0; round < rounds; round++) {
    signal?.throwIfAborted();
    progress?.({ stage: 'rounds', done: round, total: rounds });
    const question = tasteQuestion(
      { width, vectors, effects, offset, weights: itemWeights, constant },
      preference,
      { residualVariance, interceptRidge },
      { vectorBound: stage.vectorBound, momentBound: settings.momentBound },
    );
    const statistics = await people.sum(taste, question, signal);
    const moment = await release(roundName('taste-moment', round, roundGrowth), statistics.moment, width);
    const ofTastes = await release(roundName('taste-vectors', round, roundGrowth), statistics.vectors);
    measured = withEarlierRounds(ofTastes, pieces.earlierRounds ? measured : undefined, itemWeights);
    const last = round === rounds - 1;
    const learned = await shrinkItems(
      {
        vectors: measured,
        moment: unpackSymmetric(moment.value, width).map((value) => value / totalWeight),
        momentNoise: moment.noise / totalWeight,
        weights: itemWeights,
        samplingVariance: residualVariance * meanWeight * meanScaling,
      },
      last ? shrink : shrinkEarly,
      last || !pieces.keptDirections ? 0 : leastSize * half,
    );
    vectors = learned.vectors;
    constant = turned(question.constant, learned.basis);
  }
  progress?.({ stage: 'rounds', done: rounds, total: rounds });
  effects = effects.map((effect, item) => effect + dot(constant, vectors, item * width));

  // In use people are shrunk to the population's mean.
  let common = 0;
  for (let item = 0; item < itemCount; item++) common += itemWeights[item] * effects[item];
  return {
    model: {
      kind: 'factors',
      feedback: 'explicit',
      // Without vectors a direction in which nobody and nothing differs stands for none.
      rank: Math.max(1, width),
      itemFactors: width === 0 ? new Float32Array(itemCount) : Float32Array.from(vectors),
      itemBias: Float32Array.from(effects),
      offset: mean - common / totalWeight,
      foldIn: {
        ridge: residualVariance,
        ridgeExponent: 0,
        interceptRidge: interceptRidgeInUse,
        unobservedWeight: 0,
      },
      popularity: Float32Array.from(counts.value),
    },
    facts: {
      residualVariance,
      people: population,
      meanRating: mean,
      directions: width,
    },
  };
}

/**
 * The mean of people's means, from its noisy sum: as far from the middle as its noise allows one to believe.
 */
function shrunkMean(
  { value, noise }: { readonly value: Float64Array; readonly noise: number },
  people: number,
  middle: number,
  half: number,
): number {
  const prior = (guessedMean * half) ** 2;
  const above = ((value[0] / people) * prior) / (prior + (noise / people) ** 2);
  return middle + Math.max(-half, Math.min(half, above));
}

/** What effects and vectors have together. */
const left = 1 - Object.values(shareOf).reduce((sum, share) => sum + share, 0);

/** The lines of the second stage, and what else rounds need: from settings and released figures. */
function laterStage(
  settings: HushSettings,
  itemCount: number,
  half: number,
  division: Division,
  effectsTwice: boolean,
) {
  const { strength, ratingsEach } = division;
  const { rank, rounds } = withinNumbers(settings, itemCount, fixedRank(settings, division.rank, roundsFor));
  const effectShare =
    rank === 0 ? left : settings.effectShare > 0 ? settings.effectShare : Math.min(0.9, division.effectShare);
  const ofSums = effectShare * sumsOfEffects;
  const first = effectsTwice ? firstEffects : 1;
  const vectorShare = left - effectShare;
  const vectorBound = settings.vectorBound * half * byStrength(strength, 1, 0.15, 0.625, 1);
  const lines: PlannedRelease[] = [
    singleRelease('item-weights', effectShare * (1 - sumsOfEffects), 1),
    ...(rank === 0
      ? [
          singleRelease('item-effects', first * ofSums, settings.effectBound * half),
          ...(effectsTwice
            ? [singleRelease('item-effects-again', (1 - first) * ofSums, settings.effectBound * half)]
            : []),
          singleRelease('effect-scaling', shareOf.scaling, 1),
        ]
      : [singleRelease('item-effects', ofSums, settings.effectBound * half)]),
    singleRelease('residual-variance', shareOf.variance, half ** 2),
  ];
  if (rank > 0) {
    const perRound = (name: string, share: number, sensitivity: number) =>
      roundReleases(name, rounds, roundGrowth, vectorShare * share, sensitivity);
    lines.push(
      ...perRound('taste-moment', settings.momentShare, settings.momentBound),
      ...perRound('taste-vectors', 1 - settings.momentShare, vectorBound),
    );
  }
  return {
    lines,
    rank,
    rounds,
    effectShare,
    ratingsEach,
    vectorBound,
    interceptRidge: byStrength(strength, 20, -0.4, 10, 40),
    varianceFactor: rank === 0 ? 1 : byStrength(strength, 0.8, 0.02, 0.8, 0.87),
  };
}

/** Q g of a basis by rows. */
function turned(vector: Float64Array, basis: Float64Array): Float64Array<ArrayBuffer> {
  return Float64Array.from(vector, (_, k) => dot(vector, basis, k * vector.length));
}

function dot(vector: Float64Array, rows: Float64Array, begin: number): number {
  let sum = 0;
  for (let k = 0; k < vector.length; k++) sum += vector[k] * rows[begin + k];
  return sum;
}
