import type { CertifiedRelease } from '../certificate.js';
import type { ItemModel } from '../item-model.js';
import { type SpreadOfCounts, spreadOfCounts } from './spread-of-counts.js';

/**
 * Noise over signal of the most counted tenth of items and of the least counted half; null where no signal
 * can be told from noise.
 */
export interface NoiseOverSignal {
  readonly head: number | null;
  readonly tail: number | null;
}

export type Verdict = 'worth-it' | 'weak' | 'too-noisy';

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
    { ratio: seen(counts), bounds: verdictBounds.counts },
    ...(vectors === undefined ? [] : [{ ratio: seen(vectors), bounds: verdictBounds.vectors }]),
  ];
  const needed = Math.max(1, ...judged.map(({ ratio, bounds }) => ratio / bounds.worthIt));
  if (judged.some(({ ratio, bounds }) => ratio > bounds.weak)) return { verdict: 'too-noisy', needed };
  return { verdict: needed > 1 ? 'weak' : 'worth-it', needed };
}

/**
 * Beyond this a ratio is itself noise, and where no signal is seen at all it is the least that can be said.
 */
const mostRatio = 5;

function seen(ratio: number | null): number {
  return Math.min(mostRatio, ratio ?? mostRatio);
}

/** Noise over signal of counts, from how large they are in standard deviations of their noise. */
function noiseOverCounts({ items, headSquare, tailSquare }: SpreadOfCounts): NoiseOverSignal {
  return { head: ratioOf(headSquare, items / 10), tail: ratioOf(tailSquare, items / 2) };
}

/** 1/√(mean square); null within two standard errors √(2/n) of nothing. */
function ratioOf(meanSquare: number, group: number): number | null {
  return meanSquare > 2 * Math.sqrt(2 / Math.max(1, group)) ? 1 / Math.sqrt(meanSquare) : null;
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
 * vectors' noise. Undefined where a method releases no counts with Gaussian noise: then nothing is claimed.
 */
export function usefulnessOf(
  model: ItemModel,
  releases: readonly CertifiedRelease[],
  vectors?: NoiseOverSignal,
): Usefulness | undefined {
  const counts = model.kind === 'factors' ? model.popularity : undefined;
  const noise = releases.find(
    ({ name, mechanism }) => isCountsRelease(name) && mechanism === 'gaussian',
  )?.noise;
  if (counts === undefined || noise === undefined || !(noise > 0)) return undefined;
  const spread = spreadOfCounts(counts, noise);
  const overCounts = noiseOverCounts(spread);
  return {
    items: spread.items,
    itemsAboveNoise: Math.round(spread.above),
    counts: rounded(overCounts),
    ...(vectors && { vectors: rounded(vectors) }),
    ...judgeRounded(overCounts.head, vectors?.head),
  };
}

function judgeRounded(counts: number | null, vectors?: number | null) {
  const { verdict, needed } = judge(counts, vectors);
  return { verdict, needed: short(needed) };
}

function rounded({ head, tail }: NoiseOverSignal): NoiseOverSignal {
  return { head: head === null ? null : short(head), tail: tail === null ? null : short(tail) };
}

function short(value: number): number {
  return Number(value.toPrecision(3));
}
