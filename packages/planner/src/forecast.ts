import {
  headPart,
  judge,
  type PopularityShape,
  popularityCurve,
  standsOutAt,
  tailPart,
  usualShape,
  type Verdict,
  verdictBounds,
} from '@hushrec/model/usefulness';
import { type DeltaInput, type EpsilonInput, gaussianEpsilon, logNormalCdf, muFor } from '@hushrec/privacy';
import { type KnownCounts, knownCounts } from './known-counts.js';

/** What is known before there is any data. */
export interface PlannedData {
  readonly people: number;
  readonly items: number;
  readonly ratingsPerPerson: number;
  /**
   * Whether ratings are to be predicted, or what people like is to be ranked: `hush` spends more on counts in
   * the latter case.
   */
  readonly feedback: 'ratings' | 'likes';
  readonly shape?: PopularityShape;
  /** Of an earlier model of these people: goes before `shape`. */
  readonly counts?: KnownCounts;
}

/** What noise will leave of it at a given ε. */
export interface Forecast {
  readonly epsilon: EpsilonInput;
  readonly delta: DeltaInput;
  /** Standard deviation of the noise on item counts. */
  readonly countNoise: number;
  /** Share of items whose count will be more than two standard deviations of its noise. */
  readonly shareAboveNoise: number;
  /** Noise over signal of the most counted tenth and of the least counted half. */
  readonly counts: { readonly head: number; readonly tail: number };
  readonly verdict: Verdict;
  /** So many times the people would be worth it; 1 where it is already. */
  readonly needed: number;
}

/** Share of the budget (μ²) that `hush` spends on item counts. */
export const countShares = { ratings: 0.05, likes: 0.1 } as const;

/** Standard deviation of the noise that `hush` adds to item counts. */
export function countNoise(
  feedback: PlannedData['feedback'],
  epsilon: EpsilonInput,
  delta: DeltaInput,
): number {
  return 1 / (muFor(epsilon, delta) * Math.sqrt(countShares[feedback]));
}

/**
 * Mean of √n over people, over the root of the mean of n: e^(−1/8) where activity is log-normal with σ = 1,
 * as it nearly is in shops and on MovieLens.
 */
const rootOfActivity = Math.exp(-1 / 8);

/**
 * Noise over signal of item counts for people who are not there yet. `hush` counts c_j = Σ 1/√n_i over those
 * who rated j, with sensitivity 1 and noise σ = 1/(μ√share), so Σ_j c_j is about people · √(ratings per
 * person) · e^(−1/8), and the shape says how that is spread. Busy people rate more of the rare items and have
 * less say in each, so weighted counts are a little more uneven than plain ones, the more so the larger a
 * part of the catalogue people rate.
 */
export function forecastNoise(data: PlannedData, epsilon: EpsilonInput, delta: DeltaInput): Forecast {
  const noise = countNoise(data.feedback, epsilon, delta);
  const counts = countsOf(data).map((value) => value / noise);
  const oneMore = 1 / (Math.sqrt(data.ratingsPerPerson) * noise); // what one typical person adds
  const isThere = data.counts !== undefined; // not left to chance any more
  const ratio = (from: number, to: number) =>
    1 / Math.sqrt(meanSquare(counts.slice(from * counts.length, to * counts.length)));
  const overCounts = { head: ratio(0, headPart), tail: ratio(1 - tailPart, 1) };
  return {
    epsilon,
    delta,
    countNoise: noise,
    shareAboveNoise: isThere
      ? mean(counts.map((count) => Number(count > standsOutAt)))
      : mean(everyFifth(counts).map((count) => chanceAbove(count, oneMore))),
    counts: overCounts,
    ...judged(data, overCounts.head, muFor(epsilon, delta)),
  };
}

/** As models are judged: by counts, and by whether there will be vectors. */
function judged(data: PlannedData, head: number, mu: number): Pick<Forecast, 'verdict' | 'needed'> {
  const byCounts = judge(head);
  const forVectors = peopleForVectors(data, mu) / data.people;
  return forVectors > 1 && byCounts.verdict !== 'too-noisy'
    ? { verdict: 'same-for-all', needed: Math.max(byCounts.needed, forVectors) }
    : byCounts;
}

/** Whether the same list is expected for everybody, however clear its counts are. */
export function isForAll(data: PlannedData, epsilon: EpsilonInput, delta: DeltaInput): boolean {
  return peopleForVectors(data, muFor(epsilon, delta)) > data.people;
}

/**
 * So many people must there be at this μ for lists to be personal at all: `hush` gives all to counts where
 * they would need 0.25 of the budget, which is 0.1·(500·max(1, 40/n̄)/(people·μ))² (`divideForChoices`).
 * Predicted ratings are people's own without vectors, too.
 */
function peopleForVectors({ feedback, ratingsPerPerson }: PlannedData, mu: number): number {
  const each = ratingsPerPerson * rootOfActivity ** 2; // n̄ as released counts tell it
  return feedback === 'ratings' ? 0 : (500 * Math.max(1, 40 / each) * Math.sqrt(0.1 / 0.25)) / mu;
}

/** Counts from the largest on, in equal parts of the catalogue: those that were released, or by a shape. */
function countsOf(data: PlannedData): Float64Array {
  checkData(data);
  return data.counts === undefined ? plannedCounts(data) : knownCounts(data.counts, data);
}

/** Noise over signal of the most counted tenth alone, of which all else that is asked for follows. */
export function headNoise(data: PlannedData, epsilon: EpsilonInput, delta: DeltaInput): number {
  const counts = countsOf(data);
  const head = Math.sqrt(meanSquare(counts.subarray(0, headPart * counts.length)));
  return countNoise(data.feedback, epsilon, delta) / head;
}

/** Counts by a shape, from the largest on, in equal parts of the catalogue. */
function plannedCounts({ people, items, ratingsPerPerson, shape }: PlannedData): Float64Array {
  const { headShare, tailShare } = shape ?? usualShape;
  const density = Math.min(0.2, ratingsPerPerson / items);
  const curve = popularityCurve({
    headShare: Math.min(0.99, headShare * (1 + 1.5 * density)),
    tailShare: tailShare * (1 - 1.6 * density),
  });
  const meanCount = (people * Math.sqrt(ratingsPerPerson) * rootOfActivity) / items;
  return curve.map((value) => value * meanCount);
}

/**
 * How many people make it worth it at this ε: signal grows with their number.
 *
 * @param worthIt most noise over signal in the head that is worth it
 */
export function peopleNeeded(
  data: PlannedData,
  epsilon: EpsilonInput,
  delta: DeltaInput,
  worthIt: number = verdictBounds.counts.worthIt,
): number {
  const forHead = (data.people * headNoise(data, epsilon, delta)) / worthIt;
  return Math.ceil(Math.max(forHead, peopleForVectors(data, muFor(epsilon, delta))));
}

/** The ε at which these people just make it worth it; `worthIt` as above. */
export function epsilonNeeded(
  data: PlannedData,
  epsilon: EpsilonInput,
  delta: DeltaInput,
  worthIt: number = verdictBounds.counts.worthIt,
): number {
  const forVectors = gaussianEpsilon(peopleForVectors(data, 1) / data.people, delta);
  return Math.max(epsilonAt(data, epsilon, delta, worthIt), forVectors);
}

/** The ε below which a model of these people is too noisy to be personal. */
export function tooNoisyBelow(data: PlannedData, delta: DeltaInput): number {
  return epsilonAt(data, 1, delta, verdictBounds.counts.weak);
}

/** The ε at which the head's noise over signal is `ratio`: it goes with 1/μ, so any ε tells. */
function epsilonAt(data: PlannedData, epsilon: EpsilonInput, delta: DeltaInput, ratio: number): number {
  return gaussianEpsilon((muFor(epsilon, delta) * headNoise(data, epsilon, delta)) / ratio, delta);
}

/**
 * How many people choose an item is chance as well: a count of so many people of weight `each` has variance
 * count · each.
 */
function chanceAbove(count: number, each: number): number {
  return Math.exp(logNormalCdf((count - standsOutAt) / Math.sqrt(Math.max(1e-12, count * each))));
}

/** The middle one of each five: neighbours on a curve are alike. */
function everyFifth(values: Float64Array): Float64Array {
  return values.filter((_, at) => at % 5 === 2);
}

function mean(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function meanSquare(values: Float64Array): number {
  return mean(values.map((value) => value * value));
}

function checkData({ people, items, ratingsPerPerson, shape }: PlannedData): void {
  for (const [name, value] of Object.entries({ people, items, 'ratings per person': ratingsPerPerson }))
    if (!(value >= 1 && value < Infinity))
      throw new PlanError(`The number of ${name} is ${value}; expected at least 1.`);
  if (ratingsPerPerson > items)
    throw new PlanError(
      `People are said to have ${ratingsPerPerson} ratings each, and there are ${items} items; expected at most one rating of each.`,
    );
  const { headShare, tailShare } = shape ?? usualShape;
  if (!(headShare >= 0.1 && headShare < 1 && tailShare > 0 && tailShare <= 0.5 && headShare + tailShare <= 1))
    throw new PlanError(
      `The most rated tenth is said to get ${headShare} of all ratings and the least rated half ${tailShare}; expected 0.1 to 1 and 0 to 0.5, together at most 1.`,
    );
}

/** Figures that no data set can have. */
export class PlanError extends RangeError {
  override readonly name = 'PlanError';
  readonly kind = 'usage';
}
