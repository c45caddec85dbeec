import type { ReleasedSums } from './release-sums.js';

/** What is known when the budget of choices is divided: released numbers and the total. */
export interface KnownChoices {
  /** N̂ ≥ 1. */
  readonly people: number;
  readonly itemCount: number;
  /** μ of the whole run. */
  readonly mu: number;
  readonly counts: ReleasedSums;
}

export interface ChoiceDivision {
  readonly rank: number;
  readonly rounds: number;
  /** Share of μ² for counts in all. */
  readonly countShare: number;
}

/** N̂·μ below which counts get more than their tenth. */
const plentyForCounts = 500;
const countsAtLeast = 0.1;
const countsAtMost = 0.9;
/** Choices for each direction. */
const choicesPerDirection = 1_600;

/**
 * Counts need the more of the budget the fewer people there are for it: popularity comes first. Choices among many items say less about each, so what is left carries vectors
 * by S′ = N̂·μ·√(4,000/m); where it suffices, more items are told apart by more directions, but never by more than people's choices can.
 */
export function divideForChoices({ people, itemCount, mu, counts }: KnownChoices): ChoiceDivision {
  const budget = people * mu;
  const thinness = 4_000 / Math.max(4_000, itemCount);
  const { rank, rounds } = rankFor(budget * Math.sqrt(thinness), thinness ** -0.7);
  const total = counts.value.reduce((sum, count) => sum + count, 0);
  const choices = Math.max(0, total) ** 2 / people;
  return {
    rank: Math.min(rank, Math.max(4, Math.round(choices / choicesPerDirection))),
    rounds,
    countShare: Math.min(countsAtMost, countsAtLeast * Math.max(1, (plentyForCounts / budget) ** 2)),
  };
}

function rankFor(strength: number, variety: number): { readonly rank: number; readonly rounds: number } {
  if (strength < 400) return { rank: 4, rounds: 3 };
  if (strength < 1_500) return { rank: 8, rounds: 3 };
  if (strength < 12_000) return { rank: 16, rounds: 3 };
  const most = (rank: number) => Math.min(64, Math.round(rank * variety));
  if (strength < 30_000) return { rank: most(20), rounds: 4 };
  return { rank: most(24), rounds: 6 };
}
