import type { ReleasePlan } from '@hushrec/privacy';
import { weightedCountSensitivity } from '@hushrec/statistics';
import type { PublicShape } from '../method.js';
import { roundReleases, singleRelease } from '../shared/round-releases.js';
import { divideForChoices } from './divide-for-choices.js';
import type { HushRules } from './hush-rules.js';
import type { HushSettings } from './hush-settings.js';
import type { ReleasedSums } from './release-sums.js';
import { envelopeOf, fixedRank, withinNumbers } from './round-limits.js';

/**
 * First stage: people and counts. They say how much more counts need, and what is left goes to
 * rounds × {moment, vectors}.
 */
export function planImplicit(settings: HushSettings, shape: PublicShape, rules: HushRules): ReleasePlan {
  return {
    unit: 'user',
    relation: 'add-remove',
    released: 'item vectors of every round',
    releases: [
      singleRelease('people-count', rules.peopleShare, 1),
      singleRelease('item-counts', rules.countsAtLeast, weightedCountSensitivity),
    ],
    later: envelopeOf(
      settings,
      shape.itemCount,
      [{ name: 'item-counts-again', sensitivity: weightedCountSensitivity, numbers: shape.itemCount }],
      { vectors: settings.choiceBound, moment: settings.choiceMomentBound },
      'rank, rounds and shares follow from the released number of people and item counts',
      rules,
    ),
  };
}

/** The lines of the second stage: from settings and released figures. */
export function laterStage(
  settings: HushSettings,
  itemCount: number,
  people: number,
  counts: ReleasedSums,
  rules: HushRules,
) {
  const mu = counts.noise > 0 ? Math.min(50, 1 / (counts.noise * Math.sqrt(rules.countsAtLeast))) : 50;
  const division = divideForChoices({ people, itemCount, mu, counts, rules });
  const { rank, rounds } = withinNumbers(
    settings,
    itemCount,
    fixedRank(settings, division.rank, () => division.rounds),
  );
  const left = 1 - rules.peopleShare - rules.countsAtLeast;
  const countShare = rank === 0 ? left : Math.max(0, division.countShare - rules.countsAtLeast);
  const perRound = (name: string, share: number, sensitivity: number) =>
    roundReleases(name, rounds, rules.roundGrowth, (left - countShare) * share, sensitivity);
  return {
    rank,
    rounds,
    countShare,
    leftOut: division.leftOut,
    countsAlone: division.rank === 0,
    lines: [
      ...(countShare > 0 ? [singleRelease('item-counts-again', countShare, weightedCountSensitivity)] : []),
      ...(rank > 0 ? perRound('taste-moment', settings.momentShare, settings.choiceMomentBound) : []),
      ...(rank > 0 ? perRound('taste-vectors', 1 - settings.momentShare, settings.choiceBound) : []),
    ],
  };
}

/** How the budget of choices is spent after the first counts. */
export type ChoiceStage = ReturnType<typeof laterStage>;
