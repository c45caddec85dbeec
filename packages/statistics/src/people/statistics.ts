import { curvatureSums } from '../alternating/curvatures.js';
import { itemSums, sampledItemSums, subspaceStep, userGramian } from '../alternating/item-sums.js';
import { ownMeanSum, sampledCounts } from '../alternating/offset-and-counts.js';
import { featureGramian, featureVectors } from '../alternating/person-features.js';
import { itemGradients, movedGramian } from '../gradient/item-gradients.js';
import { choices } from '../hush/choices.js';
import { itemEffects, residualVariance } from '../hush/item-effects.js';
import { itemWeights } from '../hush/item-weights.js';
import { levelVariance } from '../hush/level-variance.js';
import { meanRating, peopleCount, weightedCounts } from '../hush/population.js';
import { taste } from '../hush/taste.js';
import { residualCovariance, rowCovariance } from '../spectral/covariance.js';
import type { PersonStatistic } from './people.js';

/** Every statistic about people by its id: what threads and workers may be asked for. */
const statistics = new Map(
  [
    peopleCount,
    meanRating,
    weightedCounts,
    itemWeights,
    itemEffects,
    residualVariance,
    levelVariance,
    taste,
    choices,
    sampledCounts,
    ownMeanSum,
    userGramian,
    featureGramian,
    featureVectors,
    itemSums,
    sampledItemSums,
    subspaceStep,
    curvatureSums,
    itemGradients,
    movedGramian,
    rowCovariance,
    residualCovariance,
    // Who asks knows what is published; here it is handed on as it came.
  ].map((statistic) => [statistic.id, statistic as PersonStatistic<unknown>]),
);

/**
 * Whether threads and workers, which look a statistic up by its id, would find this very one. One of a
 * plug-in's own is not known there, nor one that took the id of another.
 */
export function isKnownStatistic(statistic: PersonStatistic<never>): boolean {
  return statistics.get(statistic.id) === statistic;
}

/** @throws RangeError where there is none of this id */
export function statisticById(id: string): PersonStatistic<unknown> {
  const found = statistics.get(id);
  if (found === undefined) throw new RangeError(`There is no statistic "${id}".`);
  return found;
}
