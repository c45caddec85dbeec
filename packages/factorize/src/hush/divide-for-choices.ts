import type { ChoiceRules } from './choice-rules.js';
import { inFours } from './divide-budget.js';
import type { RoundRules } from './hush-rules.js';
import type { ReleasedSums } from './release-sums.js';

/** What is known when the budget of choices is divided: released numbers and the total. */
export interface KnownChoices {
  /** N̂ ≥ 1. */
  readonly people: number;
  readonly itemCount: number;
  /** μ of the whole run. */
  readonly mu: number;
  readonly counts: ReleasedSums;
  readonly rules: ChoiceRules & RoundRules;
}

export interface ChoiceDivision {
  readonly rank: number;
  readonly rounds: number;
  /** Share of μ² for counts in all. */
  readonly countShare: number;
  /** Whether people speak of an item in the last round as if they had not chosen it. */
  readonly leftOut: boolean;
}

/** Most that counts get where settings ask for vectors although counts would need all. */
const mostBesideVectors = 0.9;

/**
 * Counts need the more of the budget the fewer people there are for it and the less they choose, and the less
 * the head of the catalogue stands out from their noise: popularity comes first. What is left carries the
 * more directions the more people there are for it, as far as items and choices can be told apart by so many.
 * Choices among many items say less about each. Where signals are faint it matters how many choices they come
 * from: everybody's part in a release is bounded, so each of n̄ choices has 1/√n̄ of it, and N̂·n̄/m people
 * speak of an item; over all items (N̂·μ)²·n̄/m of what is said stands against the noise. Hence the first
 * directions are told by S″ = S′·√(n̄/40), where S′ = N̂·μ·√(4,000/m).
 */
export function divideForChoices({ people, itemCount, mu, counts, rules }: KnownChoices): ChoiceDivision {
  const { countsAtLeast, enoughChoices, plainHead, manyItems } = rules;
  const budget = people * mu;
  const total = Math.max(
    0,
    counts.value.reduce((sum, count) => sum + count, 0),
  );
  const each = Math.max(1, (total / people) ** 2);
  const plenty = rules.plentyForCounts * Math.max(1, enoughChoices / each);
  const head = headOverNoise(counts, rules.headItems);
  // Noise falls with the root of the share; a head that noise alone would reach says that all of it is
  // needed.
  const headIsNoise = head < Math.min(1, plainHead);
  const forHead = headIsNoise ? 1 : countsAtLeast * (plainHead / head) ** 2;
  const forPeople = countsAtLeast * Math.max(1, (plenty / budget) ** 2);
  const countShare = Math.max(forPeople, forHead);
  const mostForCounts = forHead <= countsAtLeast ? rules.countsAlonePlain : rules.countsAlone;
  const thinness = manyItems / Math.max(manyItems, itemCount);
  const strength = budget * Math.sqrt(thinness);
  const told = strength * Math.sqrt(Math.min(1, each / enoughChoices));
  const carried =
    ((budget * thinness ** rules.manyItemsExponent) / rules.strengthPerDirection) ** rules.directionExponent;
  const rank = rankFor(told, Math.min(carried, itemCount / rules.itemsPerDirection), rules);
  const most = Math.max(4, Math.round(total ** 2 / people / rules.choicesPerDirection));
  return {
    rank: forPeople < mostForCounts && !headIsNoise ? Math.min(rank, most) : 0,
    rounds: rules.choiceRounds,
    countShare: Math.min(mostBesideVectors, countShare),
    leftOut: each < rules.echoBelow,
  };
}

/**
 * Mean released count of the head over what noise alone would put there, about √(2 ln(m/h)) standard
 * deviations: the largest of m numbers are large without anybody having chosen them. O(items log items).
 */
function headOverNoise({ value, noise }: ReleasedSums, headItems: number): number {
  const byNoise = noise * Math.sqrt(2 * Math.log(Math.max(1, value.length / headItems)));
  if (byNoise === 0) return Number.POSITIVE_INFINITY;
  const head = Float64Array.from(value).sort().subarray(-headItems);
  return head.reduce((sum, count) => sum + count, 0) / head.length / byNoise;
}

/** `carried` is how many directions can be told from noise. */
function rankFor(
  told: number,
  carried: number,
  { fourBelow, eightBelow, fewDirections, mostDirections }: ChoiceRules & RoundRules,
): number {
  if (told < fourBelow) return 4;
  if (told < eightBelow) return 8;
  return inFours(Math.min(mostDirections, Math.max(fewDirections, carried)));
}
