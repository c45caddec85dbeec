import type { RatingRange } from '@hushrec/model';

/**
 * Five grades over a scale: 1 to 5 where the scale ends at 5, otherwise evenly spaced and rounded to its
 * step.
 */
export function gradesOf(scale: RatingRange): number[] {
  if (scale.max === 5 && scale.min <= 1) return [1, 2, 3, 4, 5];
  const { min, max, step } = scale;
  const grades = [0, 1, 2, 3, 4].map((k) => {
    const even = min + ((max - min) * k) / 4;
    return step > 0 ? min + Math.round((even - min) / step) * step : even;
  });
  return [...new Set(grades)];
}

export function nearestGrade(grades: readonly number[], value: number): number {
  return grades.reduce((best, grade) => (Math.abs(grade - value) < Math.abs(best - value) ? grade : best));
}
