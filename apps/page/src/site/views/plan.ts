import { percentWords, posteriorOf, strengthOf } from '@hushrec/model/words';
import {
  basisWords,
  type ForecastRange,
  forecastRange,
  noiseOfRange,
  type PlannedData,
  peopleWords,
  qualityWords,
  referenceRuns,
  standingWords,
  verdictOfRange,
} from '@hushrec/planner';
import { element, listening } from '../build-element.js';
import { icon } from '../icons.js';
import { cardHead } from '../parts/card-head.js';
import { segments } from '../parts/segments.js';
import { epsilonRuler, standOutStrip } from '../pictures/measures.js';

const count = new Intl.NumberFormat('en');
const delta = 1e-6;

/**
 * Before any data: how many people are needed, and what ε costs. The same functions as `hushrec privacy
 * plan`.
 */
export function planView(place: HTMLElement): void {
  const people = slider('How many people', 100, 10_000_000, 6000);
  const items = slider('How many titles', 50, 1_000_000, 3000);
  const each = slider('Ratings a person has', 1, 1000, 100);
  const epsilon = slider('Privacy, ε', 0.1, 20, 1, 2);
  const feedback = segments('What for', [
    ['likes', 'Rank titles'],
    ['ratings', 'Predict stars'],
  ]);
  const result = element('div', { 'aria-live': 'polite' });
  const draw = () => {
    const data: PlannedData = {
      people: people.value(),
      items: items.value(),
      ratingsPerPerson: Math.min(each.value(), items.value()),
      feedback: feedback.value() as PlannedData['feedback'],
    };
    result.replaceChildren(
      ...forecastParts(data, forecastRange(data, epsilon.value(), delta, referenceRuns)),
    );
  };
  const form = listening(
    element(
      'form',
      { class: 'card', 'aria-label': 'What you know' },
      people.element,
      items.element,
      each.element,
      element('div', { class: 'step' }, element('h2', { class: 'sub' }, 'What for'), feedback.element),
      epsilon.element,
    ),
    { input: draw, submit: (event) => event.preventDefault() },
  );
  place.append(
    element('h1', {}, 'How many people do I need?'),
    element(
      'p',
      { class: 'lead' },
      'A forecast from four numbers. Nobody’s data is looked at, and nothing is sent.',
    ),
    element('div', { class: 'grid form' }, form, result),
  );
  draw();
}

function forecastParts(data: PlannedData, range: ForecastRange): HTMLElement[] {
  const { epsilon } = range.middle;
  // By the least that it may be.
  const [verdict] = range.verdicts;
  const tone = verdict === 'worth-it' ? 'good' : verdict === 'weak' ? 'warn' : 'bad';
  return [
    element(
      'section',
      { class: 'card' },
      cardHead('What to expect', element('span', { class: 'chip' }, 'forecast, no ratings read')),
      element(
        'p',
        { class: `notice row ${tone}` },
        icon(verdict === 'worth-it' ? 'check' : 'warn'),
        element(
          'span',
          {},
          element('strong', {}, `${verdictOfRange(range)}. `),
          `It takes about ${peopleWords(range.peopleNeeded)} people at this ε.`,
        ),
      ),
      standOutStrip(range.shareAboveNoise.low, range.shareAboveNoise.high),
      element('p', {}, `About ${standingWords(data, range, 'titles')} will stand out of the noise.`),
      element('p', { class: 'small quiet' }, noiseOfRange(range)),
      element('hr'),
      element('p', { class: 'small' }, qualityWords(data, range.quality)),
      element('p', { class: 'small quiet' }, basisWords(range.basis)),
    ),
    element(
      'section',
      { class: 'card' },
      element('h2', {}, `How strong is ε = ${epsilon}?`),
      epsilonRuler(epsilon),
      element(
        'p',
        { class: 'small quiet' },
        `A ${strengthOf(epsilon)} promise: 50% sure becomes at most ${percentWords(posteriorOf(0.5, epsilon))} sure.`,
      ),
    ),
  ];
}

/** A slider over powers of ten, with the number beside it. */
function slider(label: string, least: number, most: number, first: number, digits = 2) {
  const toShare = (value: number) => Math.log(value / least) / Math.log(most / least);
  const toValue = (share: number) => Number((least * (most / least) ** share).toPrecision(digits));
  const input = element('input', {
    type: 'range',
    min: 0,
    max: 1,
    step: 'any',
    value: toShare(first),
    'aria-label': label,
  });
  const shown = element('output', {});
  const value = () => toValue(Number(input.value));
  const draw = () => {
    shown.textContent = count.format(value());
    input.setAttribute('aria-valuetext', shown.textContent);
  };
  draw();
  return {
    value,
    element: listening(
      element(
        'div',
        { class: 'step' },
        element('p', { class: 'row spread' }, element('strong', {}, label), shown),
        input,
      ),
      { input: draw },
    ),
  };
}
