import { percentWords, posteriorOf, shownEpsilon, strengthOf } from '@hushrec/model/words';
import { element } from '../build-element.js';

/**
 * Widths come from script through the object model of styles: the page's policy allows no style in markup.
 */
function placed<Made extends HTMLElement>(made: Made, values: Readonly<Record<string, number>>): Made {
  for (const [name, share] of Object.entries(values))
    made.style.setProperty(name, `${(100 * share).toFixed(2)}%`);
  return made;
}

/** The same with what its ends and marks mean. */
export function beliefFigure(epsilon: number): HTMLElement {
  const most = posteriorOf(0.5, epsilon);
  return element(
    'div',
    { class: 'belief-figure' },
    placed(
      element(
        'div',
        { class: 'belief-marks', 'aria-hidden': 'true' },
        element('span', {}, '50% before'),
        element(
          'span',
          { class: 'accent' },
          `at most ${percentWords(most)} after`.replace('at most >', 'more than'),
        ),
      ),
      { '--most': most },
    ),
    beliefBar(epsilon),
    element(
      'p',
      { class: 'ends', 'aria-hidden': 'true' },
      element('span', {}, 'certain you are not in the data'),
      element('span', {}, 'certain you are'),
    ),
  );
}

/** How sure someone can become who was sure by half. */
export function beliefBar(epsilon: number): HTMLElement {
  const most = posteriorOf(0.5, epsilon);
  return placed(
    element('div', {
      class: 'belief',
      role: 'img',
      'aria-label': `A guess that is right in 50% of cases can become right in at most ${percentWords(most)}.`,
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
        element('span', { class: 'ruler-mark' }, element('span', {}, `ε = ${shownEpsilon(epsilon, 3)}`)),
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

/** A share of things that can be counted: all of them are 100%, which a belief never is. */
export function shareWords(share: number): string {
  return share >= 1 ? '100%' : percentWords(share);
}

/** How much of a catalogue stands out from the noise; of a range, what is sure is darker. */
export function standOutStrip(share: number, most = share): HTMLElement {
  const [least, last] = [shareWords(share), shareWords(most)];
  const words = least === last ? least : `${least} to ${last}`;
  return placed(
    element('div', {
      class: 'stand-out dotted',
      role: 'img',
      'aria-label': `${words} of titles stand out from the noise.`,
    }),
    { '--share': most, '--sure': most > 0 ? share / most : 0 },
  );
}

/** Where a quality lies on the way from a start (nothing, or the bestseller list) to that without privacy. */
export function qualityTrack(
  share: number,
  from: string,
  kind: 'guarded' | 'too-noisy' | 'open' = 'guarded',
): HTMLElement {
  return placed(
    element('div', {
      class: `track of-${kind}`,
      role: 'img',
      'aria-label': `${shareWords(share)} of the way from ${from} to no privacy.`,
    }),
    { '--at': share },
  );
}

/** An amount as a bar from 0, beside its number: grey without privacy, amber where noise rules. */
export function amountBar(share: number, kind: 'guarded' | 'too-noisy' | 'open'): HTMLElement {
  return placed(element('i', { class: `amount of-${kind}`, 'aria-hidden': 'true' }), {
    '--share': Math.max(0, Math.min(1, share)),
  });
}

/** How much of a grant is spent. */
export function spentBar(spent: number, granted: number, name: string): HTMLElement {
  return placed(
    element('div', {
      class: 'spent',
      role: 'meter',
      'aria-valuemin': 0,
      'aria-valuemax': granted,
      'aria-valuenow': Math.min(spent, granted),
      'aria-label': `ε spent by ${name}`,
    }),
    { '--share': Math.min(1, spent / granted) },
  );
}
