import { type HushRules, hushRules, methodById } from '@hushrec/factorize';
import type { Variant } from './measure-variant.js';

/** One number of `hush`, and the values that are tried for it beside the one in use. */
export interface Varied {
  readonly name: string;
  readonly inUse: number;
  readonly others: readonly number[];
  variant(value: number): Omit<Variant, 'name'>;
}

const rule = (name: keyof HushRules, ...others: readonly number[]): Varied => ({
  name,
  inUse: hushRules[name],
  others,
  variant: (value) => ({ rules: { [name]: value } }),
});

/** A setting whose default was found on data. */
const setting = (name: string, ...others: readonly number[]): Varied => ({
  name,
  inUse: Number(methodById('hush').settings[name].default),
  others,
  variant: (value) => ({ settings: { [name]: value } }),
});

/** Numbers of ratings, in the order in which a run uses them. */
export const numbersOfRatings: readonly Varied[] = [
  rule('peopleShare', 0.0005, 0.01),
  rule('meanShare', 0.01, 0.1),
  rule('firstCounts', 0.02, 0.12),
  rule('guessedMean', 0.1, 1),
  rule('effectVariance', 0.025, 0.1),
  rule('tasteVariance', 0.01, 0.04),
  rule('usualVariance', 0.1, 0.4),
  rule('lengthSpread', 1, 2.5),
  rule('usefulOfVectors', 0.3, 0.9),
  rule('leastTold', 0, 25_000, 150_000),
  rule('effectShareFloor', 0.1, 0.3),
  rule('strengthPerTaste', 50, 200),
  rule('fewestTastes', 2, 8),
  rule('mostTastes', 16, 32),
  setting('weightExponent', 0.15, 0.35),
  setting('effectBound', 0.2, 0.8),
  rule('sumsOfEffects', 0.5, 0.85),
  rule('firstEffects', 0.1, 0.6),
  rule('firstLevelRidge', 2, 12),
  rule('guessedResidual', 0.2, 0.45),
  rule('scalingShare', 0.0005, 0.01),
  rule('leastScaling', 0.1, 0.6),
  rule('varianceShare', 0.001, 0.02),
  rule('leastResidual', 0.1, 0.3),
  rule('levelLeftIn', 0.02, 0.1),
  rule('levelRidge', 10, 40),
  setting('vectorBound', 0.2, 0.8),
  setting('momentBound', 15, 120),
  setting('momentShare', 0.02, 0.12),
  rule('varianceLeft', 0.6, 1),
  rule('meanScaling', 0.4, 1),
  rule('firstVectors', 0.15, 1),
  rule('leastSize', 0.005, 0.02),
  rule('roundGrowth', 1.2, 2),
  rule('mostRounds', 6, 10),
  rule('distrust', 1, 9),
  rule('levelShare', 0.001, 0.016),
  rule('guessedLevelRidge', 2, 8),
  rule('levelDoubt', 0.1, 1),
];

/** The same of choices. */
export const numbersOfChoices: readonly Varied[] = [
  rule('peopleShare', 0.0005, 0.01),
  rule('countsAtLeast', 0.05, 0.2),
  rule('countsAlone', 0.15, 0.9),
  rule('countsAlonePlain', 0.2, 0.8),
  rule('plentyForCounts', 250, 1_000),
  rule('enoughChoices', 15, 100),
  rule('echoBelow', 5, 40),
  rule('headItems', 10, 40),
  rule('plainHead', 0, 1.5, 5),
  rule('candidates', 20, 80),
  rule('candidateDoubt', 2, 4),
  rule('restWeight', 0.03, 0.3),
  rule('manyItems', 1_500, 10_000),
  rule('strengthPerDirection', 50, 200),
  rule('directionExponent', 0.5, 0.9),
  rule('manyItemsExponent', 0.2, 0.6),
  rule('fourBelow', 0, 1_400),
  rule('eightBelow', 700, 3_000),
  rule('fewDirections', 8, 16),
  rule('mostDirections', 32, 96),
  rule('itemsPerDirection', 6, 24),
  rule('choicesPerDirection', 800, 3_200),
  setting('unobservedRatio', 1.75, 7),
  rule('steepest', 5, 20),
  rule('mostUnchosen', 0.005, 0.02),
  rule('plainSignal', 100, 600),
  rule('caution', 0.35, 1),
  rule('countFloor', 0.1, 1),
  rule('faintBelow', 1, 4),
  rule('faintWeight', 0.05, 1),
  setting('userRidge', 0.0015, 0.015),
  setting('choiceBound', 0.2, 0.8),
  setting('choiceMomentBound', 0.03, 0.3),
  setting('momentShare', 0.02, 0.12),
  rule('firstItems', 0.03, 0.3),
  rule('plainTrace', 1, 4),
  rule('choiceRounds', 4, 6),
  rule('roundGrowth', 1.2, 2),
  rule('distrust', 1, 9),
  rule('doubt', 1.5, 5),
  rule('ridgeInUse', 0.5, 4),
  rule('certainDirections', 8, 64),
];

const withFacts = (number: Varied): Varied => ({
  ...number,
  variant: (value) => ({ ...number.variant(value), features: true }),
});

/** Those of public facts about items, on ratings. */
export const numbersOfFacts: readonly Varied[] = [
  rule('leastItems', 2, 12),
  rule('mostTokens', 100, 400),
  rule('earlyTokens', 40, 200),
  rule('earlyFacts', 0, 1),
].map(withFacts);
