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
  readonly rules: Pick<HushRules, 'enoughChoices' | 'plainHead'>;
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
/** Choices for each direction. */
const choicesPerDirection = 1_600;

/**
 * Counts need the more of the budget the fewer people there are for it and the less they choose, and the less
 * the head of the catalogue stands out of their noise: popularity comes first. Choices among many items say
 * less about each, so what is left carries vectors by S′ = N̂·μ·√(4,000/m); where it suffices, more items are
 * told apart by more directions, but never by more than people's choices can. Where signals are faint it
 * matters how many choices they come from: everybody's part in a release is bounded, so each of n̄ choices
 * has 1/√n̄ of it, and N̂·n̄/m people speak of an item; over all items (N̂·μ)²·n̄/m of what is said stands
 * against the noise. Hence few directions are told by S′·√(n̄/40).
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
  const { rank, rounds } = rankFor(strength, told, thinness ** -0.7);
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

function rankFor(
  strength: number,
  told: number,
  variety: number,
): { readonly rank: number; readonly rounds: number } {
  if (told < 700) return { rank: 4, rounds: 5 };
  if (told < 1_500) return { rank: 8, rounds: 5 };
  if (strength < 12_000) return { rank: 16, rounds: 5 };
  const most = (rank: number) => Math.min(64, Math.round(rank * variety));
  if (strength < 30_000) return { rank: most(20), rounds: 5 };
  if (strength < 100_000) return { rank: most(24), rounds: 6 };
  return { rank: most(40), rounds: 6 };
}
