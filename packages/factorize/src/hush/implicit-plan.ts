import type { ReleasePlan } from '@hushrec/privacy';
import { weightedCountSensitivity } from '@hushrec/statistics';
import type { PublicShape } from '../method.js';
import { roundReleases, singleRelease } from '../user-level/shared/round-releases.js';
import { divideForChoices } from './divide-for-choices.js';
import type { HushRules } from './hush-rules.js';
import type { HushSettings } from './hush-settings.js';
import type { ReleasedSums } from './release-sums.js';
import { envelopeOf, fixedRank, withinNumbers } from './round-limits.js';

/**
 * Rounds that have a stage of their own where the head is not plain: before each of them vectors must show
 * something, or counts get what is left.
 */
const weighedRounds = 2;

/**
 * First stage: people and counts. They say how much more counts need, and what is left goes to
 * rounds × {moment, vectors}, or, where these show nothing, to counts once more.
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
      ['item-counts-again', 'item-counts-instead'].map((name) => ({
        name,
        sensitivity: weightedCountSensitivity,
        numbers: shape.itemCount,
      })),
      { vectors: settings.choiceBound, moment: settings.choiceMomentBound },
      'rank, rounds and shares follow from the released number of people and item counts; whether the last rounds are made, or counts once more, from what the rounds before released',
      rules,
      1 + weighedRounds,
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
  const moments = perRound('taste-moment', settings.momentShare, settings.choiceMomentBound);
  const vectors = perRound('taste-vectors', 1 - settings.momentShare, settings.choiceBound);
  // A rank that settings ask for is made whatever is found; with growth 1 there is one line for all rounds.
  const asked = settings.rank > 0 || division.plainHead || moments.length < rounds;
  const certain = asked ? rounds : Math.min(rounds, Math.max(2, rounds - weighedRounds));
  return {
    rank,
    rounds,
    countShare,
    leftOut: division.leftOut,
    countsAlone: division.rank === 0,
    lines: [
      ...(countShare > 0 ? [singleRelease('item-counts-again', countShare, weightedCountSensitivity)] : []),
      ...(rank > 0 ? [...moments.slice(0, certain), ...vectors.slice(0, certain)] : []),
    ],
    /**
     * Rounds that are made only where those before, but the first, which reads random vectors, have shown as
     * much together as is wanted: before the k-th of these k times `clearTastes` on average.
     */
    weighed: new Map(
      Array.from({ length: rounds - certain }, (_, k) => {
        const round = certain + k;
        const wanted = rules.clearTastes * (k + 1) * (round - 1);
        return [round, { lines: [moments[round], vectors[round]], wanted }];
      }),
    ),
  };
}

/** How the budget of choices is spent after the first counts. */
export type ChoiceStage = ReturnType<typeof laterStage>;

/** What the rounds from this one on would cost of μ². */
export function shareFrom(round: number, weighed: ChoiceStage['weighed']): number {
  let share = 0;
  for (const [at, { lines }] of weighed) if (at >= round) for (const line of lines) share += line.share;
  return share;
}
