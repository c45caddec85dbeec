import { element, listening } from '../build-element.js';
import type { DatasetSummary } from '../server-interface.js';
import { segments } from './segments.js';

/** What a model is to learn from the data: how many stars, or which titles are chosen at all. */
export interface WhatFor {
  readonly element: HTMLElement;
  feedback(): 'explicit' | 'implicit';
  /** The least rating that counts as a like; undefined where stars are learnt, or there are none. */
  liked(): number | undefined;
  show(dataset: DatasetSummary): void;
}

/** Where there are ratings, either can be learnt; choices have no stars to predict. */
export function whatFor(changed: () => void): WhatFor {
  const goal = segments(
    'What for',
    [
      ['likes', 'Rank titles'],
      ['stars', 'Predict stars'],
    ],
    'stars',
  );
  const from = element('input', { name: 'liked', type: 'number', step: 'any', required: true });
  const fromField = element(
    'label',
    { class: 'row spread short' },
    element('span', {}, 'A like is a rating of at least'),
    from,
  );
  const note = element('p', { class: 'small quiet' });
  const place = element('div');
  let shown: DatasetSummary | undefined;
  const hasStars = () => shown !== undefined && shown.scale.min < shown.scale.max;
  const isOfLikes = () => hasStars() && goal.value() === 'likes';
  const draw = () => {
    place.replaceChildren(...(hasStars() ? [goal.element] : []), note, ...(isOfLikes() ? [fromField] : []));
    note.textContent = !hasStars()
      ? 'Rank titles. This data says what people chose, not how much they liked it.'
      : isOfLikes()
        ? 'Learns what people like, without the stars.'
        : `Predicts stars from ${shown!.scale.min} to ${shown!.scale.max}, and ranks titles by them.`;
  };
  listening(goal.element, {
    change: () => {
      draw();
      changed();
    },
  });
  return {
    element: place,
    feedback: () => (hasStars() && !isOfLikes() ? 'explicit' : 'implicit'),
    liked: () => (isOfLikes() ? Number(from.value) : undefined),
    show: (dataset) => {
      if (shown?.id !== dataset.id) from.value = String(upperQuarter(dataset.scale));
      shown = dataset;
      from.min = String(dataset.scale.min);
      from.max = String(dataset.scale.max);
      draw();
    },
  };
}

/** The first grade in the upper quarter of a scale: 4 of 1 to 5, and of 0.5 to 5. */
function upperQuarter({ min, max, step }: DatasetSummary['scale']): number {
  const exact = min + 0.75 * (max - min);
  return step > 0 ? Math.min(max, min + Math.ceil((exact - min) / step - 1e-9) * step) : exact;
}
