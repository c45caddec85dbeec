import { element } from '../build-element.js';
import { icon } from '../icons.js';
import type { DatasetSummary, MethodSummary } from '../server-interface.js';
import { epsilonField } from './epsilon-field.js';
import { forecastCard } from './forecast-card.js';

/** What is filled in, and the places that answer it. */
export function fieldsOf(
  datasets: readonly DatasetSummary[],
  methods: readonly MethodSummary[],
  preferred: string,
) {
  const dataset = element(
    'select',
    { name: 'dataset' },
    datasets.map(({ id, name }) => element('option', { value: id }, name === id ? id : `${id} (${name})`)),
  );
  const method = element(
    'select',
    { name: 'method' },
    methods.map(({ id, title }) =>
      element('option', { value: id, selected: id === preferred }, `${id}: ${title}`),
    ),
  );
  const epsilon = epsilonField('4. Privacy, ε');
  const { delta, name } = typedFields();
  const evaluate = element('input', { type: 'checkbox', name: 'evaluate', checked: true, role: 'switch' });
  const thenTry = element('input', { type: 'checkbox', name: 'then-try', role: 'switch' });
  const { rule, least, publishing } = publishingRule();
  const { told, unprotected } = outsideOfBudget();
  const methodNote = element('span', { class: 'hint' });
  const dataNote = element('p', { class: 'small quiet' });
  const settings = element('div', { class: 'fields' });
  const preview = element('div', { 'aria-live': 'polite' });
  const start = element(
    'button',
    { type: 'button', class: 'primary', disabled: true },
    'Train with this promise',
  );
  const refund = element('span', { class: 'small quiet' }, 'Stopping later does not refund ε.');
  const took = element('p', { class: 'small quiet' });
  const message = element('div');
  return {
    dataset,
    method,
    epsilon,
    delta,
    name,
    evaluate,
    thenTry,
    rule,
    least,
    publishing,
    told,
    unprotected,
    methodNote,
    dataNote,
    settings,
    preview,
    start,
    refund,
    took,
    message,
    forecast: forecastCard(),
  };
}

export type TrainFields = ReturnType<typeof fieldsOf>;

/** δ, and what the model is called. */
function typedFields() {
  const delta = element('input', {
    name: 'delta',
    type: 'text',
    inputmode: 'decimal',
    value: '1e-6',
    required: true,
  });
  const name = element('input', {
    name: 'model',
    type: 'text',
    required: true,
    pattern: '[A-Za-z0-9][A-Za-z0-9._\\-]{0,99}',
    autocomplete: 'off',
  });
  return { delta, name };
}

/** The rule that holds a model back unless enough titles stand out. */
function publishingRule() {
  const rule = element('input', { type: 'checkbox', name: 'publish-rule', role: 'switch' });
  const least = element('input', {
    name: 'publish-from',
    type: 'number',
    min: 0,
    step: 1,
    required: true,
    'aria-label': 'Titles that must stand out',
  });
  const publishing = element(
    'div',
    {},
    element(
      'label',
      { class: 'row spread' },
      element('strong', {}, 'Publish only if enough titles stand out'),
      rule,
    ),
    element('label', { class: 'row least' }, 'at least', least, 'titles'),
    element(
      'p',
      { class: 'hint' },
      'Decided from released numbers only, so it costs no privacy. Otherwise the model waits for you.',
    ),
  );
  return { rule, least, publishing };
}

/** What is said where a budget cannot hold the run, and how to make it all the same. */
function outsideOfBudget() {
  const told = element('input', { type: 'checkbox', name: 'record-unprotected' });
  const unprotected = element(
    'div',
    { class: 'notice warn', hidden: true },
    element(
      'p',
      { class: 'row' },
      icon('warn'),
      element(
        'span',
        {},
        element('strong', {}, 'Outside of the budget. '),
        'A limit is set for these people, and this run has no finite cost in it: nothing bounds what its model may tell about them.',
      ),
    ),
    element('label', { class: 'row' }, told, 'Make it anyway, and record it in the ledger'),
  );
  return { told, unprotected };
}

/** Five steps at the left; what to expect and what is promised at the right. */
export function laidOut(fields: TrainFields, goal: HTMLElement, unit: HTMLElement): HTMLFormElement {
  const { dataset, dataNote, epsilon, preview, start, refund, message, forecast, unprotected, name, took } =
    fields;
  return element(
    'form',
    { class: 'grid form', novalidate: true },
    element(
      'div',
      { class: 'card' },
      element('div', { class: 'step' }, element('label', { class: 'field' }, '1. Data', dataset), dataNote),
      element('div', { class: 'step' }, element('h2', { class: 'sub' }, '2. What for'), goal),
      element('div', { class: 'step' }, element('h2', { class: 'sub' }, '3. Who is protected'), unit),
      epsilon.element,
      ...afterwards(fields),
      allSettings(fields),
    ),
    element(
      'div',
      {},
      forecast.element,
      element(
        'section',
        { class: 'card raised', 'aria-label': 'What is promised' },
        preview,
        unprotected,
        element('label', { class: 'field' }, 'Name of the model', name),
        element('p', { class: 'row' }, start, refund),
        took,
        message,
      ),
    ),
  );
}

/** What happens once the model is there. */
function afterwards({ evaluate, thenTry, publishing }: TrainFields): HTMLElement[] {
  return [
    element(
      'div',
      { class: 'step' },
      element(
        'label',
        { class: 'row spread' },
        element('strong', {}, '5. Measure quality afterwards'),
        evaluate,
      ),
      element(
        'p',
        { class: 'hint' },
        'Trains once more on 80% of the data as a simulation. The numbers are about people: shown to operators, not published.',
      ),
    ),
    element(
      'div',
      { class: 'step' },
      element('h2', { class: 'sub' }, 'When it is done'),
      element(
        'label',
        { class: 'row spread' },
        element('strong', {}, 'Open Try it with the new model'),
        thenTry,
      ),
      publishing,
    ),
  ];
}

function allSettings({ method, methodNote, delta, settings }: TrainFields): HTMLElement {
  return element(
    'details',
    { class: 'step' },
    element('summary', {}, 'All settings'),
    element('label', { class: 'field' }, 'Method', method, methodNote),
    element(
      'label',
      { class: 'field' },
      'δ',
      delta,
      element('span', { class: 'hint' }, 'Keep it far below 1 / number of people.'),
    ),
    settings,
  );
}
