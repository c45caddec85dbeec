import { percentWords, posteriorOf, strengthOf } from '@hushrec/model';
import { element } from '../build-element.js';

/** Widths come from script through the object model of styles: the page's policy allows no style in markup. */
function placed<Made extends HTMLElement>(made: Made, values: Readonly<Record<string, number>>): Made {
  for (const [name, share] of Object.entries(values))
    made.style.setProperty(name, `${(100 * share).toFixed(2)}%`);
  return made;
}

/** How sure someone can become who was sure by half. */
export function beliefBar(epsilon: number): HTMLElement {
  const most = posteriorOf(0.5, epsilon);
  return placed(
    element('div', {
      class: 'belief',
      role: 'img',
      'aria-label': `A guess that is right in 50 % of cases can become right in at most ${percentWords(most)}.`,
    }),
    { '--gain': most - 0.5 },
  );
}

const least = 0.1;
const most = 20;
const onRuler = (epsilon: number) =>
  Math.min(1, Math.max(0, Math.log(epsilon / least) / Math.log(most / least)));

/** Strong, clear, weak, mostly formal: where an ε stands. */
export function epsilonRuler(epsilon: number): HTMLElement {
  const words = strengthOf(epsilon);
  return element(
    'div',
    { class: 'ruler' },
    placed(
      element(
        'div',
        {
          class: 'ruler-bar',
          role: 'img',
          'aria-label': `ε = ${epsilon} is ${words} on a ruler from 0.1 to 20.`,
        },
        element('span', { class: 'ruler-mark' }),
      ),
      { '--at': onRuler(epsilon) },
    ),
    element(
      'div',
      { class: 'ruler-words', 'aria-hidden': 'true' },
      ['strong', 'clear', 'weak', 'formal'].map((word) => element('span', {}, word)),
    ),
    element(
      'div',
      { class: 'ruler-ends', 'aria-hidden': 'true' },
      [0.1, 0.3, 1, 3, 8, 20].map((end) =>
        placed(element('span', {}, String(end)), { '--at': onRuler(end) }),
      ),
    ),
  );
}

/** How much of a catalogue stands out of the noise. */
export function standOutStrip(share: number): HTMLElement {
  return placed(
    element('div', {
      class: 'stand-out dotted',
      role: 'img',
      'aria-label': `${percentWords(share)} of titles stand out of the noise.`,
    }),
    { '--share': share },
  );
}
