import type { RatingRange } from '@hushrec/model';
import { button, element } from '../build-element.js';
import { icon } from '../icons.js';

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

let groups = 0;

/**
 * Stars as a radio group: arrow keys choose, a screen reader says "3 of 5". Choosing the same star again with
 * the remove button takes the rating back. Implicit models get one "Like" switch.
 */
export function ratingControl(
  title: string,
  scale: RatingRange | undefined,
  current: number | undefined,
  onRate: (rating: number | undefined) => void,
): HTMLElement {
  if (scale === undefined) {
    const isLiked = current !== undefined;
    return button(isLiked ? '♥ Liked' : '♡ Like', () => onRate(isLiked ? undefined : 1), {
      'aria-pressed': isLiked ? 'true' : 'false',
      'aria-label': `Like ${title}`,
    });
  }
  const name = `rating-${++groups}`;
  const grades = gradesOf(scale);
  const stars = grades.map((grade, place) => {
    const input = element('input', {
      type: 'radio',
      name,
      value: grade,
      checked: current !== undefined && nearest(grades, current) === grade,
      'aria-label': `${grade} of ${grades.at(-1)}`,
    });
    input.addEventListener('change', () => onRate(grade));
    const isOn = current !== undefined && place <= grades.indexOf(nearest(grades, current));
    return element('label', { class: isOn ? 'on' : '' }, input, icon('star'));
  });
  return element(
    'fieldset',
    {},
    element('legend', { class: 'visually-hidden' }, `Your rating of ${title}`),
    element('span', { class: 'stars' }, stars),
    current === undefined
      ? null
      : button(
          '',
          () => onRate(undefined),
          { class: 'plain', 'aria-label': `Remove your rating of ${title}` },
          icon('cross'),
        ),
  );
}

function nearest(grades: readonly number[], value: number): number {
  return grades.reduce((best, grade) => (Math.abs(grade - value) < Math.abs(best - value) ? grade : best));
}
