import { ImportOptionError } from './bad-data-error.js';
import type { RatingScale } from './rating-matrix.js';

/** Feedback without grades: a pair is there or not. */
export const implicitScale: RatingScale = { min: 1, max: 1, step: 1 };

/** Reads `min:max:step`, e.g. `1:5:1`; step 0 (or left out) means any number from min to max. */
export function parseScale(text: string): RatingScale {
  const parts = text.split(':').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const [min, max, step = 0] = parts;
  if (parts.length > 3 || min === undefined || max === undefined || !isScale({ min, max, step }))
    throw new ImportOptionError(
      'scale',
      `The scale "${text}" cannot be read; expected min:max:step with min ≤ max, e.g. 1:5:1 or 0.5:5:0.5.`,
    );
  return { min, max, step };
}

/** Finite bounds in order and a finite step ≥ 0. */
export function isScale({ min, max, step }: RatingScale): boolean {
  return Number.isFinite(min) && Number.isFinite(max) && min <= max && step >= 0 && step < Infinity;
}

/** What was said about the scale of ratings. */
export interface SaidOfScale {
  /** Declared range of ratings: never to be read from them, because noise depends on it. */
  readonly scale?: RatingScale;
  /** `scale` is that of a data set, and nothing was said about this source: it need not have ratings. */
  readonly isScaleInherited?: boolean;
  /** Asked where a format has to be told and nothing was declared; without it such a source is refused. */
  readonly assumeScale?: () => RatingScale;
}

/** The scale that was declared, or is assumed. @throws ImportOptionError where neither is */
export function declaredScale({ scale, assumeScale }: SaidOfScale): RatingScale {
  const found = scale ?? assumeScale?.();
  if (found === undefined)
    throw new ImportOptionError(
      'scale',
      'Declare the rating scale, e.g. --scale 1:5:1 (min:max:step). It is never read from the data, because noise depends on it.',
    );
  return found;
}

/**
 * The scale of a source: that of its ratings, or implicit where it has none.
 *
 * @throws ImportOptionError where a scale was declared and there is no rating to be on it
 */
export function scaleOf(said: SaidOfScale, hasRating: boolean): RatingScale {
  if (hasRating) return declaredScale(said);
  if (said.scale !== undefined && said.scale.min < said.scale.max && said.isScaleInherited !== true)
    throw new ImportOptionError(
      'scale',
      `There is no column with ratings, so nothing can be on the scale ${describeScale(said.scale)}. Name the column with --columns user,item,rating, or leave --scale out: then every pair counts 1.`,
    );
  return implicitScale;
}

/** Whether there is only for and against. */
export function isTwoGrades({ min, max, step }: RatingScale): boolean {
  return max > min && Math.abs(max - min - step) < 1e-6 * step;
}

/** Within the bounds and, where there is a step, on a grade (to one part in a million of a step). */
export function isOnScale(rating: number, { min, max, step }: RatingScale): boolean {
  if (!(rating >= min && rating <= max)) return false;
  if (step === 0) return true;
  const grade = (rating - min) / step;
  return Math.abs(grade - Math.round(grade)) < 1e-6;
}

/** "1 to 5 in steps of 1". */
export function describeScale({ min, max, step }: RatingScale): string {
  return step === 0 ? `${min} to ${max}` : `${min} to ${max} in steps of ${step}`;
}
