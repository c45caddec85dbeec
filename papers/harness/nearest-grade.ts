import type { RatingScale } from '@hushrec/ratings';

/** The grade nearest to a place on the scale, 0 its lower end and 1 its upper one. */
export function nearestGrade({ min, max, step }: RatingScale, place: number): number {
  const exact = min + place * (max - min);
  return Math.min(max, Math.max(min, min + step * Math.round((exact - min) / step)));
}
