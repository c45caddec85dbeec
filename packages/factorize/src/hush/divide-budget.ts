import type { ReleasedSums } from './release-sums.js';

/** What is known when the budget of ratings is divided: released numbers, settings and the total. */
export interface KnownCounts {
  readonly counts: ReleasedSums;
  /** N̂ ≥ 1. */
  readonly people: number;
  /** μ of the whole run. */
  readonly mu: number;
  readonly weightExponent: number;
  /** Part of μ² that effects and vectors have together. */
  readonly left: number;
}

/** How the budget is divided, and what else follows from the counts. */
export interface Division {
  /** Share of effects; all that is left where rank is 0. */
  readonly effectShare: number;
  /** 0: vectors are not worth their budget. */
  readonly rank: number;
  /** S: 100 μ Σŝ²/Σŝ, the weight of what is typically rated over the noise. */
  readonly strength: number;
  /** n̄: about how many ratings a person has. */
  readonly ratingsEach: number;
}

/**
 * What is expected of data, in squared half-widths of the scale, all of it rounded (docs/hush.md): how far items' effects differ, what direction k = 1, 2, … of
 * taste explains is `tasteVariance`/k, and the variance of a rating that is left.
 */
const effectVariance = 0.05;
const tasteVariance = 0.02;
const ratingVariance = 0.2;
/** Part of the effects' share that their sums get; the rest goes to their weights. */
export const sumsOfEffects = 0.7;
/** Part of the vectors' share that reaches the last item vectors: early rounds are partly for finding directions. */
const usefulOfVectors = 0.6;
/** Vectors must be expected to explain this much more than effects with all of the budget. */
const leastGain = 1.07;
const shares = [0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8];
const ranks = [1, 2, 3, 4, 5, 6, 8, 12];

/**
 * Chooses the share of effects x, and whether vectors pay, by the variance of ratings that is expected to be explained,
 *
 *   V(x, d) = Σ_j π_j [ τ_b² R(a_j τ_b² (0.7x + v g/Q), c_j/τ_b²) + Σ_{k ≤ d} q_k τ_k² R(a_j q_k² τ_k² v/Q, c_j/(q_k τ_k²)) ],
 *
 * R(a, c) = 1/(1 + 1/a + c) the part of a variance that an estimate explains, with a its signal over the noise that was added and c its sampling error over its signal: ŝ_j the
 * weight of item j that its released count leads one to expect, π_j its part of all ratings, a_j = ŝ_j² μ²/r, c_j = r (N/Σŝ)/ŝ_j, q_k the part of a taste that n̄ ratings tell,
 * g = 1 with vectors (their constant direction refines effects) and 0 without, Q = max(0.3, g + Σq_k) the squared length of what people send, and v the useful part of the vectors' share.
 * Rank then follows from S. Items of about the same weight are taken together (`inGroups`). Reads released numbers only. O(items + shares · ranks²).
 */
export function divideBudget({ counts, people, mu, weightExponent, left }: KnownCounts): Division {
  const { weights, parts, total } = expectedWeights(counts, weightExponent);
  const ofWeights = sumOf(weights);
  const meanWeight = people / ofWeights;
  const strength = (100 * mu * weights.reduce((sum, weight) => sum + weight ** 2, 0)) / ofWeights;
  const ratingsEach = 1.5 * (total / people) ** 2;
  const groups = inGroups(weights, parts);
  const told = (k: number) => {
    const variance = tasteVariance / k;
    return { variance, part: (ratingsEach * variance) / (ratingsEach * variance + ratingVariance) };
  };
  const explained = (effectShare: number, rank: number): number => {
    const tastes = Array.from({ length: rank }, (_, k) => told(k + 1));
    const constant = rank > 0 ? 1 : 0;
    const length = Math.max(0.3, constant + tastes.reduce((sum, { part }) => sum + part, 0));
    const vectors = (usefulOfVectors * Math.max(0, left - effectShare)) / length;
    const ofEffects = sumsOfEffects * effectShare + vectors * constant;
    let all = 0;
    for (let group = 0; group < groups.weights.length; group++) {
      const weight = groups.weights[group];
      const signal = (weight * mu) ** 2 / ratingVariance;
      const sampling = (ratingVariance * meanWeight) / weight;
      let own = effectVariance * reached(signal * effectVariance * ofEffects, sampling / effectVariance);
      for (const { variance, part } of tastes)
        own +=
          part * variance * reached(signal * part ** 2 * variance * vectors, sampling / (part * variance));
      all += groups.parts[group] * own;
    }
    return all;
  };
  let best = { effectShare: left, rank: 0, value: leastGain * explained(left, 0) };
  for (const effectShare of shares) {
    for (const rank of ranks) {
      const value = explained(effectShare, rank);
      if (value > best.value) best = { effectShare, rank, value };
    }
  }
  if (best.rank === 0) return { effectShare: left, rank: 0, strength, ratingsEach };
  return {
    effectShare: Math.max(best.effectShare, byStrength(strength, 0.2, -0.2, 0.15, 0.35)),
    rank: rankFor(strength),
    strength,
    ratingsEach,
  };
}

/** Groups of items a factor of two in weight is cut into. */
const groupsPerOctave = 3;

/** Items whose weights differ by less than a quarter taken together, at the mean of their weights, with their parts of all ratings added up. */
function inGroups(weights: Float64Array, parts: Float64Array) {
  const found = new Map<number, { weight: number; part: number }>();
  for (let item = 0; item < weights.length; item++) {
    if (!(parts[item] > 0)) continue;
    const octave = Math.round(groupsPerOctave * Math.log2(weights[item]));
    const group = found.get(octave) ?? { weight: 0, part: 0 };
    group.weight += parts[item] * weights[item];
    group.part += parts[item];
    found.set(octave, group);
  }
  const groups = [...found.values()];
  return { weights: groups.map(({ weight, part }) => weight / part), parts: groups.map(({ part }) => part) };
}

function reached(signal: number, sampling: number): number {
  return signal > 0 ? 1 / (1 + 1 / signal + sampling) : 0;
}

/** value · (S/5,000)^exponent, kept between two numbers: how settings follow the strength of what is released. */
export function byStrength(
  strength: number,
  value: number,
  exponent: number,
  least: number,
  most: number,
): number {
  return Math.min(most, Math.max(least, value * (strength / 5_000) ** exponent));
}

function rankFor(strength: number): number {
  if (strength < 2_500) return 4;
  if (strength < 6_000) return 5;
  return strength < 9_000 ? 8 : 12;
}

/** The largest number of rounds that the rules give. */
const mostRounds = 8;

/** More directions need more rounds to be told apart. */
export function roundsFor(rank: number): number {
  if (rank <= 4) return 4;
  if (rank === 5) return 5;
  return rank <= 8 ? 6 : mostRounds;
}

/**
 * ŝ_j of `item-weights` before it is released: positive counts, brought down to the released total, weighed as people will weigh them. And every item's part of all
 * ratings, and that total.
 */
function expectedWeights({ value: counts, noise }: ReleasedSums, exponent: number) {
  const total = Math.max(1, sumOf(counts));
  const positive = counts.map((count) => Math.max(0, count));
  const scale = Math.min(1, total / Math.max(1e-9, sumOf(positive)));
  const all = Math.max(1e-9, sumOf(positive) * scale);
  const preference = counts.map((count) => Math.max(count, noise, 1e-3) ** -exponent);
  let squares = 0;
  positive.forEach((count, item) => {
    squares += count * scale * preference[item] ** 2;
  });
  const norm = Math.sqrt(Math.max(1e-12, squares / all));
  return {
    weights: positive.map((count, item) => Math.max(1e-9, (count * scale * preference[item]) / norm)),
    parts: positive.map((count) => (count * scale) / all),
    total,
  };
}

function sumOf(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}
