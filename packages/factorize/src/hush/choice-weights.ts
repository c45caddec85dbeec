import { flooredCounts } from '@hushrec/statistics';
import type { ChoiceRules } from './choice-rules.js';
import type { ReleasedSums } from './release-sums.js';

/** What released counts say of how people choose. */
export interface Choices {
  /** Mean of √n_i. */
  readonly rootChoices: number;
  /** About Σ_i ω_i. */
  readonly totalWeight: number;
  /** Share of people who chose an item, by item. */
  readonly shares: Float64Array;
  /** α₀ */
  readonly unobservedWeight: number;
}

export function choicesOf(
  counts: ReleasedSums,
  population: number,
  itemCount: number,
  ratio: number,
  rules: ChoiceRules,
): Choices {
  // Σ_j c_j = Σ_i √n_i; nobody chooses more than there is.
  const rootChoices = Math.min(Math.sqrt(itemCount), Math.max(1, sum(counts.value) / population));
  const totalWeight = population / rootChoices;
  const meanShare = rootChoices ** 2 / itemCount;
  const unobservedWeight = weightOfAll({
    ratio,
    choicesEach: rootChoices ** 2,
    share: shareOfChosen(counts, totalWeight, meanShare),
    meanShare,
    people: population,
    countNoise: counts.noise,
    rules,
  });
  return { rootChoices, totalWeight, shares: sharesOf(counts, totalWeight, rules), unobservedWeight };
}

/** ρ_j > 0: the share of people, by weight, who chose an item. O(items). */
export function sharesOf(
  { value, noise }: ReleasedSums,
  totalWeight: number,
  { countFloor }: Pick<ChoiceRules, 'countFloor'>,
): Float64Array {
  return flooredCounts(value, noise * countFloor).map((count) => Math.min(1, count / totalWeight));
}

/**
 * α₀ of all pairs, chosen or not: κ times the share ρ of people who choose what is typically chosen, so that
 * popularity counts fully up to about there and less beyond, in sparse data and dense. ρ counts up to
 * `steepest` times the mean share: where a few items are chosen by nearly everybody, α₀ would have all others
 * weigh as much as they do. And α₀ is at most `mostUnchosen` for each of n̄ choices: three choices among a
 * hundred things say little about the other ninety-seven. Where the count N·ρ does not stand out from the
 * noise on counts, vectors are mostly noise, and larger α₀ lets popularity decide: it grows with the power
 * `caution` of what is missing. Reads released numbers only.
 */
export function weightOfAll(known: {
  /** κ with strong signals. */
  readonly ratio: number;
  /** n̄: about how many choices a person has. */
  readonly choicesEach: number;
  /** ρ. */
  readonly share: number;
  /** Share of people who choose the mean item. */
  readonly meanShare: number;
  readonly people: number;
  /** Standard deviation of the noise on a released count. */
  readonly countNoise: number;
  readonly rules: ChoiceRules;
}): number {
  const { mostUnchosen, steepest, plainSignal, caution } = known.rules;
  const signal = (known.people * known.share) / known.countNoise;
  const missing = known.countNoise > 0 ? Math.max(1, plainSignal / signal) : 1;
  const share = Math.min(known.share, steepest * known.meanShare);
  const ratio = Math.min(known.ratio, (mostUnchosen * known.choicesEach) / share);
  return ratio * missing ** caution * share;
}

/**
 * How many times as much ridge a device adds to its own vector: as many as there are times `certain`
 * directions, but no more than n̄²/m, the items that two people would have in common if all were chosen
 * alike. Where histories are long for the catalogue, popularity is told well, and what is left of a history
 * is fitted by chance by directions that tell little, the more of these there are. Reads released numbers
 * only.
 */
export function doubtOfTastes(rank: number, certain: number, choicesEach: number, itemCount: number): number {
  return Math.max(1, Math.min(rank / certain, choicesEach ** 2 / itemCount));
}

/**
 * Σ ρ_j²/Σ ρ_j of the shares ρ_j = c_j/W: the share of people who choose what is typically chosen, from noisy
 * counts, whose squares are too large by the variance of the noise. At least the mean share, which it is when
 * all items are chosen alike; at most 1. O(items).
 */
export function shareOfChosen(
  counts: { readonly value: Float64Array; readonly noise: number },
  totalWeight: number,
  meanShare: number,
): number {
  let [total, squares] = [0, 0];
  for (const count of counts.value) {
    total += count;
    squares += count ** 2 - counts.noise ** 2;
  }
  const share = squares / (Math.max(total, 1) * totalWeight);
  return Math.min(1, Math.max(meanShare, share));
}

/**
 * h_j: how much of their weight people spend on an item. What hardly anybody chooses cannot be learned at
 * this budget, so it gets little; what is left goes to items that can. Σ_j ρ_j h_j² = Σ_j ρ_j: the weights of
 * someone typical are as long as without it. Reads released numbers only. O(items).
 */
export function weightsOfItems(
  counts: { readonly value: Float64Array; readonly noise: number },
  shares: Float64Array,
  { faintBelow, faintWeight }: Pick<ChoiceRules, 'faintBelow' | 'faintWeight'>,
): Float64Array {
  const weights = counts.value.map((count) => (count < faintBelow * counts.noise ? faintWeight : 1));
  let [total, weighed] = [0, 0];
  shares.forEach((share, item) => {
    total += share;
    weighed += share * weights[item] ** 2;
  });
  return weights.map((weight) => weight * Math.sqrt(total / weighed));
}

function sum(values: Float64Array): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
