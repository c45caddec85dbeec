import { forecastNoise, forecastWords, type PlannedData, qualityRange, referenceRuns } from '@hushrec/model';
import { element, listening } from '../build-element.js';
import { type ForecastPoint, forecastCurve } from '../pictures/forecast-curve.js';
import { epsilonRuler, standOutStrip } from '../pictures/measures.js';
import {
  type DatasetSummary,
  type MethodSummary,
  type PlanPreview,
  type Run,
  type RunRequest,
  ServerError,
  send,
} from '../server-interface.js';
import { cardHead } from './card-head.js';
import { fittedFigure } from './fitted-figure.js';
import { exceedsBudget, planPreview } from './plan-preview.js';
import { settingField } from './setting-field.js';
import { failure } from './states.js';
import { whatFor } from './what-for.js';

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
  const dataset = element(
    'select',
    { name: 'dataset' },
    datasets.map(({ id, name }) => element('option', { value: id }, name === id ? id : `${id} (${name})`)),
  );
  const method = element(
    'select',
    { name: 'method' },
    byPrivacy.map(({ id, title }) =>
      element('option', { value: id, selected: id === preferred.id }, `${id}: ${title}`),
    ),
  );
  const epsilon = element('input', {
    name: 'epsilon',
    type: 'number',
    min: 0.01,
    max: 100,
    step: 'any',
    value: 1,
    required: true,
  });
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
  const methodNote = element('span', { class: 'hint' });
  const dataNote = element('p', { class: 'small quiet' });
  const settings = element('div', { class: 'fields' });
  const preview = element('div', { 'aria-live': 'polite' });
  const start = element('button', { type: 'submit', class: 'primary' }, 'Train with this promise');
  const message = element('div');
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
  const unit = units(methods, preferred.id, suits, choose);
  const budgetFields = element('div', { class: 'step' });
  const strengthRuler = element('div');
  const ruler = element('input', {
    type: 'range',
    min: 0,
    max: 1,
    step: 'any',
    'aria-label': 'Privacy on the ruler from 0.1 to 20',
  });
  const wrong = element('p', { class: 'small', role: 'alert' });
  const toShare = (value: number) => Math.log(value / 0.1) / Math.log(200);
  /** ε and its place on the ruler follow each other; what cannot be is said beside it. */
  const showEpsilon = () => {
    const value = Number(epsilon.value);
    const isWrong = !(value > 0);
    epsilon.classList.toggle('wrong', isWrong);
    wrong.textContent = isWrong ? 'ε must be above 0. Smaller protects more; 1 is a good start.' : '';
    if (isWrong) return;
    ruler.value = String(Math.min(1, Math.max(0, toShare(value))));
    strengthRuler.replaceChildren(epsilonRuler(value));
  };
  listening(ruler, {
    input: () => {
      epsilon.value = String(Number((0.1 * 200 ** Number(ruler.value)).toPrecision(2)));
      showEpsilon();
    },
  });
  listening(epsilon, { input: showEpsilon });
  const forecastPlace = element('section', {
    class: 'card',
    'aria-label': 'What to expect',
    'aria-live': 'polite',
  });
  let isNameOwn = false;
  let asked = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const chosenDataset = () => datasets.find(({ id }) => id === dataset.value)!;
  const chosenMethod = () => methods.find(({ id }) => id === method.value)!;
  const isPrivate = () => chosenMethod().protects.length > 0;
  const request = (): RunRequest => ({
    dataset: dataset.value,
    method: method.value,
    ...(isPrivate() && { epsilon: Number(epsilon.value), delta: Number(delta.value) }),
    ...(goal.liked() !== undefined && { liked: goal.liked()! }),
    settings: Object.fromEntries(
      [...settings.querySelectorAll<HTMLInputElement | HTMLSelectElement>('[name]')]
        .filter((field) => field.dataset['changed'] === 'yes')
        .map((field) => [
          field.name,
          field instanceof HTMLInputElement && field.type === 'checkbox' ? field.checked : field.value,
        ]),
    ),
    model: name.value,
    evaluate: evaluate.checked,
  });
  const refresh = async () => {
    const mine = ++asked;
    showForecast();
    if (!isNameOwn)
      name.value = [
        method.value,
        ...(goal.liked() === undefined ? [] : ['likes']),
        ...(isPrivate() ? [`eps-${epsilon.value}`] : []),
      ].join('-');
    try {
      const { model: _model, evaluate: _evaluate, ...planned } = request();
      const plan = await send<PlanPreview>('/api/plans', planned);
      if (mine !== asked || signal.aborted) return;
      preview.replaceChildren(
        ...planPreview(plan, (fitting) => {
          epsilon.value = String(fitting);
          showEpsilon();
          void refresh();
        }),
      );
      start.disabled = exceedsBudget(plan);
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
    methodNote.textContent = `${chosen.title} (${chosen.paper}).`;
    unit.show(chosen);
    budgetFields.hidden = !isPrivate();
    settings.replaceChildren(
      ...Object.entries(chosen.settings).map(([key, setting]) => settingField(key, setting)),
    );
    later();
  };
  listening(name, { input: () => (isNameOwn = name.value !== '') });
  listening(method, { change: changeMethod });
  const changeDataset = () => {
    goal.show(chosenDataset());
    if (suits(chosenMethod())) changeMethod();
    else choose(preferred.id);
  };
  listening(dataset, { change: changeDataset });
  budgetFields.append(
    element('label', { class: 'row spread short' }, element('strong', {}, '4. Privacy, ε'), epsilon),
    element('div', { class: 'sliding' }, strengthRuler, ruler),
    wrong,
  );
  const form = element(
    'form',
    { class: 'grid form', novalidate: true },
    element(
      'div',
      { class: 'card' },
      element('div', { class: 'step' }, element('label', { class: 'field' }, '1. Data', dataset), dataNote),
      element('div', { class: 'step' }, element('h2', { class: 'sub' }, '2. What for'), goal.element),
      element('div', { class: 'step' }, element('h2', { class: 'sub' }, '3. Who is protected'), unit.element),
      budgetFields,
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
      forecastPlace,
      element(
        'section',
        { class: 'card raised', 'aria-label': 'What is promised' },
        preview,
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
  const showForecast = () => {
    const chosen = chosenDataset();
    dataNote.textContent = `About ${count.format(chosen.users)} people, ${count.format(chosen.items)} titles, ${count.format(Math.round(chosen.ratings / chosen.users))} ratings each.`;
    forecastPlace.hidden = !(
      isPrivate() &&
      chosenMethod().id === 'hush' &&
      Number(epsilon.value) > 0 &&
      Number(delta.value) > 0
    );
    if (forecastPlace.hidden) return;
    const data = {
      people: chosen.users,
      items: chosen.items,
      ratingsPerPerson: Math.min(chosen.items, chosen.ratings / chosen.users),
      feedback: goal.feedback() === 'implicit' ? 'likes' : 'ratings',
    } as const;
    const forecast = forecastNoise(data, Number(epsilon.value), Number(delta.value));
    forecastPlace.replaceChildren(
      cardHead('What to expect', element('span', { class: 'chip' }, 'forecast, no ratings read')),
      element(
        'p',
        { class: 'small quiet' },
        `Quality against ε, for about ${count.format(chosen.users)} people with ${count.format(Math.round(data.ratingsPerPerson))} ratings each.`,
      ),
      fittedFigure(210, (width) =>
        forecastCurve(
          curveEpsilons.map((each) => rangeAt(data, each, Number(delta.value))),
          rangeAt(data, Number(epsilon.value), Number(delta.value)),
          data.feedback === 'likes' ? 'bestseller list' : 'one average for all',
          width,
        ),
      ),
      standOutStrip(forecast.shareAboveNoise),
      ...forecastWords(data, forecast, qualityRange(data, forecast, referenceRuns)).map((line) =>
        element('p', { class: 'small' }, line),
      ),
      goal.liked() === undefined
        ? ''
        : element(
            'p',
            { class: 'small quiet' },
            'How many ratings are likes is not known before they are read: this counts them all, so expect less.',
          ),
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
        onStarted(run);
      } catch (error) {
        message.replaceChildren(failure(error instanceof ServerError ? error : new Error(String(error))));
      }
      start.disabled = false;
    },
  });
  showEpsilon();
  changeDataset();
  return form;
}

const curveEpsilons = Array.from({ length: 24 }, (_, at) => 0.1 * 200 ** (at / 23));

function rangeAt(data: PlannedData, epsilon: number, delta: number): ForecastPoint {
  const { low, high } = qualityRange(data, forecastNoise(data, epsilon, delta), referenceRuns);
  return { epsilon, low, high };
}

const kindOf = ({ protects }: MethodSummary) =>
  protects.length === 0 ? 'none' : protects.some(({ unit }) => unit === 'user') ? 'user' : 'rating';

/** Whole people, single ratings, or nobody: each stands for the method that does it best for the goal. */
function units(
  methods: readonly MethodSummary[],
  preferred: string,
  suits: (method: MethodSummary) => boolean,
  choose: (method: string) => void,
) {
  const kinds = [
    ['user', 'The whole person', 'Everything someone ever rated'],
    ['rating', 'One rating', 'Weaker: habits stay visible'],
    ['none', 'Nobody', 'For comparison only, not to be published'],
  ] as const;
  const inputs = kinds.map(([kind]) => element('input', { type: 'radio', name: 'unit', value: kind }));
  const picks = kinds.flatMap(([kind, name, note], at) => {
    const able = methods.filter((each) => kindOf(each) === kind);
    if (able.length === 0) return [];
    const best = () => able.find(({ id }) => id === preferred) ?? able.find(suits) ?? able[0];
    listening(inputs[at], { change: () => choose(best().id) });
    return [
      element(
        'label',
        { class: 'pick' },
        inputs[at],
        element('strong', {}, name),
        element('span', { class: 'small quiet' }, note),
      ),
    ];
  });
  return {
    element: element('div', { role: 'radiogroup', 'aria-label': 'Who is protected' }, picks),
    show: (method: MethodSummary) => {
      for (const input of inputs) input.checked = input.value === kindOf(method);
    },
  };
}

const count = new Intl.NumberFormat('en');
