import {
  flooredCounts,
  type ItemPreference,
  itemEffects,
  itemPreference,
  itemWeights,
  residualVariance,
} from '@hushrec/statistics';
import type { ExplicitStage } from './explicit-plan.js';
import type { ExplicitRun } from './explicit-run.js';
import type { RatingRecall } from './memory/rating-memory.js';
import { type ReleasedSums, together } from './release-sums.js';
import { shrinkEffects } from './shrink-effects.js';

/** How people weigh items, from released counts and sums of weights. */
export interface ReleasedWeights {
  readonly preference: ItemPreference;
  /** Σ_i w_ij by item, above 0. */
  readonly weights: Float64Array;
  readonly total: number;
  /** Σ w² / Σ w, as Σ_j w_ij² = 1 for everyone. */
  readonly mean: number;
}

/** Releases how much weight items have when everyone favours what is rare. */
export async function releaseWeights(
  { people, settings, release, signal }: ExplicitRun,
  counts: ReleasedSums,
  population: number,
  recall: RatingRecall,
): Promise<ReleasedWeights> {
  const preference = itemPreference(flooredCounts(counts.value, counts.noise), settings.weightExponent);
  const sums = await people.sum(itemWeights, preference, signal);
  const released = recall.weights(await release('item-weights', sums.weights));
  const weights = flooredCounts(released.value, released.noise);
  const total = weights.reduce((sum, each) => sum + each, 0);
  return { preference, weights, total, mean: population / total };
}

/**
 * What is taken off every rating. A part of the common level stays in the ratings: it lets tastes see which
 * items someone rated.
 */
export function offsetOf(
  { middle, half, pieces, rules }: ExplicitRun,
  mean: number,
  stage: ExplicitStage,
): number {
  if (!pieces.levelLeftIn) return mean;
  const above = mean - middle;
  const leftIn = (rules.levelLeftIn * half * (stage.ratingsEach + rules.levelRidge)) / rules.levelRidge;
  return mean - Math.sign(above) * Math.min(Math.abs(above), leftIn);
}

/**
 * Releases item effects, relative to each person's own level, and shrinks them. Where effects are remembered
 * levels are found beside them; with vectors they stay as they are, and vectors refine them.
 */
export async function releaseEffects(
  run: ExplicitRun,
  { rank }: ExplicitStage,
  weights: ReleasedWeights,
  offset: number,
  population: number,
  recall: RatingRecall,
): Promise<Float64Array> {
  const { people, settings, half, pieces, rules, release, signal } = run;
  const known = recall.effects;
  if (known !== undefined && rank > 0) return known;
  const bound = settings.effectBound * half;
  const sumsBeside = (effects: Float64Array) =>
    people.sum(
      itemEffects,
      { ...weights.preference, offset, effects, shrinkage: rules.firstLevelRidge, bound },
      signal,
    );
  const sums = await sumsBeside(known ?? new Float64Array(run.itemCount));
  const released = await release('item-effects', sums.effects);
  // Σ k_i w_ij b_j is smaller than ŝ_j b_j by people's mean scaling. Vectors make up for it; without them it
  // is released.
  const scaling =
    rank > 0
      ? 1
      : Math.min(
          1,
          Math.max(
            rules.leastScaling,
            recall.figure('scaling', await release('effect-scaling', sums.scaling), population).value[0] /
              population,
          ),
        );
  const shrunk = ({ value, noise }: ReleasedSums) =>
    shrinkEffects(
      recall.effectSums({
        sums: value,
        noise,
        weights: weights.weights.map((weight) => weight * scaling),
        samplingVariance: (rules.guessedResidual * half) ** 2 * weights.mean * scaling,
      }),
      run.shrink,
    );
  const effects = await shrunk(released);
  if (rank > 0 || !pieces.effectsTwice || known !== undefined) return effects;
  // Who rates little, and mostly what is good, is not generous: with effects known levels are known better,
  // and with those effects. Rounds do the same for vectors.
  const again = await release('item-effects-again', (await sumsBeside(effects)).effects);
  return shrunk(together(released, again));
}

/** Releases how far ratings are from level and effects, as a variance. */
export async function releaseResidualVariance(
  { people, half, rules, release, signal }: ExplicitRun,
  stage: ExplicitStage,
  effects: Float64Array,
  offset: number,
  population: number,
  recall: RatingRecall,
): Promise<number> {
  const { total } = await people.sum(
    residualVariance,
    { offset, effects, shrinkage: rules.levelRidge, bound: half ** 2 },
    signal,
  );
  const { value } = recall.figure('residual', await release('residual-variance', total), population);
  const least = (rules.leastResidual * half) ** 2;
  return stage.varianceFactor * Math.min(half ** 2, Math.max(least, value[0] / population));
}
