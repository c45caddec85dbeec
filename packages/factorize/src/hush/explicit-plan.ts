import type { PlannedRelease, ReleasePlan } from '@hushrec/privacy';
import { weightedCountSensitivity } from '@hushrec/statistics';
import type { PublicShape } from '../method.js';
import { SettingsError } from '../settings.js';
import { roundReleases, singleRelease } from '../shared/round-releases.js';
import type { Division } from './divide-budget.js';
import type { HushRules } from './hush-rules.js';
import type { HushSettings } from './hush-settings.js';
import { envelopeOf, fixedRank, withinNumbers } from './round-limits.js';

/** What effects and vectors have together. */
export const leftOf = (rules: HushRules): number =>
  1 -
  (rules.peopleShare +
    rules.meanShare +
    rules.firstCounts +
    rules.varianceShare +
    rules.scalingShare +
    rules.levelShare);

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
      singleRelease('people-count', rules.peopleShare, 1),
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
        { name: 'level-variance', sensitivity: half ** 2, numbers: 1 },
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
  const { sumsOfEffects, roundGrowth, mostRounds } = rules;
  const left = leftOf(rules);
  const { rank, rounds } = withinNumbers(
    settings,
    itemCount,
    fixedRank(settings, division.rank, () => mostRounds),
  );
  const effectShare =
    rank === 0 ? left : settings.effectShare > 0 ? settings.effectShare : Math.min(0.9, division.effectShare);
  const ofSums = effectShare * sumsOfEffects;
  const first = effectsTwice ? rules.firstEffects : 1;
  const vectorShare = left - effectShare;
  const vectorBound = settings.vectorBound * half;
  const lines: PlannedRelease[] = [
    singleRelease('item-weights', effectShare * (1 - sumsOfEffects), 1),
    ...(rank === 0
      ? [
          singleRelease('item-effects', first * ofSums, settings.effectBound * half),
          ...(effectsTwice
            ? [singleRelease('item-effects-again', (1 - first) * ofSums, settings.effectBound * half)]
            : []),
          singleRelease('effect-scaling', rules.scalingShare, 1),
        ]
      : [singleRelease('item-effects', ofSums, settings.effectBound * half)]),
    singleRelease('residual-variance', rules.varianceShare, half ** 2),
    singleRelease('level-variance', rules.levelShare, half ** 2),
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
    ratingsEach: division.ratingsEach,
    vectorBound,
    varianceFactor: rank === 0 ? 1 : rules.varianceLeft,
  };
}

/** Share of μ² for weights in a refresh: they are remembered. */
const weightsInRefresh = 0.08;
/** New directions are added where released figures carry so many more than are remembered. */
const moreDirections = 4;

/**
 * The second stage of a refresh: one round with the directions that are remembered, and more where what is
 * known by now carries more. Effects are remembered beside vectors, and need no release of their own.
 */
export function refreshStage(
  settings: HushSettings,
  itemCount: number,
  half: number,
  division: Division,
  width: number,
  rules: HushRules,
): ExplicitStage {
  const ruled = fixedRank(settings, division.rank, () => 1).rank;
  const rank = ruled >= Math.min(1, width) * moreDirections + width ? ruled : width;
  const asked = rank === 0 ? { ...settings, vectors: false } : { ...settings, rank, rounds: 1 };
  const stage = explicitStage(asked, itemCount, half, division, false, rules);
  if (stage.rank === 0) return stage;
  const vectorShare = leftOf(rules) - weightsInRefresh;
  const { momentShare, momentBound } = settings;
  const keptLines = stage.lines.filter(({ name }) => ['residual-variance', 'level-variance'].includes(name));
  const ofRound = (name: string, share: number, sensitivity: number) =>
    roundReleases(name, 1, rules.roundGrowth, vectorShare * share, sensitivity);
  return {
    ...stage,
    lines: [
      singleRelease('item-weights', weightsInRefresh, 1),
      ...keptLines,
      ...ofRound('taste-moment', momentShare, momentBound),
      ...ofRound('taste-vectors', 1 - momentShare, stage.vectorBound),
    ],
  };
}
