import { inFours } from './divide-budget.js';
import type { HushRules } from './hush-rules.js';
import type { ReleasedSums } from './release-sums.js';

/** What is known when the budget of choices is divided: released numbers and the total. */
export interface KnownChoices {
  /** N̂ ≥ 1. */
  readonly people: number;
  readonly itemCount: number;
  /** μ of the whole run. */
  readonly mu: number;
  readonly counts: ReleasedSums;
  readonly rules: Pick<HushRules, 'enoughChoices' | 'plainHead' | 'strengthPerDirection'>;
}

export interface ChoiceDivision {
  readonly rank: number;
  readonly rounds: number;
  /** Share of μ² for counts in all. */
  readonly countShare: number;
  /** Whether people speak of an item in the last round as if they had not chosen it. */
  readonly leftOut: boolean;
}

/**
 * N̂·μ below which counts get more than their tenth, where people choose enough; where they would get
 * `countsAtMost`, they get all.
 */
const plentyForCounts = 500;
const countsAtLeast = 0.1;
const countsAtMost = 0.9;
/** The most chosen items, by which recommendations that know nothing else begin. */
const headItems = 20;
/** Choices, and items, for each direction; this many directions are few enough for any catalogue. */
const choicesPerDirection = 1_600;
const itemsPerDirection = 6;
const fewDirections = 12;
const mostDirections = 64;

/**
 * Counts need the more of the budget the fewer people there are for it and the less they choose, and the less
 * the head of the catalogue stands out of their noise: popularity comes first. What is left carries the more
 * directions the more people there are for it, as far as items and choices can be told apart by so many.
 * Choices among many items say less about each. Where signals are faint it matters how many choices they come
 * from: everybody's part in a release is bounded, so each of n̄ choices has 1/√n̄ of it, and N̂·n̄/m people
 * speak of an item; over all items (N̂·μ)²·n̄/m of what is said stands against the noise. Hence the first
 * directions are told by S′·√(n̄/40), where S′ = N̂·μ·√(4,000/m).
 */
export function divideForChoices({ people, itemCount, mu, counts, rules }: KnownChoices): ChoiceDivision {
  const budget = people * mu;
  const total = Math.max(
    0,
    counts.value.reduce((sum, count) => sum + count, 0),
  );
  const each = Math.max(1, (total / people) ** 2);
  const plenty = plentyForCounts * Math.max(1, rules.enoughChoices / each);
  const head = headOverNoise(counts);
  // Noise falls with the root of the share; a head that noise alone would reach says that all of it is
  // needed.
  const forHead = head < Math.min(1, rules.plainHead) ? 1 : countsAtLeast * (rules.plainHead / head) ** 2;
  const countShare = Math.max(countsAtLeast * Math.max(1, (plenty / budget) ** 2), forHead);
  const thinness = 4_000 / Math.max(4_000, itemCount);
  const strength = budget * Math.sqrt(thinness);
  const told = strength * Math.sqrt(Math.min(1, each / rules.enoughChoices));
  const carried = ((budget * thinness ** 0.4) / rules.strengthPerDirection) ** 0.7;
  const { rank, rounds } = rankFor(strength, told, Math.min(carried, itemCount / itemsPerDirection));
  const most = Math.max(4, Math.round(total ** 2 / people / choicesPerDirection));
  return {
    rank: countShare < countsAtMost ? Math.min(rank, most) : 0,
    rounds,
    countShare: Math.min(countsAtMost, countShare),
    leftOut: each < rules.enoughChoices,
  };
}

/**
 * Mean released count of the head over what noise alone would put there, about √(2 ln(m/20)) standard
 * deviations: the largest of m numbers are large without anybody having chosen them. O(items log items).
 */
function headOverNoise({ value, noise }: ReleasedSums): number {
  const byNoise = noise * Math.sqrt(2 * Math.log(Math.max(1, value.length / headItems)));
  if (byNoise === 0) return Number.POSITIVE_INFINITY;
  const head = Float64Array.from(value).sort().subarray(-headItems);
  return head.reduce((sum, count) => sum + count, 0) / head.length / byNoise;
}

/** `carried` is how many directions can be told from noise. */
function rankFor(
  strength: number,
  told: number,
  carried: number,
): { readonly rank: number; readonly rounds: number } {
  if (told < 700) return { rank: 4, rounds: 5 };
  if (told < 1_500) return { rank: 8, rounds: 5 };
  const rank = inFours(Math.min(mostDirections, Math.max(fewDirections, carried)));
  return { rank, rounds: strength < 30_000 ? 5 : 6 };
}
