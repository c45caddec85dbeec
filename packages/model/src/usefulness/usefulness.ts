import type { CertifiedRelease } from '../certificate.js';
import { type ItemModel, isSameForAll } from '../item-model.js';
import { oneInTwenty, type SpreadOfCounts, spreadOfCounts, standsOutAt } from './spread-of-counts.js';

/**
 * Noise over signal of the most counted tenth of items and of the least counted half; null where no signal
 * can be told from noise.
 */
export interface NoiseOverSignal {
  readonly head: number | null;
  readonly tail: number | null;
}

/**
 * Of a model that is not too noisy and has no vectors, `same-for-all`: how many items stand out says nothing
 * of whether its lists beat bestsellers, which they are.
 */
export type Verdict = 'worth-it' | 'weak' | 'same-for-all' | 'too-noisy';

/**
 * Whether a model is worth using, from released numbers alone: nothing here looks at anyone's data, so it is
 * public and costs no privacy. It is about noise, not about how good recommendations are: that is measured on
 * people, and stays with the operator.
 */
export interface Usefulness {
  readonly items: number;
  /** About how many items have a count of more than two standard deviations of the noise on it. */
  readonly itemsAboveNoise: number;
  /** Of the released counts. */
  readonly counts: NoiseOverSignal;
  /** Of the last vectors that were released item by item; absent where a method releases none. */
  readonly vectors?: NoiseOverSignal;
  readonly verdict: Verdict;
  /**
   * So many times as much signal over noise would be worth it; 1 where it is already. People times μ: twice
   * the people are twice the signal.
   */
  readonly needed: number;
  /**
   * Nine in ten times `needed` lies within, over all noise there might have been; `high` is null where no
   * signal can be told. Absent where it is worth it, and in certificates from before it was said.
   */
  readonly neededRange?: NeededRange;
}

export interface NeededRange {
  readonly low: number;
  readonly high: number | null;
}

/**
 * Most noise over signal in the head for each verdict. Read off runs on data sets of several shapes (`npm run
 * plan:reference`): below the first bounds personal lists beat the bestseller list, above the second ones
 * they lose to it.
 */
export const verdictBounds = {
  counts: { worthIt: 0.25, weak: 0.6 },
  vectors: { worthIt: 0.7, weak: 1.3 },
} as const;

/** Verdict and what is missing, from the head's noise over signal.  */
export function judge(
  counts: number | null,
  vectors?: number | null,
): { readonly verdict: Verdict; readonly needed: number } {
  const judged = [
    { ratio: counts ?? mostRatio, bounds: verdictBounds.counts },
    ...(vectors === undefined ? [] : [{ ratio: ofVectors(vectors), bounds: verdictBounds.vectors }]),
  ];
  const needed = Math.max(1, ...judged.map(({ ratio, bounds }) => ratio / bounds.worthIt));
  if (judged.some(({ ratio, bounds }) => ratio > bounds.weak)) return { verdict: 'too-noisy', needed };
  return { verdict: needed > 1 ? 'weak' : 'worth-it', needed };
}

/**
 * Beyond this a ratio of vectors is itself noise, and where no signal is seen at all it is the least that can
 * be said.
 */
const mostRatio = 5;

function ofVectors(ratio: number | null): number {
  return Math.min(mostRatio, ratio ?? mostRatio);
}

/** About the standard deviation of the logarithm of what is said of vectors. */
const vectorsError = 0.08;

/**
 * What `needed` would be with other noise, of counts and of vectors, and for enough items to stand out: the
 * one that needs most decides.
 */
function rangeOfNeeded(
  { headSquare, headError, mostHead }: SpreadOfCounts,
  counts: number | null,
  vectors: number | null | undefined,
  forList: number,
): NeededRange {
  const around = (error: number) => Math.exp(oneInTwenty * error);
  const { worthIt } = verdictBounds.counts;
  const byCounts =
    counts === null
      ? { low: 1 / (mostHead * worthIt), high: null }
      : {
          low: 1 / (Math.sqrt(headSquare) * around(headError) * worthIt),
          high: around(headError) / (Math.sqrt(headSquare) * worthIt),
        };
  const ofVector = vectors === undefined ? 0 : ofVectors(vectors) / verdictBounds.vectors.worthIt;
  const byVectors = {
    low: ofVector / around(vectorsError),
    high: vectors === null ? null : ofVector * around(vectorsError),
  };
  const high =
    byCounts.high === null || byVectors.high === null
      ? null
      : Math.max(byCounts.high, byVectors.high, forList * around(headError));
  const low = Math.max(1, byCounts.low, byVectors.low, forList / around(headError));
  return {
    low: twoDigits(low, Math.floor),
    high: high === null ? null : twoDigits(Math.max(1, high), Math.ceil),
  };
}

function twoDigits(value: number, round: (value: number) => number): number {
  const unit = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Number((round(value / unit) * unit).toPrecision(2));
}

/** The head of counts is known where its logarithm is within this, by its own counts or by the total. */
export const knownWithin = 0.5;

/** Noise over signal of counts, from how large they are in standard deviations of their noise. */
function noiseOverCounts({ items, headSquare, tailSquare, headError }: SpreadOfCounts): NoiseOverSignal {
  return {
    head: headError <= knownWithin ? 1 / Math.sqrt(headSquare) : null,
    tail: ratioOf(tailSquare, items / 2),
  };
}

/** 1/√(mean square); null within two standard errors √(2/n) of nothing. */
function ratioOf(meanSquare: number, group: number): number | null {
  return meanSquare > 2 * Math.sqrt(2 / Math.max(1, group)) ? 1 / Math.sqrt(meanSquare) : null;
}

/** Titles in a usual list of recommendations. */
const listLength = 10;

/**
 * Whether lists are chosen by noise: the verdict says so, or fewer items stand out than a list is long, so
 * that the rest of it cannot be told from chance.
 */
export function isTooNoisy({
  verdict,
  items,
  itemsAboveNoise,
}: Pick<Usefulness, 'verdict' | 'items' | 'itemsAboveNoise'>): boolean {
  return verdict === 'too-noisy' || itemsAboveNoise < Math.min(listLength, items);
}

/** So many times the signal would let as many items stand out as a list is long; at most `mostRatio`. */
function neededForList({ points, items }: SpreadOfCounts): number {
  let seen = 0;
  // Half an item more rounds to it.
  const last = points.find((point) => {
    seen += point.items;
    return seen >= Math.min(listLength, items) - 0.5;
  });
  return Math.min(mostRatio, standsOutAt / Math.max(1e-9, last?.size ?? 0));
}

/**
 * Whether a release is how often each item was rated: `item-counts`, which the first certificates of `hush`
 * spelt with a space.
 */
export function isCountsRelease(name: string): boolean {
  return name === 'item-counts' || name === 'item counts';
}

/**
 * Usefulness of a model from its released counts, the noise that its releases had, and what is known of its
 * vectors' noise; `countNoise` is that of counts that are put together from several runs. Undefined where a
 * method releases no counts with Gaussian noise: then nothing is claimed.
 */
export function usefulnessOf(
  model: ItemModel,
  releases: readonly CertifiedRelease[],
  vectors?: NoiseOverSignal,
  countNoise?: number,
): Usefulness | undefined {
  const counts = releasedCounts(model, releases, countNoise);
  if (counts === undefined) return undefined;
  const spread = spreadOfCounts(counts.values, counts.noise);
  const overCounts = noiseOverCounts(spread);
  const itemsAboveNoise = Math.round(spread.above);
  const byHead = judge(overCounts.head, vectors?.head);
  const isShort =
    byHead.verdict !== 'too-noisy' && isTooNoisy({ ...byHead, items: spread.items, itemsAboveNoise });
  const byNoise = isShort ? 'too-noisy' : byHead.verdict;
  const verdict = byNoise !== 'too-noisy' && isSameForAll(model) ? 'same-for-all' : byNoise;
  const forList = isShort ? neededForList(spread) : 0;
  const needed = Math.max(byHead.needed, forList);
  const neededRange =
    byNoise !== 'worth-it' ? rangeOfNeeded(spread, overCounts.head, vectors?.head, forList) : undefined;
  return {
    items: spread.items,
    itemsAboveNoise,
    counts: rounded(overCounts),
    ...(vectors && { vectors: rounded(vectors) }),
    verdict,
    needed: short(Math.max(needed, neededRange?.low ?? 1)),
    ...(neededRange && { neededRange }),
  };
}

/** How often each item was rated, as released, and the noise on it; undefined where a model has none. */
export function releasedCounts(
  model: ItemModel,
  releases: readonly CertifiedRelease[],
  remembered?: number,
): { readonly values: Float32Array; readonly noise: number } | undefined {
  const values = model.kind === 'factors' ? model.popularity : undefined;
  const noise = releases.find(
    ({ name, mechanism }) => isCountsRelease(name) && mechanism === 'gaussian',
  )?.noise;
  return values === undefined || noise === undefined || !(noise > 0)
    ? undefined
    : { values, noise: remembered ?? noise };
}

function rounded({ head, tail }: NoiseOverSignal): NoiseOverSignal {
  return { head: head === null ? null : short(head), tail: tail === null ? null : short(tail) };
}

function short(value: number): number {
  return Number(value.toPrecision(3));
}
