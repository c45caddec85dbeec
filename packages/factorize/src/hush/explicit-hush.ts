import { randomFactors, unpackSymmetric } from '@hushrec/numerics';
import type { PlannedRelease, ReleasePlan } from '@hushrec/privacy';
import {
  flooredCounts,
  type GridSums,
  itemEffects as itemEffectSums,
  itemPreference,
  itemWeights as itemWeightSums,
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
import { type MeasuredSums, withEarlierRounds } from './earlier-rounds.js';
import { itemFeatures, shrinkToFeatures } from './feature-shrinkage.js';
import type { HushSettings } from './hush-settings.js';
import { releaseSums } from './release-sums.js';
import { shrinkEffects } from './shrink-effects.js';
import { shrinkItems } from './shrink-items.js';
import { shrinkButKeep, shrinkByRidge, shrinkToZero } from './shrinkage.js';
import { solvePerItem } from './solve-per-item.js';

/** Weight of item effects' weights against their sums inside `effectShare`. */
const weightsOfEffects = 0.3;
/** Pseudo-ratings at zero in a person's first local mean. */
const firstShrinkage = 5;
/** Residual standard deviation before any is released, in half-widths of the scale: for shrinkage only. */
const guessedResidual = 0.45;
/** People's scaling makes sampling error smaller than the residual variance says; a constant stands for its mean. */
const meanScaling = 0.7;

/** people → counts → weights → effects → residual variance → rounds × {moment, vectors}; shares are of μ². */
export function planExplicit(settings: HushSettings, shape: PublicShape): ReleasePlan {
  const half = (shape.scale.max - shape.scale.min) / 2;
  if (!(half > 0))
    throw new SettingsError(
      'feedback',
      'feedback is explicit, but the rating scale has a single value. Use feedback=implicit.',
    );
  const { effectShare, rounds, roundGrowth, momentShare } = settings;
  const before: PlannedRelease[] = [
    singleRelease('people-count', settings.populationShare, 1),
    singleRelease('item-counts', settings.countShare, weightedCountSensitivity),
    singleRelease('item-weights', effectShare * weightsOfEffects, 1),
    ...(settings.itemEffects
      ? [singleRelease('item-effects', effectShare * (1 - weightsOfEffects), settings.effectBound * half)]
      : []),
    singleRelease('residual-variance', settings.varianceShare, half ** 2),
  ];
  const left = 1 - before.reduce((sum, { share }) => sum + share, 0);
  const perRound = (name: string, share: number, sensitivity: number) =>
    roundReleases(name, rounds, roundGrowth, left * share, sensitivity);
  return {
    unit: 'user',
    relation: 'add-remove',
    released: 'item effects, and item vectors of every round',
    releases: [
      ...before,
      ...perRound(
        'taste-moment',
        momentShare,
        settings.moment === 'shared' ? settings.momentBound : settings.matrixBound,
      ),
      ...perRound('taste-vectors', 1 - momentShare, settings.vectorBound * half),
    ],
  };
}

export async function trainExplicit(input: PeopleInput<HushSettings>): Promise<TrainedModel> {
  const { people, settings, engine, recorder, random, progress, signal } = input;
  const { scale, itemCount } = people;
  const { rank: width, rounds, roundGrowth } = settings;
  const offset = (scale.min + scale.max) / 2;
  const half = (scale.max - scale.min) / 2;
  const known = settings.features ? itemFeatures(input.features, itemCount) : undefined;
  const shrink = known === undefined ? shrinkToZero : shrinkToFeatures(known);
  const shrinkEarly = known === undefined ? shrinkButKeep : shrinkToFeatures(known, 1);
  const release = (name: string, sums: GridSums, symmetricWidth = 0) =>
    releaseSums(recorder, name, sums, symmetricWidth);

  // How many there are, what is popular, and how much of everybody's weight each item has.
  const { count } = await people.sum(peopleCount, null, signal);
  const population = Math.max(1, (await release('people-count', count)).value[0]!);
  const counts = await release('item-counts', (await people.sum(weightedCounts, null, signal)).counts);
  const preference = itemPreference(flooredCounts(counts.value, counts.noise), settings.weightExponent);
  const { weights } = await people.sum(itemWeightSums, preference, signal);
  const weighed = await release('item-weights', weights);
  const itemWeights = flooredCounts(weighed.value, weighed.noise);
  const totalWeight = itemWeights.reduce((sum, each) => sum + each, 0);
  const meanWeight = population / totalWeight; // Σ w² / Σ w, as Σ_j w_ij² = 1 for everyone

  // Item effects, relative to each person's own level.
  const none = new Float64Array(itemCount);
  let effects: Float64Array = none;
  if (settings.itemEffects) {
    const level = { offset, effects: none, shrinkage: firstShrinkage };
    const sums = await people.sum(
      itemEffectSums,
      { ...preference, ...level, bound: settings.effectBound * half },
      signal,
    );
    const released = await release('item-effects', sums.effects);
    effects = await shrinkEffects(
      {
        sums: released.value,
        noise: released.noise,
        weights: itemWeights,
        samplingVariance: (guessedResidual * half) ** 2 * meanWeight,
      },
      shrink,
    );
  }
  const { total } = await people.sum(
    residualVarianceSum,
    { offset, effects, shrinkage: settings.interceptRidge, bound: half ** 2 },
    signal,
  );
  const variance = await release('residual-variance', total);
  const residualVariance =
    settings.varianceFactor * Math.min(half ** 2, Math.max((half / 5) ** 2, variance.value[0]! / population));

  // Vectors: everybody's posterior is local, what items learn from it is released.
  let vectors: Float64Array = Float64Array.from(
    randomFactors(itemCount, width, (settings.initialStdDev * half) / 2, random).data,
  );
  let measured: MeasuredSums | undefined;
  for (let round = 0; round < rounds; round++) {
    signal?.throwIfAborted();
    progress?.({ stage: 'rounds', done: round, total: rounds });
    const question = tasteQuestion(
      { width, vectors, effects, offset, weights: itemWeights },
      preference,
      {
        residualVariance,
        interceptRidge: settings.interceptRidge,
        posteriorSpread: settings.posteriorSpread,
      },
      {
        vectorBound: settings.vectorBound * half,
        momentBound: settings.moment === 'shared' ? settings.momentBound : settings.matrixBound,
        moment: settings.moment,
        ...(settings.clipping === 'separate' && { residualBound: settings.residualBound * half }),
      },
    );
    const statistics = await people.sum(taste, question, signal);
    const moment = await release(
      roundName('taste-moment', round, roundGrowth),
      statistics.moment,
      settings.moment === 'shared' ? width : 0,
    );
    const sums = await release(roundName('taste-vectors', round, roundGrowth), statistics.vectors);
    if (settings.moment === 'per-item') {
      vectors = await solvePerItem(engine, width, moment.value, sums.value, settings.itemRidge);
      continue;
    }
    measured = withEarlierRounds(sums, settings.earlierRounds ? measured : undefined, itemWeights);
    const noisy = {
      vectors: measured,
      moment: unpackSymmetric(moment.value, width).map((value) => value / totalWeight),
      momentNoise: moment.noise / totalWeight,
      weights: itemWeights,
      samplingVariance: residualVariance * meanWeight * meanScaling,
    };
    vectors =
      settings.itemShrinkage === 'ridge'
        ? await shrinkItems(noisy, shrinkByRidge(settings.itemRidge))
        : await shrinkItems(noisy, round < rounds - 1 ? shrinkEarly : shrink);
  }
  progress?.({ stage: 'rounds', done: rounds, total: rounds });
  return {
    model: {
      kind: 'factors',
      feedback: 'explicit',
      rank: width,
      itemFactors: Float32Array.from(vectors),
      itemBias: Float32Array.from(effects),
      offset,
      foldIn: {
        ridge: residualVariance,
        ridgeExponent: 0,
        interceptRidge: settings.foldInInterceptRidge,
        unobservedWeight: 0,
      },
      popularity: Float32Array.from(counts.value),
    },
    facts: { residualVariance, people: population },
  };
}
