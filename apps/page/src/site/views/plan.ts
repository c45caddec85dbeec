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
} from '@hushrec/planner';
import type { LineChart } from '@hushrec/report';
import { element, listening } from '../build-element.js';
import { icon } from '../icons.js';
import { cardHead } from '../parts/card-head.js';
import { chartFigure } from '../parts/chart-figure.js';
import { segments } from '../parts/segments.js';
import { epsilonRuler, standOutStrip } from '../pictures/measures.js';
import { enoughOf, type Plan, planAddress, planOf } from '../plan-address.js';

const count = new Intl.NumberFormat('en');
const delta = 1e-6;
/** Where the curve is worked out; each place costs some ten milliseconds. */
const curveEpsilons = [0.1, 0.2, 0.5, 1, 2, 4, 8, 20];

const goals: Parameters<typeof segments>[1] = [
  ['likes', 'Rank titles'],
  ['ratings', 'Predict stars'],
];

/**
 * Before any data: how many people are needed, and what ε costs. The same functions as `hushrec privacy
 * plan`. The numbers are in the address, so a plan can be kept and sent.
 */
export function planView(place: HTMLElement, asked: string | undefined, signal: AbortSignal): void {
  const first = planOf(asked);
  const people = amount('How many people', 100, 10_000_000, first.people);
  const items = amount('How many titles', 50, 1_000_000, first.items);
  const each = amount('Ratings a person has', 1, 1000, first.each);
  const epsilon = amount('Privacy, ε', 0.1, 20, first.epsilon);
  const goal = segments('What for', goals, first.goal);
  const result = element('div', { 'aria-live': 'polite' });
  const curve = element('div', { class: 'plan-curve' });
  let timer: ReturnType<typeof setTimeout> | undefined;
  signal.addEventListener('abort', () => clearTimeout(timer));
  const draw = () => {
    const [persons, titles, ratings, most] = [people, items, each, epsilon].map((field) => field.value());
    // What is wrong is said beside the field; the last answer would belong to other numbers.
    if (persons === undefined || titles === undefined || ratings === undefined || most === undefined)
      return result.replaceChildren();
    const plan: Plan = {
      people: persons,
      items: titles,
      each: ratings,
      epsilon: most,
      goal: goal.value() as Plan['goal'],
    };
    history.replaceState(null, '', `#/plan/${planAddress(plan)}`);
    const data = plannedData(plan);
    result.replaceChildren(
      ...answer(data, forecastRange(data, plan.epsilon, delta, referenceRuns), curve, plan.epsilon),
    );
    clearTimeout(timer);
    timer = setTimeout(() => drawCurve(curve, data), curve.childElementCount === 0 ? 0 : 200);
  };
  const form = listening(
    element(
      'form',
      { class: 'card', 'aria-label': 'What you know' },
      people.element,
      items.element,
      each.element,
      element('div', { class: 'step' }, element('h2', { class: 'sub' }, 'What for'), goal.element),
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

function plannedData({ people, items, each, goal }: Plan): PlannedData {
  return { people, items, ratingsPerPerson: Math.min(each, items), feedback: goal };
}

function answer(data: PlannedData, range: ForecastRange, curve: HTMLElement, epsilon: number): HTMLElement[] {
  const enough = enoughOf(data.people, range);
  return [
    element(
      'section',
      { class: 'card', 'aria-label': 'The answer' },
      cardHead('You need about', element('span', { class: 'chip' }, 'forecast, no ratings read')),
      element(
        'p',
        {},
        element('span', { class: 'figure-big' }, peopleWords(range.peopleNeeded)),
        element('span', { class: 'quiet' }, ` people at ε = ${epsilon}`),
      ),
      element(
        'p',
        { class: `notice row ${enough.tone}` },
        icon(enough.tone === 'good' ? 'check' : 'warn'),
        element(
          'span',
          {},
          element('strong', {}, `You have ${count.format(data.people)}: ${enough.verdict}. `),
          enough.why,
        ),
      ),
      curve,
    ),
    element(
      'section',
      { class: 'card' },
      element('h2', {}, 'What to expect with the people you have'),
      standOutStrip(range.shareAboveNoise.low, range.shareAboveNoise.high),
      element('p', {}, `About ${standingWords(data, range, 'titles')} will stand out from the noise.`),
      element('p', { class: 'small' }, qualityWords(data, range.quality)),
      element('p', { class: 'small quiet' }, noiseOfRange(range)),
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

/** People needed against ε, with those there are as a line. */
function drawCurve(place: HTMLElement, data: PlannedData): void {
  const points = curveEpsilons.map((epsilon) => {
    const { low, high } = forecastRange(data, epsilon, delta, referenceRuns).peopleNeeded;
    return { x: epsilon, y: Math.sqrt(low * high), low, high };
  });
  const chart: LineChart = {
    kind: 'line',
    title: 'People needed against ε',
    description: 'The band is what the known catalogues span. Under ε: the most that a 50% guess can become.',
    x: {
      label: 'ε (log scale)',
      scale: 'log',
      ticks: [0.1, 0.3, 1, 3, 8, 20],
      notes: [0.1, 0.3, 1, 3, 8].map((at) => ({ at, text: percentWords(posteriorOf(0.5, at)) })),
    },
    y: { label: 'people needed (log scale)', scale: 'log' },
    series: [{ name: 'needed', points }],
    references: [{ name: `you have ${count.format(data.people)}`, y: data.people }],
    namesAtEnds: true,
  };
  place.replaceChildren(chartFigure(chart));
}

/** A number to type, and a slider over powers of ten; undefined while what is typed is none. */
function amount(label: string, least: number, most: number, first: number) {
  const toShare = (value: number) =>
    Math.min(1, Math.max(0, Math.log(value / least) / Math.log(most / least)));
  const toValue = (share: number) => Number((least * (most / least) ** share).toPrecision(2));
  const typed = element('input', { type: 'number', min: least, max: most, step: 'any', value: first });
  const slider = element('input', {
    type: 'range',
    min: 0,
    max: 1,
    step: 'any',
    value: toShare(first),
    'aria-label': `${label}, by powers of ten`,
  });
  const wrong = element('p', { class: 'small', role: 'alert' });
  const value = () => {
    const number = Number(typed.value);
    return typed.value !== '' && number >= least && number <= most ? number : undefined;
  };
  const say = () => {
    slider.setAttribute('aria-valuetext', count.format(Number(typed.value)));
    const isWrong = value() === undefined;
    typed.classList.toggle('wrong', isWrong);
    wrong.textContent = isWrong ? `Type a number from ${count.format(least)} to ${count.format(most)}.` : '';
  };
  listening(slider, {
    input: () => {
      typed.value = String(toValue(Number(slider.value)));
      say();
    },
  });
  listening(typed, {
    input: () => {
      slider.value = String(toShare(Number(typed.value)));
      say();
    },
  });
  say();
  return {
    value,
    element: element(
      'div',
      { class: 'step' },
      element('label', { class: 'row spread short' }, element('strong', {}, label), typed),
      slider,
      wrong,
    ),
  };
}
