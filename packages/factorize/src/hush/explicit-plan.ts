import type { PlannedRelease, ReleasePlan } from '@hushrec/privacy';
import { weightedCountSensitivity } from '@hushrec/statistics';
import type { PublicShape } from '../method.js';
import { SettingsError } from '../settings.js';
import { roundReleases, singleRelease } from '../user-level/shared/round-releases.js';
import { byStrength, type Division, plainStrength, roundsFor } from './divide-budget.js';
import type { HushRules } from './hush-rules.js';
import type { HushSettings } from './hush-settings.js';
import { envelopeOf, fixedRank, withinNumbers } from './round-limits.js';

/**
 * Shares of μ² for single sums over everybody, which stand out of any noise that leaves something to be
 * learned: with 0.002 the number of people is off by 22/μ.
 */
const shareOf = { people: 0.002, variance: 0.004, scaling: 0.002 } as const;

/** What effects and vectors have together. */
export const leftOf = ({ meanShare, firstCounts }: Pick<HushRules, 'meanShare' | 'firstCounts'>): number =>
  1 - (shareOf.people + meanShare + firstCounts + shareOf.variance + shareOf.scaling);

/**
 * First stage: people, mean, counts. What follows is divided by them (`divideBudget`):
 * weights → effects → residual variance → rounds × {moment, vectors}.
 */
export function planExplicit(settings: HushSettings, shape: PublicShape, rules: HushRules): ReleasePlan {
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
      singleRelease('mean-rating', rules.meanShare, half),
      singleRelease('item-counts', rules.firstCounts, weightedCountSensitivity),
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
      rules,
    ),
  };
}

/** What the second stage releases, and what else rounds need. */
export type ExplicitStage = ReturnType<typeof explicitStage>;

/** The lines of the second stage, and what else rounds need: from settings and released figures. */
export function explicitStage(
  settings: HushSettings,
  itemCount: number,
  half: number,
  division: Division,
  effectsTwice: boolean,
  rules: HushRules,
) {
  const { strength, ratingsEach } = division;
  const { sumsOfEffects, roundGrowth, levelRidge, levelRidgeExponent } = rules;
  const left = leftOf(rules);
  const { rank, rounds } = withinNumbers(
    settings,
    itemCount,
    fixedRank(settings, division.rank, (directions) => roundsFor(directions, rules)),
  );
  const effectShare =
    rank === 0 ? left : settings.effectShare > 0 ? settings.effectShare : Math.min(0.9, division.effectShare);
  const ofSums = effectShare * sumsOfEffects;
  const first = effectsTwice ? rules.firstEffects : 1;
  const vectorShare = left - effectShare;
  const vectorBound =
    settings.vectorBound * half * byStrength(strength, 1, rules.vectorBoundExponent, 0.625, 1);
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
    interceptRidge: byStrength(strength, levelRidge, levelRidgeExponent, levelRidge / 2, 2 * levelRidge),
    earlyFacts: strength < plainStrength(rules) ? rules.earlyFacts : 0,
    varianceFactor:
      rank === 0
        ? 1
        : byStrength(strength, rules.varianceLeft, 0.02, rules.varianceLeft, 1.0875 * rules.varianceLeft),
  };
}
