import type { RatingScale } from '@hushrec/ratings';
import type { RatingRules } from './rating-rules.js';
import type { ReleasedSums } from './release-sums.js';

/** What is known when the budget of ratings is divided: released numbers, settings and the total. */
export interface DivisionInput {
  readonly counts: ReleasedSums;
  /** N̂ ≥ 1. */
  readonly people: number;
  /** μ of the whole run. */
  readonly mu: number;
  readonly weightExponent: number;
  /** Part of μ² that effects and vectors have together. */
  readonly left: number;
  /** r: variance of a rating that is left, in squared half-widths of the scale (`expectedVariance`). */
  readonly ratingVariance: number;
  readonly rules: RatingRules;
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

/** Most directions that are tried for V, and tenths of the budget that are tried for effects. */
const mostDirections = 12;
const mostTenths = 8;

/**
 * Chooses the share of effects x, and whether vectors pay, by the variance of ratings that is expected to be
 * explained,
 *
 *   V(x, d) = Σ_j π_j [ τ_b² R(a_j τ_b² (0.7x + v g/Q), c_j/τ_b²) + Σ_{k ≤ d} q_k τ_k² R(a_j q_k² τ_k² v/Q, c_j/(q_k τ_k²)) ],
 *
 * R(a, c) = 1/(1 + 1/a + c) the part of a variance that an estimate explains, with a its signal over the
 * noise that was added and c its sampling error over its signal: ŝ_j the weight of item j that its released
 * count leads one to expect, π_j its part of all ratings, a_j = ŝ_j² μ²/r, c_j = r (N/Σŝ)/ŝ_j, q_k the part
 * of a taste that n̄ ratings tell, g = 1 with vectors (their constant direction refines effects) and 0
 * without, Q = g + Σq_k the squared length of what people send, and v the useful part of the vectors' share.
 * Where vectors pay, rank follows from S. Items of about the same count are taken together (`Gathered`).
 * Reads released numbers only. O(items).
 */
export function divideBudget({
  counts,
  people,
  mu,
  weightExponent,
  left,
  ratingVariance,
  rules,
}: DivisionInput): Division {
  const groups = gather(counts, weightExponent);
  const strength = 100 * mu * groups.typicalWeight;
  const ratingsEach = rules.lengthSpread * (groups.total / people) ** 2;
  const told = (strength * ratingsEach * rules.usualVariance) / ratingVariance;
  if (told < rules.leastTold) return { effectShare: left, rank: 0, strength, ratingsEach };
  const expected = new ExpectedVariance(groups, people, mu, ratingsEach, ratingVariance, rules);
  let best = { effectShare: left, rank: 0, value: expected.explained(left, 0, 0) };
  for (let tenths = 1; tenths <= mostTenths; tenths++) {
    const effectShare = tenths / 10;
    let before = 0;
    for (let rank = 1; rank <= mostDirections; rank++) {
      const value = expected.explained(effectShare, rank, Math.max(0, left - effectShare));
      if (value < before) break; // one more direction takes more from the others than it brings, and so would the next
      before = value;
      if (value > best.value) best = { effectShare, rank, value };
    }
  }
  if (best.rank === 0) return { effectShare: left, rank: 0, strength, ratingsEach };
  return {
    effectShare: Math.max(best.effectShare, rules.effectShareFloor),
    rank: Math.min(counts.value.length, rankFor(strength, rules)),
    strength,
    ratingsEach,
  };
}

/**
 * r. On a scale of two grades a rating varies by as much as its mean leaves open, whatever is behind it:
 * 1 − m² for a mean of m half-widths above the middle, several times what is left elsewhere.
 *
 * @param mean released, as it is
 */
export function expectedVariance(
  { min, max, step }: RatingScale,
  mean: number,
  { usualVariance }: Pick<RatingRules, 'usualVariance'>,
): number {
  if (step < max - min) return usualVariance;
  const half = (max - min) / 2;
  return Math.max(usualVariance, 1 - ((mean - (min + max) / 2) / half) ** 2);
}

/** V(x, d) of one set of released counts. */
class ExpectedVariance {
  readonly #rules: RatingRules;
  readonly #parts: Float64Array;
  /** r/(ŝμ)², 1/a of the text, and c, by group. */
  readonly #noise: Float64Array;
  readonly #sampling: Float64Array;
  /** q_k, and q_k (q_k τ_k²)², by direction. */
  readonly #told: Float64Array;
  readonly #worth: Float64Array;
  /** q_k (q_k τ_k² + c), directions by group. */
  readonly #own: Float64Array;

  constructor(
    { weights, parts, totalWeight }: Gathered,
    people: number,
    mu: number,
    ratingsEach: number,
    ratingVariance: number,
    rules: RatingRules,
  ) {
    this.#rules = rules;
    const meanWeight = people / totalWeight;
    const groups = weights.length;
    this.#parts = parts;
    this.#noise = new Float64Array(groups);
    this.#sampling = new Float64Array(groups);
    this.#told = new Float64Array(mostDirections);
    this.#worth = new Float64Array(mostDirections);
    this.#own = new Float64Array(groups * mostDirections);
    for (let group = 0; group < groups; group++) {
      this.#noise[group] = ratingVariance / (weights[group] * mu) ** 2;
      this.#sampling[group] = (ratingVariance * meanWeight) / weights[group];
    }
    for (let k = 0; k < mostDirections; k++) {
      const variance = rules.tasteVariance / (k + 1);
      const told = (ratingsEach * variance) / (ratingsEach * variance + ratingVariance);
      const worth = told * variance;
      this.#told[k] = told;
      this.#worth[k] = told * worth * worth;
      for (let group = 0; group < groups; group++)
        this.#own[group * mostDirections + k] = told * (worth + this.#sampling[group]);
    }
  }

  /**
   * In one division a term: τ² R(a, c) = τ⁴/(τ² + 1/a′ + c′) with a′ and c′ not yet over τ².
   * O(groups · rank).
   */
  explained(effectShare: number, rank: number, vectorShare: number): number {
    const { usefulOfVectors, sumsOfEffects, effectVariance } = this.#rules;
    const parts = this.#parts;
    const noise = this.#noise;
    const sampling = this.#sampling;
    const told = this.#told;
    const worth = this.#worth;
    const ofGroups = this.#own;
    const constant = rank > 0 ? 1 : 0;
    let length = constant;
    for (let k = 0; k < rank; k++) length += told[k];
    const vectors = rank > 0 ? (usefulOfVectors * vectorShare) / length : 0;
    const ofEffects = sumsOfEffects * effectShare + vectors * constant;
    let all = 0;
    for (let group = 0; group < parts.length; group++) {
      let own = effectVariance ** 2 / (effectVariance + noise[group] / ofEffects + sampling[group]);
      if (vectors > 0) {
        const ofVectors = noise[group] / vectors;
        const begin = group * mostDirections;
        for (let k = 0; k < rank; k++) own += worth[k] / (ofGroups[begin + k] + ofVectors);
      }
      all += parts[group] * own;
    }
    return all;
  }
}

/** The nearest number of directions that vectors of four fill. */
export const inFours = (directions: number): number => 4 * Math.round(directions / 4);

/** Directions that noise leaves to be told; many come in fours. */
function rankFor(
  strength: number,
  {
    strengthPerTaste,
    fewestTastes,
    mostTastes,
  }: Pick<RatingRules, 'strengthPerTaste' | 'fewestTastes' | 'mostTastes'>,
): number {
  const told = Math.min(mostTastes, Math.max(fewestTastes, Math.sqrt(strength / strengthPerTaste)));
  return told > mostDirections ? inFours(told) : Math.round(told);
}

/**
 * Items of about the same released count taken together: what their weights will be, and their parts of all
 * ratings.
 */
interface Gathered {
  /** ŝ of each group's items. */
  readonly weights: Float64Array;
  /** Parts of all ratings; 1 together. */
  readonly parts: Float64Array;
  /** Released total of counts, at least 1. */
  readonly total: number;
  /** Σŝ over all items. */
  readonly totalWeight: number;
  /** Σŝ²/Σŝ: the weight of what is typically rated. */
  readonly typicalWeight: number;
}

/**
 * A factor of two in counts is cut into four groups: the two highest bits of what follows the leading one.
 */
const bitsPerOctave = 2;
const lowestExponent = -30;
const groupCount = (53 - lowestExponent) << bitsPerOctave;
const lowestGroup = (1023 + lowestExponent) << bitsPerOctave;
const number = new Float64Array(1);
const words = new Uint32Array(number.buffer);
/** Which word of a float64 has its exponent. */
const highWord = new Uint32Array(Float64Array.of(1).buffer)[1] === 0 ? 0 : 1;

/**
 * ŝ_j of `item-weights` before it is released: positive counts, brought down to the released total, weighed
 * as people will weigh them; within a group, at the mean of its counts, from which they differ by an eighth
 * at most. No power or logarithm is taken for an item, and nothing is allocated for one: this is run on
 * dozens of made-up logs before every training. O(items).
 */
function gather({ value: counts, noise }: ReleasedSums, exponent: number): Gathered {
  const sums = new Float64Array(groupCount);
  const sizes = new Float64Array(groupCount);
  let total = 0;
  let positive = 0;
  for (let item = 0; item < counts.length; item++) {
    const count = counts[item];
    total += count;
    if (!(count > 0)) continue;
    positive += count;
    // The group of a positive number: its exponent and first bits, read off its float64.
    number[0] = count;
    const group = (words[highWord] >>> (20 - bitsPerOctave)) - lowestGroup;
    const at = group < 0 ? 0 : group >= groupCount ? groupCount - 1 : group;
    sums[at] += count;
    sizes[at]++;
  }
  total = Math.max(1, total);
  const scale = Math.min(1, total / Math.max(1e-9, positive));
  const all = Math.max(1e-9, positive * scale);
  let filled = 0;
  for (let group = 0; group < groupCount; group++) if (sizes[group] > 0) filled++;
  const weights = new Float64Array(filled);
  const parts = new Float64Array(filled);
  // Preferences first, in the place of weights.
  let squares = 0;
  for (let group = 0, at = 0; group < groupCount; group++) {
    if (!(sizes[group] > 0)) continue;
    const preference = Math.max(sums[group] / sizes[group], noise, 1e-3) ** -exponent;
    squares += sums[group] * scale * preference ** 2;
    parts[at] = (sums[group] * scale) / all;
    weights[at++] = preference;
  }
  const norm = Math.sqrt(Math.max(1e-12, squares / all));
  // Items with nothing, or less, have next to no weight.
  let totalWeight = 1e-9 * Math.max(1, counts.length);
  let squaredWeight = 0;
  for (let group = 0, at = 0; group < groupCount; group++) {
    if (!(sizes[group] > 0)) continue;
    const weight = Math.max(1e-9, ((sums[group] / sizes[group]) * scale * weights[at]) / norm);
    totalWeight += sizes[group] * weight;
    squaredWeight += sizes[group] * weight ** 2;
    weights[at++] = weight;
  }
  return { weights, parts, total, totalWeight, typicalWeight: squaredWeight / totalWeight };
}
