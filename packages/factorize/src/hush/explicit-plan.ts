import type { PlannedRelease, ReleasePlan } from '@hushrec/privacy';
import { weightedCountSensitivity } from '@hushrec/statistics';
import type { PublicShape } from '../method.js';
import { SettingsError } from '../settings.js';
import { roundReleases, singleRelease } from '../user-level/shared/round-releases.js';
import { byStrength, type Division, plainStrength, roundsFor, sumsOfEffects } from './divide-budget.js';
import type { HushRules } from './hush-rules.js';
import type { HushSettings } from './hush-settings.js';
import { envelopeOf, fixedRank, withinNumbers } from './round-limits.js';

/** Shares of μ² that are known before anything is released. */
export const shareOf = {
  people: 0.002,
  mean: 0.01,
  counts: 0.05,
  variance: 0.004,
  scaling: 0.002,
} as const;
/** What effects and vectors have together. */
export const left = 1 - Object.values(shareOf).reduce((sum, share) => sum + share, 0);
/** Each round gets so many times the budget (μ²) of the one before. */
export const roundGrowth = 1.5;
/**
 * Part of the budget of sums of effects that goes to their first estimate, where there are no vectors and
 * they are estimated twice.
 */
const firstEffects = 0.3;

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

/** What the second stage releases, and what else rounds need. */
export type ExplicitStage = ReturnType<typeof explicitStage>;

/** The lines of the second stage, and what else rounds need: from settings and released figures. */
export function explicitStage(
  settings: HushSettings,
  itemCount: number,
  half: number,
  division: Division,
  effectsTwice: boolean,
  { earlyFacts }: Pick<HushRules, 'earlyFacts'>,
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
    earlyFacts: strength < plainStrength ? earlyFacts : 0,
    varianceFactor: rank === 0 ? 1 : byStrength(strength, 0.8, 0.02, 0.8, 0.87),
  };
}
