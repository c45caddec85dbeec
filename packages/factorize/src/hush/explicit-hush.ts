import { meanRating, peopleCount, weightedCounts } from '@hushrec/statistics';
import type { PeopleInput, TrainedModel } from '../method.js';
import { divideBudget, expectedVariance } from './divide-budget.js';
import { offsetOf, releaseEffects, releaseResidualVariance, releaseWeights } from './explicit-effects.js';
import { offsetInUse, releaseLevelRidge } from './explicit-levels.js';
import { explicitStage, leftOf, refreshStage } from './explicit-plan.js';
import { type ExplicitRun, explicitRun } from './explicit-run.js';
import { learnVectors } from './explicit-vectors.js';
import type { HushPieces } from './hush-pieces.js';
import type { HushRules } from './hush-rules.js';
import type { HushSettings } from './hush-settings.js';
import { RatingRecall } from './memory/rating-memory.js';
import type { ReleasedSums } from './release-sums.js';

/**
 * Ratings: everybody's level and taste stay with them; what items learn from them is released, first as
 * effects and then as vectors, round by round. docs/hush-proof.md.
 */
export async function trainExplicit(
  input: PeopleInput<HushSettings>,
  pieces: HushPieces,
  rules: HushRules,
): Promise<TrainedModel> {
  const run = explicitRun(input, pieces, rules);
  const { population, mean, counts, recall } = await releasePopulation(run);
  const division = divideBudget({
    counts,
    people: population,
    mu: counts.noise > 0 ? Math.min(50, 1 / (counts.noise * Math.sqrt(rules.firstCounts))) : 50,
    weightExponent: input.settings.weightExponent,
    left: leftOf(rules),
    ratingVariance: expectedVariance(input.people.scale, mean, rules),
    rules,
  });
  const stage = recall.isUsed
    ? refreshStage(input.settings, run.itemCount, run.half, division, recall.width, rules)
    : explicitStage(input.settings, run.itemCount, run.half, division, pieces.effectsTwice, rules);
  input.recorder.stage(stage.lines);

  const weights = await releaseWeights(run, counts, population, recall);
  const offset = recall.offset ?? offsetOf(run, mean, stage);
  const first = await releaseEffects(run, stage, weights, offset, population, recall);
  const residualVariance = await releaseResidualVariance(run, stage, first, offset, population, recall);
  const levels = { offset: offsetInUse(mean, weights, first), effects: first };
  const levelRidge = await releaseLevelRidge(run, levels, stage, residualVariance, population, recall);
  const { vectors, effects, last } = await learnVectors(run, {
    stage,
    weights,
    offset,
    effects: first,
    residualVariance,
    recall,
  });

  return {
    model: {
      kind: 'factors',
      feedback: 'explicit',
      // Without vectors a direction in which nobody and nothing differs stands for none.
      rank: Math.max(1, stage.rank),
      itemFactors: stage.rank === 0 ? new Float32Array(run.itemCount) : Float32Array.from(vectors),
      itemBias: Float32Array.from(effects),
      offset: offsetInUse(mean, weights, effects),
      foldIn: {
        ridge: residualVariance,
        ridgeExponent: 0,
        interceptRidge: levelRidge,
        unobservedWeight: 0,
      },
      popularity: Float32Array.from(counts.value),
    },
    facts: { residualVariance, people: population, meanRating: mean, directions: stage.rank },
    ...(input.remember && { memory: recall.leave(offset, first, last) }),
  };
}

/**
 * How many there are, how high they rate, and what is popular; these say how the rest of the budget is
 * divided.
 */
async function releasePopulation(run: ExplicitRun) {
  const { people, middle, half, pieces, rules, release, signal } = run;
  const { count } = await people.sum(peopleCount, null, signal);
  const peopleNow = await release('people-count', count);
  const { sum } = await people.sum(meanRating, { middle, bound: half }, signal);
  const meansNow = await release('mean-rating', sum);
  const { counts } = await people.sum(weightedCounts, null, signal);
  const countsNow = await release('item-counts', counts);
  const recall = new RatingRecall(run.remember?.before, countsNow);
  const population = Math.max(1, recall.figure('people', peopleNow, 1).value[0]);
  const ofMeans = recall.figure('mean', meansNow, population);
  const mean = pieces.mean ? shrunkMean(ofMeans, population, middle, rules.guessedMean * half, half) : middle;
  return { population, mean, counts: recall.counts(countsNow), recall };
}

/**
 * The mean of people's means, from its noisy sum: as far from the middle as its noise allows one to believe.
 */
function shrunkMean(
  { value, noise }: ReleasedSums,
  people: number,
  middle: number,
  guessed: number,
  half: number,
): number {
  const prior = guessed ** 2;
  const above = ((value[0] / people) * prior) / (prior + (noise / people) ** 2);
  return middle + Math.max(-half, Math.min(half, above));
}
