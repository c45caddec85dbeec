import type { SettingsSchema } from '@hushrec/factorize';
import type { PlannedRelease } from '@hushrec/privacy';
import type { RatingScale } from '@hushrec/ratings';
import type { ProtectedRating } from './protected-rating.js';

/** Settings of the private averages, shared by every method of Friedman et al. 2016. */
export const averagesSchema = {
  unit: {
    type: 'choice',
    default: 'rating-presence',
    choices: ['rating-presence', 'rating-value'],
    description: 'What is protected: that a rating exists, or (weaker) only its value.',
  },
  repaired: {
    type: 'boolean',
    default: true,
    description: 'true: the variant whose guarantee is proved. false: the text as printed, for reproduction.',
  },
  globalShare: {
    type: 'number',
    default: 0.02,
    min: 0.001,
    max: 1,
    description: 'Share of ε for both global averages together.',
  },
  itemShare: {
    type: 'number',
    default: 0.14,
    min: 0.001,
    max: 1,
    description: 'Share of ε for item averages.',
  },
  userShare: {
    type: 'number',
    default: 0.14,
    min: 0.001,
    max: 1,
    description: 'Share of ε for user averages.',
  },
  itemShrinkage: {
    type: 'number',
    default: 10,
    min: 0,
    max: 1000,
    description: 'β_m: fictitious ratings at the global average that steady an item average.',
  },
  userShrinkage: {
    type: 'number',
    default: 10,
    min: 0,
    max: 1000,
    description: 'β_u: fictitious residuals at their global average that steady a user average.',
  },
  userBound: {
    type: 'number',
    default: 2,
    min: 0.01,
    max: 100,
    description: 'User averages are clamped to ± this; in the repaired presence variant residuals are, too.',
  },
} as const satisfies SettingsSchema;

export interface AveragesSettings {
  readonly unit: ProtectedRating;
  readonly repaired: boolean;
  readonly globalShare: number;
  readonly itemShare: number;
  readonly userShare: number;
  readonly itemShrinkage: number;
  readonly userShrinkage: number;
  readonly userBound: number;
}

/** Of a budget for sums and counts together, how much the sums get: they carry the larger relative noise. */
const sumShare = 0.75;

function laplace(
  name: string,
  sensitivity: number,
  share: number,
  proved?: PlannedRelease['proved'],
): PlannedRelease {
  return {
    name,
    mechanism: { kind: 'laplace' },
    sensitivity,
    count: 1,
    share,
    ...(proved ? { proved } : {}),
  };
}

/**
 * The releases behind the averages.
 *
 * Value: changing one rating moves one global sum, one item sum, one residual sum and one user sum by at most
 * Δr = max − min each (items partition ratings, so do users). The printed text gives 0.02 ε to "the global
 * averages", of which there are two: half each.
 *
 * Presence, repaired: sums are of r − (min+max)/2, which one rating moves by at most Δr/2, and of residuals
 * clipped to ± userBound; counts move by 1. Global averages are ratios of released sums and counts, at no
 * cost.
 *
 * Presence, as printed: sums of r get noise for Δr although one rating moves them by up to max(|min|, |max|).
 */
export function planAverages(settings: AveragesSettings, scale: RatingScale): PlannedRelease[] {
  const range = scale.max - scale.min;
  const { globalShare, itemShare, userShare } = settings;
  if (settings.unit === 'rating-value') {
    return [
      laplace('rating-sum', range, globalShare / 2),
      laplace('item-sums', range, itemShare),
      laplace('residual-sum', range, globalShare / 2),
      laplace('user-sums', range, userShare),
    ];
  }
  if (settings.repaired) {
    const items = itemShare + globalShare / 2;
    const users = userShare + globalShare / 2;
    return [
      laplace('item-sums', range / 2, items * sumShare),
      laplace('item-counts', 1, items * (1 - sumShare)),
      laplace('user-sums', settings.userBound, users * sumShare),
      laplace('user-counts', 1, users * (1 - sumShare)),
    ];
  }
  const moved = { sensitivity: Math.max(Math.abs(scale.min), Math.abs(scale.max)) };
  return [
    laplace('rating-sum', range, globalShare / 3, moved),
    laplace('rating-count', 1, globalShare / 3),
    laplace('item-sums', range, itemShare / 2, moved),
    laplace('item-counts', 1, itemShare / 2),
    laplace('residual-sum', range, globalShare / 3),
    laplace('user-sums', range, userShare / 2),
    laplace('user-counts', 1, userShare / 2),
  ];
}
