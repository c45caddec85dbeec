import { element, listening } from '../build-element.js';
import { icon } from '../icons.js';
import {
  type DatasetSummary,
  type MethodSummary,
  type PlanPreview,
  type Run,
  type RunRequest,
  ServerError,
  send,
} from '../server-interface.js';
import { epsilonField } from './epsilon-field.js';
import { forecastCard } from './forecast-card.js';
import { exceedsBudget, planPreview } from './plan-preview.js';
import { opensTryIt } from './run-list.js';
import { settingField } from './setting-field.js';
import { failure } from './states.js';
import { whatFor } from './what-for.js';
import { kindOf, whoIsProtected } from './who-is-protected.js';

/**
 * Chooses what to train; every change asks the server what would be promised, before anything can be started.
 */
export function trainForm(
  datasets: readonly DatasetSummary[],
  methods: readonly MethodSummary[],
  signal: AbortSignal,
  onStarted: (run: Run) => void,
): HTMLElement {
  const byPrivacy = [...methods].sort(
    (a, b) => Number(b.protects.length > 0) - Number(a.protects.length > 0),
  );
  const preferred =
    byPrivacy.find(({ id }) => id === 'hush') ?? byPrivacy.find(({ id }) => id === 'dpals') ?? byPrivacy[0];
  const fields = fieldsOf(datasets, byPrivacy, preferred.id);
  const { dataset, method, epsilon, delta, name, settings, preview, start, message, forecast } = fields;
  const choose = (id: string) => {
    method.value = id;
    changeMethod();
  };
  const goal = whatFor(() => {
    const chosen = chosenMethod();
    if (suits(chosen)) changeMethod();
    else choose((byPrivacy.find((each) => suits(each) && kindOf(each) === kindOf(chosen)) ?? preferred).id);
  });
  const suits = ({ feedback }: MethodSummary) => feedback.includes(goal.feedback());
  const unit = whoIsProtected(methods, preferred.id, suits, choose);
  let isNameOwn = false;
  let asked = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const chosenDataset = () => datasets.find(({ id }) => id === dataset.value)!;
  const chosenMethod = () => methods.find(({ id }) => id === method.value)!;
  const isPrivate = () => chosenMethod().protects.length > 0;
  const request = (): RunRequest => ({
    dataset: dataset.value,
    method: method.value,
    ...(isPrivate() && { epsilon: epsilon.value(), delta: Number(delta.value) }),
    ...(goal.liked() !== undefined && { liked: goal.liked()! }),
    settings: changedIn(settings),
    model: name.value,
    evaluate: fields.evaluate.checked,
    ...(!fields.unprotected.hidden && fields.told.checked && { recordUnprotected: true }),
    ...(isPrivate() && fields.rule.checked && { publishFrom: Number(fields.least.value) }),
  });
  const refresh = async () => {
    const mine = ++asked;
    showForecast();
    if (!isNameOwn)
      name.value = [
        method.value,
        ...(goal.liked() === undefined ? [] : ['likes']),
        ...(isPrivate() ? [`eps-${epsilon.text()}`] : []),
      ].join('-');
    if (isPrivate() && !(epsilon.value() > 0)) {
      // Said beside the field.
      preview.replaceChildren();
      start.disabled = true;
      return;
    }
    try {
      const plan = await send<PlanPreview>('/api/plans', plannedOf(request()));
      if (mine !== asked || signal.aborted) return;
      preview.replaceChildren(
        ...planPreview(plan, (fitting) => {
          epsilon.set(fitting);
          void refresh();
        }),
      );
      fields.unprotected.hidden = !plan.isUnprotected;
      if (!plan.isUnprotected) fields.told.checked = false;
      start.disabled = plan.isUnprotected ? !fields.told.checked : exceedsBudget(plan);
    } catch (error) {
      if (mine !== asked || signal.aborted) return;
      preview.replaceChildren(failure(error));
      start.disabled = true;
    }
  };
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void refresh(), 300);
  };
  const changeMethod = () => {
    const chosen = chosenMethod();
    for (const option of method.options)
      option.disabled = !suits(methods.find(({ id }) => id === option.value)!);
    fields.methodNote.textContent = `${chosen.title} (${chosen.paper}).`;
    unit.show(chosen);
    epsilon.element.hidden = !isPrivate();
    fields.publishing.hidden = !isPrivate();
    settings.replaceChildren(
      ...Object.entries(chosen.settings).map(([key, setting]) => settingField(key, setting)),
    );
    later();
  };
  listening(name, { input: () => (isNameOwn = name.value !== '') });
  listening(method, { change: changeMethod });
  const changeDataset = () => {
    goal.show(chosenDataset());
    fields.least.value = String(Math.ceil(chosenDataset().items / 10));
    if (suits(chosenMethod())) changeMethod();
    else choose(preferred.id);
  };
  listening(dataset, { change: changeDataset });
  const form = laidOut(fields, goal.element, unit.element);
  const showForecast = () => {
    const chosen = chosenDataset();
    fields.dataNote.textContent = `About ${count.format(chosen.people)} people, ${count.format(chosen.items)} titles, ${count.format(Math.round(chosen.ratings / chosen.people))} ratings each.`;
    if (chosenMethod().id !== 'hush') return forecast.hide();
    forecast.show(
      {
        people: chosen.people,
        items: chosen.items,
        ratingsPerPerson: Math.min(chosen.items, chosen.ratings / chosen.people),
        feedback: goal.feedback() === 'implicit' ? 'likes' : 'ratings',
      },
      epsilon.value(),
      Number(delta.value),
      goal.liked() === undefined
        ? undefined
        : 'How many ratings are likes is not known before they are read: this counts them all, so expect less.',
    );
  };
  listening(form, {
    input: later,
    submit: async (event) => {
      event.preventDefault();
      start.disabled = true;
      try {
        const run = await send<Run>('/api/runs', request());
        message.replaceChildren(element('p', { role: 'status' }, `Started ${run.request.model}.`));
        isNameOwn = false;
        if (fields.thenTry.checked) opensTryIt.add(run.id);
        onStarted(run);
      } catch (error) {
        message.replaceChildren(failure(error instanceof ServerError ? error : new Error(String(error))));
      }
      start.disabled = false;
    },
  });
  changeDataset();
  return form;
}

/** What a plan is made of: what is measured, published or written down besides is no part of it. */
function plannedOf(request: RunRequest): Omit<RunRequest, 'model'> {
  const { model: _, evaluate: _quality, recordUnprotected: _told, publishFrom: _rule, ...planned } = request;
  return planned;
}

/** What is filled in, and the places that answer it. */
function fieldsOf(datasets: readonly DatasetSummary[], methods: readonly MethodSummary[], preferred: string) {
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
  const evaluate = element('input', { type: 'checkbox', name: 'evaluate', checked: true, role: 'switch' });
  const thenTry = element('input', { type: 'checkbox', name: 'then-try', role: 'switch' });
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
    element('label', { class: 'row' }, told, 'Make it all the same, and write that down in the ledger'),
  );
  const methodNote = element('span', { class: 'hint' });
  const dataNote = element('p', { class: 'small quiet' });
  const settings = element('div', { class: 'fields' });
  const preview = element('div', { 'aria-live': 'polite' });
  const start = element('button', { type: 'submit', class: 'primary' }, 'Train with this promise');
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
    message,
    forecast: forecastCard(),
  };
}

/** Five steps at the left; what to expect and what is promised at the right. */
function laidOut(fields: ReturnType<typeof fieldsOf>, goal: HTMLElement, unit: HTMLElement): HTMLFormElement {
  const { dataset, method, epsilon, delta, name, evaluate, methodNote, dataNote, settings } = fields;
  const { preview, start, message, forecast, thenTry, publishing, unprotected } = fields;
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
          'Trains once more on 80 % of the data as a simulation. The numbers are about people: shown to operators, not published.',
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
      element(
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
        element('label', { class: 'field' }, 'Name of the model', name),
        settings,
      ),
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
        element(
          'p',
          { class: 'row' },
          start,
          element('span', { class: 'small quiet' }, 'Stopping later does not refund ε.'),
        ),
        message,
      ),
    ),
  );
}

/** Settings that somebody changed; the method's own rules give the others. */
function changedIn(settings: HTMLElement): RunRequest['settings'] {
  return Object.fromEntries(
    [...settings.querySelectorAll<HTMLInputElement | HTMLSelectElement>('[name]')]
      .filter((field) => field.dataset['changed'] === 'yes')
      .map((field) => [
        field.name,
        field instanceof HTMLInputElement && field.type === 'checkbox' ? field.checked : field.value,
      ]),
  );
}

const count = new Intl.NumberFormat('en');
