import { levelVariance } from '@hushrec/statistics';
import type { ReleasedWeights } from './explicit-effects.js';
import type { ExplicitStage } from './explicit-plan.js';
import type { ExplicitRun } from './explicit-run.js';
import type { RatingRecall } from './memory/rating-memory.js';

/** What people are shrunk to when the model is used: the population's mean, less what items have of it. */
export function offsetInUse(
  mean: number,
  { weights, total }: ReleasedWeights,
  effects: Float64Array,
): number {
  let common = 0;
  for (let item = 0; item < effects.length; item++) common += weights[item] * effects[item];
  return mean - common / total;
}

/**
 * Releases how far people's levels differ and returns the ridge of a level in use, σ²/τ²: a person's ratings
 * say something about her level by σ², the variance of one of them, and the population by τ². A guess stands
 * for τ² as far as its noise says nothing. The residual variance that was released is that around levels
 * which were shrunk by ρ: of a level's square (ρ/(n̄ + ρ))² are in it, which is taken off.
 */
export async function releaseLevelRidge(
  { people, half, rules, release, signal }: ExplicitRun,
  question: { readonly offset: number; readonly effects: Float64Array },
  { ratingsEach }: ExplicitStage,
  residualVariance: number,
  population: number,
  recall: RatingRecall,
): Promise<number> {
  const { squares } = await people.sum(levelVariance, { ...question, bound: half ** 2 }, signal);
  const { value, noise } = recall.figure('level', await release('level-variance', squares), population);
  const leftIn = (rules.levelRidge / (ratingsEach + rules.levelRidge)) ** 2;
  const guess = residualVariance / (rules.guessedLevelRidge + leftIn);
  const [doubt, error] = [(rules.levelDoubt * guess) ** 2, (noise / population) ** 2];
  const told = guess + (doubt / (doubt + error)) * (value[0] / population - guess);
  return Math.max(leastRidge, residualVariance / Math.max(guess / largestRidge, told) - leftIn);
}

/**
 * As many times the guess: beyond, levels are all alike. And with less a level would follow single ratings.
 */
const largestRidge = 8;
const leastRidge = 0.5;
