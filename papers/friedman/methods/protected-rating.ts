import type { PrivacyUnit, Relation } from '@hushrec/privacy';
import type { RatingScale } from '@hushrec/ratings';

/**
 * What the rating-level methods protect, and the grid their statistics live on.
 *
 * - `rating-value` (Friedman et al. 2016: "bounded"): who rated what is public, so counts are exact and free.
 * - `rating-presence` ("unbounded"): whether a rating exists is protected too, so every count is released
 * with noise.
 */
export type ProtectedRating = Extract<PrivacyUnit, 'rating-value' | 'rating-presence'>;

export interface RatingProtection {
  readonly unit: ProtectedRating;
  readonly relation: Relation;
}

/** The unit with the neighbours that belong to it: a value is replaced, a rating comes or goes. */
export function protectionOf(unit: ProtectedRating): RatingProtection {
  return { unit, relation: unit === 'rating-value' ? 'replace' : 'add-remove' };
}

/**
 * What a method on ratings protects that offers both units, the stronger one first; it must see all ratings.
 */
export const presenceOrValue = {
  feedback: ['explicit'],
  protects: [protectionOf('rating-presence'), protectionOf('rating-value')],
  needs: 'ratings',
} as const;

/**
 * Ratings, released averages and residuals are whole multiples of 2⁻²⁰. Averages are rounded after their
 * release, which costs nothing; differences of such numbers are exact, so rounding never enlarges a
 * sensitivity. A clamped residual has at most 23 significant bits and survives in a float32.
 */
export const gridStep = 2 ** -20;

export function toGrid(value: number): number {
  return Math.round(value / gridStep) * gridStep;
}

/**
 * The largest multiple of the grid step that is at most `bound`: a bound to clip to without leaving the grid.
 */
export function gridBound(bound: number): number {
  return Math.floor(bound / gridStep) * gridStep;
}

/**
 * A rating forced into its declared scale and onto the grid: bounds hold whatever the file said. NaN becomes
 * the lowest grade.
 */
export function boundedRating(rating: number, scale: RatingScale): number {
  if (!(rating > scale.min)) return -gridBound(-scale.min);
  return rating >= scale.max ? gridBound(scale.max) : toGrid(rating);
}

/** Two-sided clip to [−bound, bound]; NaN becomes 0. */
export function clip(value: number, bound: number): number {
  if (value > bound) return bound;
  if (value < -bound) return -bound;
  return Number.isNaN(value) ? 0 : value;
}
