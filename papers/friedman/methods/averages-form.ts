import type { RatingScale } from '@hushrec/ratings';
import type { AveragesSettings } from './averages-budget.js';
import { clip, toGrid } from './protected-rating.js';

/** Releases sums or counts under a line of the plan. */
type Release = (name: string, gridUnits: Float64Array, step?: number) => Promise<Float64Array>;

/** Sums of one side (items, or users), as they are and as they were released, and their counts. */
interface Sums {
  readonly exact: Float64Array;
  readonly noisy: Float64Array;
  readonly counts: Float64Array;
}

/** What the three forms of Friedman et al.'s averages do each in its own way. */
interface AveragesForm {
  readonly release: Release;
  /** Taken off every rating before it is summed. */
  readonly centre: number;
  /** Residuals are clipped to ± this before they are summed. */
  readonly residualBound: number;
  /** Counts as they may be used: exact where who rated what is public. */
  counts(name: 'item-counts' | 'user-counts', exact: Float64Array): Promise<Float64Array>;
  /** Of all ratings, less the centre. */
  meanRating(itemSums: Sums, exact: { readonly item: Float64Array }): Promise<number>;
  meanResidual(userSums: Sums): Promise<number>;
}

/** The form that the settings ask for. Which lines each releases is `planAverages`. */
export function formOf(settings: AveragesSettings, scale: RatingScale, release: Release): AveragesForm {
  if (settings.unit === 'rating-value') return valuesProtected(scale, release);
  return settings.repaired ? presenceRepaired(settings, scale, release) : presenceAsPrinted(scale, release);
}

/** Algorithm 1: who rated what is public, so counts are exact; global averages have sums of their own. */
function valuesProtected(scale: RatingScale, release: Release): AveragesForm {
  return {
    counts: async (_, exact) => exact,
    ...globalSums(scale, release, async (exact) => exact),
  };
}

/** Algorithm 2 as printed: counts are released too, and raw sums. */
function presenceAsPrinted(scale: RatingScale, release: Release): AveragesForm {
  return {
    counts: (name, exact) => release(name, exact, 1),
    ...globalSums(scale, release, (exact) => release('rating-count', exact, 1)),
  };
}

/** Algorithm 2 repaired: centred sums, and global averages from what was released by item and by user. */
function presenceRepaired(
  { userBound }: AveragesSettings,
  { min, max }: RatingScale,
  release: Release,
): AveragesForm {
  return {
    release,
    centre: toGrid((min + max) / 2),
    residualBound: userBound,
    counts: (name, exact) => release(name, exact, 1),
    meanRating: async ({ noisy, counts }) => clip(total(noisy) / Math.max(total(counts), 1), (max - min) / 2),
    meanResidual: async ({ noisy, counts }) => total(noisy) / Math.max(total(counts), 1),
  };
}

/** Global averages as both algorithms print them: a sum each, over one count of all ratings. */
function globalSums(
  { min, max }: RatingScale,
  release: Release,
  countOfAll: (exact: Float64Array) => Promise<Float64Array>,
): Omit<AveragesForm, 'counts'> {
  let ratingCount = 1;
  const sumOf = async (name: string, parts: Float64Array) =>
    (await release(name, Float64Array.of(total(parts))))[0];
  return {
    release,
    centre: 0,
    residualBound: max - min,
    meanRating: async ({ exact }, { item }) => {
      const sum = await sumOf('rating-sum', exact);
      ratingCount = Math.max((await countOfAll(Float64Array.of(total(item))))[0], 1);
      return Math.min(max, Math.max(min, sum / ratingCount));
    },
    meanResidual: async ({ exact }) => (await sumOf('residual-sum', exact)) / ratingCount,
  };
}

function total(values: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[index];
  return sum;
}
