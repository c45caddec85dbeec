import { unpackSymmetric } from '@hushrec/numerics';
import { muFor, type PlannedRelease, type ReleasePlan } from '@hushrec/privacy';
import {
  adaptiveWeights,
  clippedTotal,
  flooredCounts,
  type GridSums,
  JointlyClippedItemSums,
  populationCount,
  weightedCountSensitivity,
  weightedItemCounts,
} from '@hushrec/statistics';
import type { Method, PublicShape, TrainedModel, TrainingInput } from '../method.js';
import type { SettingsOf } from '../settings.js';
import { roundName, roundReleases, singleRelease } from '../user-level/round-releases.js';
import { itemFeatures, shrinkToFeatures } from './feature-shrinkage.js';
import { hushSettings, suggestHush } from './hush-settings.js';
import { itemEffectSums, localIntercepts, residualSquares, shrinkEffects } from './item-effects.js';
import { shrinkItems } from './shrink-items.js';
import { shrinkToZero } from './shrinkage.js';
import { tasteStatistics } from './taste-statistics.js';

export type HushSettings = SettingsOf<typeof hushSettings>;

/** Weight of item effects' weights against their sums inside `effectShare`. */
const weightsOfEffects = 0.3;
/** Pseudo-ratings at zero in a person's first local mean. */
const firstShrinkage = 5;
/** Residual standard deviation before any is released, in half-widths of the scale: for shrinkage only. */
const guessedResidual = 0.45;
/** People's scaling makes sampling error smaller than the residual variance says; a constant stands for its mean. */
const meanScaling = 0.7;

/**
 * The default method: private probabilistic matrix factorization in which everything that can be local is local, one
 * second moment is shared by all items, every person's whole part in a release is scaled to one norm, and all
 * shrinkage follows from the known noise.
 *
 * Unit: user, add or remove. Released: item effects and vectors; everybody's intercept and taste stay local.
 * Claim and proof, release by release: docs/hush-proof.md.
 */
export const hush: Method<typeof hushSettings> = {
  id: 'hush',
  title: 'Hush: private empirical-Bayes matrix factorization',
  paper: 'this project, docs/hush.md',
  feedback: ['explicit'],
  protects: [{ unit: 'user', relation: 'add-remove' }],
  settings: hushSettings,
  suggest: (shape) => suggestHush(shape, shape.epsilon === Infinity ? 50 : muFor(shape.epsilon, shape.delta)),
  plan: (settings, shape) => planHush(settings as HushSettings, shape),
  train: (input) => trainHush(input as TrainingInput<HushSettings>),
};

/** people → counts → weights → effects → residual variance → rounds × {moment, vectors}; shares are of μ². */
export function planHush(settings: HushSettings, shape: PublicShape): ReleasePlan {
  const half = (shape.scale.max - shape.scale.min) / 2;
  const before: PlannedRelease[] = [
    singleRelease('number of people', settings.populationShare, 1),
    singleRelease('item counts', settings.countShare, weightedCountSensitivity),
    singleRelease('item weights', settings.effectShare * weightsOfEffects, 1),
    singleRelease('item effects', settings.effectShare * (1 - weightsOfEffects), settings.effectBound * half),
    singleRelease('residual variance', settings.varianceShare, half ** 2),
  ];
  const left = 1 - before.reduce((sum, { share }) => sum + share, 0);
  const { rounds, roundGrowth, momentShare } = settings;
  return {
    unit: 'user',
    relation: 'add-remove',
    released: 'item effects, and item vectors of every round',
    releases: [
      ...before,
      ...roundReleases('taste moment', rounds, roundGrowth, left * momentShare, settings.momentBound),
      ...roundReleases(
        'taste vectors',
        rounds,
        roundGrowth,
        left * (1 - momentShare),
        settings.vectorBound * half,
      ),
    ],
  };
}

export async function trainHush(input: TrainingInput<HushSettings>): Promise<TrainedModel> {
  const { ratings, settings, recorder, random, progress, signal } = input;
  const { byUser, scale, itemCount } = ratings;
  const { rank: width, rounds, roundGrowth } = settings;
  const offset = (scale.min + scale.max) / 2;
  const half = (scale.max - scale.min) / 2;
  const known = settings.features ? itemFeatures(input.features, itemCount) : undefined;
  const shrink = known === undefined ? shrinkToZero : shrinkToFeatures(known, input.engine);
  const release = async (name: string, sums: GridSums, symmetric = 0) => {
    const open = recorder.begin(name);
    const layout =
      symmetric > 0 ? ({ kind: 'symmetric', width: symmetric } as const) : ({ kind: 'vector' } as const);
    const value = await open.add(0, sums.statistic, sums.gridStep, layout);
    open.close();
    return { value, noise: open.noise };
  };

  // How many there are, what is popular, and how much of everybody's weight each item has.
  const people = Math.max(1, (await release('number of people', populationCount(byUser))).value[0]!);
  const counts = await release('item counts', weightedItemCounts(byUser));
  const weights = personWeights(byUser, flooredCounts(counts.value, counts.noise), settings.weightExponent);
  const weighed = await release('item weights', weightSums(byUser, weights));
  const itemWeights = flooredCounts(weighed.value, weighed.noise);
  const totalWeight = itemWeights.reduce((sum, each) => sum + each, 0);
  const meanWeight = people / totalWeight; // Σ w² / Σ w, as Σ_j w_ij² = 1 for everyone

  // Item effects, relative to each person's own level.
  const noEffects = new Float64Array(itemCount);
  const effectSums = await release(
    'item effects',
    itemEffectSums(
      byUser,
      weights,
      offset,
      localIntercepts(byUser, offset, noEffects, firstShrinkage),
      settings.effectBound * half,
    ),
  );
  const effects = await shrinkEffects(
    {
      sums: effectSums.value,
      noise: effectSums.noise,
      weights: itemWeights,
      samplingVariance: (guessedResidual * half) ** 2 * meanWeight,
    },
    shrink,
  );
  const squares = residualSquares(
    byUser,
    offset,
    effects,
    localIntercepts(byUser, offset, effects, settings.interceptRidge),
  );
  const variance = await release('residual variance', clippedTotal(squares, half ** 2));
  const residualVariance =
    settings.varianceFactor * Math.min(half ** 2, Math.max((half / 5) ** 2, variance.value[0]! / people));

  // Vectors: everybody's posterior is local, what items learn from it is released.
  let vectors: Float64Array = Float64Array.from(
    { length: itemCount * width },
    () => (settings.initialStdDev * half * gaussian(random)) / 2,
  );
  const spectra: number[][] = [];
  for (let round = 0; round < rounds; round++) {
    signal?.throwIfAborted();
    progress?.({ stage: 'rounds', done: round, total: rounds });
    const { vectors: vectorSums, moment: momentSums } = tasteStatistics(
      byUser,
      weights,
      { width, vectors, effects, offset },
      { residualVariance, interceptRidge: settings.interceptRidge },
      { vectorBound: settings.vectorBound * half, momentBound: settings.momentBound },
    );
    const moment = await release(roundName('taste moment', round, roundGrowth), momentSums, width);
    const sums = await release(roundName('taste vectors', round, roundGrowth), vectorSums);
    const perWeight = unpackSymmetric(moment.value, width);
    for (let at = 0; at < perWeight.length; at++) perWeight[at]! /= totalWeight;
    const shrunk = await shrinkItems(
      {
        width,
        vectors: sums.value,
        vectorNoise: sums.noise,
        moment: perWeight,
        weights: itemWeights,
        samplingVariance: residualVariance * meanWeight * meanScaling,
      },
      shrink,
    );
    vectors = shrunk.vectors;
    spectra.push([...shrunk.priorVariances]);
  }
  progress?.({ stage: 'rounds', done: rounds, total: rounds });
  return {
    model: {
      kind: 'factors',
      feedback: 'explicit',
      dimensions: width,
      itemFactors: Float32Array.from(vectors),
      itemBias: Float32Array.from(effects),
      offset,
      foldIn: {
        ridge: residualVariance,
        ridgeExponent: 0,
        interceptRidge: settings.interceptRidge,
        unobservedWeight: 0,
      },
      popularity: Float32Array.from(counts.value),
    },
    notes: { residualVariance, people, spectra },
  };
}

/** w_ij of `adaptiveWeights` with budget 1: Σ_j w_ij² ≤ 1. */
function personWeights(
  byUser: TrainingInput<HushSettings>['ratings']['byUser'],
  counts: Float64Array,
  exponent: number,
): Float64Array {
  const { rootWeights } = adaptiveWeights(byUser, counts, exponent, 1);
  return Float64Array.from(rootWeights!, (root) => root * root);
}

/** s_j = Σ_i w_ij: sensitivity 1, because nobody's weights exceed norm 1 (none is scaled). */
function weightSums(
  byUser: TrainingInput<HushSettings>['ratings']['byUser'],
  weights: Float64Array,
): GridSums {
  const sums = new JointlyClippedItemSums(byUser.columnCount, 1, 1);
  const one = Float64Array.of(1);
  for (let user = 0; user < byUser.rowCount; user++) sums.add(byUser, user, weights, one);
  return sums.finish();
}

/** Standard normal by Box and Muller: for the random start only, never for noise. */
function gaussian(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
