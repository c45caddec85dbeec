import type { AllowedLine, StageEnvelope } from '@hushrec/privacy';
import { SettingsError } from '../settings.js';
import type { RoundRules } from './hush-rules.js';
import type { HushSettings } from './hush-settings.js';

interface RankAndRounds {
  readonly rank: number;
  readonly rounds: number;
}

/** What settings fix of rank and rounds, and what the rule says of the rest. */
export function fixedRank(
  { vectors, rank, rounds }: HushSettings,
  ruled: number,
  roundsFor: (rank: number) => number,
): RankAndRounds {
  const chosen = !vectors ? 0 : rank > 0 ? rank : ruled;
  return { rank: chosen, rounds: chosen === 0 ? 0 : rounds > 0 ? rounds : roundsFor(chosen) };
}

/**
 * Numbers that everybody sends before the rounds: four for every item (counts, weights, effects, and those
 * once more where there are no vectors; or counts twice), and a few.
 */
const beforeRounds = (itemCount: number) => 4 * itemCount + 8;
const ofRound = (itemCount: number, rank: number) => itemCount * rank + (rank * (rank + 1)) / 2;

/** The same with as many directions as `numbers` leaves room for: none where that is less than two. */
export function withinNumbers(
  { numbers }: HushSettings,
  itemCount: number,
  { rank, rounds }: RankAndRounds,
): RankAndRounds {
  if (numbers === 0 || rank === 0) return { rank, rounds };
  const room = (numbers - beforeRounds(itemCount)) / rounds;
  let most = rank;
  while (most > 0 && ofRound(itemCount, most) > room) most--;
  return most >= Math.min(2, rank) ? { rank: most, rounds } : { rank: 0, rounds: 0 };
}

/**
 * What later stages may release, declared before any data is read: the given lines once each, and rounds of
 * moments and vectors of at most the rank and number that settings allow.
 *
 * @throws SettingsError where `numbers` does not suffice for what comes before the rounds
 */
export function envelopeOf(
  settings: HushSettings,
  itemCount: number,
  single: readonly Omit<AllowedLine, 'count'>[],
  bounds: { readonly vectors: number; readonly moment: number },
  rule: string,
  { mostDirections, mostRounds }: RoundRules,
): StageEnvelope {
  const { numbers } = settings;
  if (numbers > 0 && numbers < beforeRounds(itemCount))
    throw new SettingsError(
      'numbers',
      `numbers is ${numbers}; expected at least ${beforeRounds(itemCount)}, four for each of ${itemCount} items and a few: nothing can be learned with less. Leave it out, or train on fewer items.`,
    );
  const rank = settings.rank || mostDirections;
  const rounds = settings.rounds || mostRounds;
  const perRound = Array.from({ length: rounds }, (_, round) => [
    {
      name: `taste-moment-round-${round + 1}`,
      sensitivity: bounds.moment,
      count: 1,
      numbers: (rank * (rank + 1)) / 2,
    },
    {
      name: `taste-vectors-round-${round + 1}`,
      sensitivity: bounds.vectors,
      count: 1,
      numbers: itemCount * rank,
    },
  ]).flat();
  const allowed = [...single.map((line) => ({ ...line, count: 1 })), ...perRound];
  const all = allowed.reduce((sum, line) => sum + line.numbers, 0);
  return {
    stages: 1,
    lines: allowed.length,
    numbers: numbers > 0 ? Math.min(numbers, all) : all,
    allowed,
    rule,
  };
}
