import { element, listening } from '../build-element.js';
import type { DatasetSummary, RunRequest } from '../server-interface.js';
import { segments } from './segments.js';

/** What a model is for: lists of titles, or how many stars someone would give. */
export interface WhatFor {
  readonly element: HTMLElement;
  feedback(): 'explicit' | 'implicit';
  /** As a run asks for it; nothing where the data leaves no choice. */
  asked(): Pick<RunRequest, 'goal'>;
  show(dataset: DatasetSummary): void;
}

/** Lists unless stars are asked for; data without ratings has no stars to predict. */
export function whatFor(changed: () => void): WhatFor {
  const goal = segments('What for', [
    ['rank', 'Rank titles'],
    ['stars', 'Predict stars'],
  ]);
  const note = element('p', { class: 'small quiet' });
  const place = element('div');
  let shown: DatasetSummary | undefined;
  const hasStars = () => shown !== undefined && shown.scale.min < shown.scale.max;
  const isForStars = () => hasStars() && goal.value() === 'stars';
  const draw = () => {
    place.replaceChildren(...(hasStars() ? [goal.element] : []), note);
    note.textContent = !hasStars()
      ? 'Rank titles. This data says what people chose, not how much they liked it.'
      : isForStars()
        ? `Predicts stars from ${shown!.scale.min} to ${shown!.scale.max}, and ranks titles by them.`
        : 'Learns lists: the more stars, the more a title counts.';
  };
  listening(goal.element, {
    change: () => {
      draw();
      changed();
    },
  });
  return {
    element: place,
    feedback: () => (isForStars() ? 'explicit' : 'implicit'),
    asked: () => (hasStars() ? { goal: isForStars() ? 'stars' : 'rank' } : {}),
    show: (dataset) => {
      shown = dataset;
      draw();
    },
  };
}
