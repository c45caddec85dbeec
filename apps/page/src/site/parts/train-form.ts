import { element, listening } from '../build-element.js';
import {
  type DatasetSummary,
  type MethodSummary,
  type PlanPreview,
  type Run,
  type RunRequest,
  ServerError,
  send,
} from '../server-interface.js';
import { exceedsBudget, planPreview } from './plan-preview.js';
import { settingField } from './setting-field.js';
import { failure } from './states.js';

/** Chooses what to train; every change asks the server what would be promised, before anything can be started. */
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
    byPrivacy.find(({ id }) => id === 'hush') ?? byPrivacy.find(({ id }) => id === 'dpals') ?? byPrivacy[0]!;
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
  const evaluate = element('input', { type: 'checkbox', name: 'evaluate', checked: true });
  const about = element('p', { class: 'small quiet' });
  const settings = element('div', { class: 'fields' });
  const preview = element('div', { 'aria-live': 'polite' });
  const start = element('button', { type: 'submit', class: 'primary' }, 'Start training');
  const message = element('div');
  const budgetFields = element(
    'div',
    { class: 'fields' },
    element(
      'label',
      { class: 'field' },
      'ε',
      epsilon,
      element('span', { class: 'hint' }, 'Smaller protects more. Usual: 0.1 to 10.'),
    ),
    element(
      'label',
      { class: 'field' },
      'δ',
      delta,
      element('span', { class: 'hint' }, 'Keep it far below 1 / number of people.'),
    ),
  );
  let isNameOwn = false;
  let asked = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const chosenMethod = () => methods.find(({ id }) => id === method.value)!;
  const isPrivate = () => chosenMethod().protects.length > 0;
  const request = (): RunRequest => ({
    dataset: dataset.value,
    method: method.value,
    ...(isPrivate() && { epsilon: Number(epsilon.value), delta: Number(delta.value) }),
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
    if (!isNameOwn) name.value = isPrivate() ? `${method.value}-eps-${epsilon.value}` : method.value;
    try {
      const { model: _model, evaluate: _evaluate, ...planned } = request();
      const plan = await send<PlanPreview>('/api/plans', planned);
      if (mine !== asked || signal.aborted) return;
      preview.replaceChildren(...planPreview(plan));
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
    about.textContent = chosen.paper;
    budgetFields.hidden = !isPrivate();
    settings.replaceChildren(
      ...Object.entries(chosen.settings).map(([key, setting]) => settingField(key, setting)),
    );
    later();
  };
  listening(name, { input: () => (isNameOwn = name.value !== '') });
  listening(method, { change: changeMethod });
  const form = element(
    'form',
    { class: 'split' },
    element(
      'div',
      { class: 'card' },
      element('h2', {}, 'What to train'),
      element('label', { class: 'field' }, 'Data set', dataset),
      element('label', { class: 'field' }, 'Method', method),
      about,
      budgetFields,
      element('label', { class: 'field' }, 'Name of the model', name),
      element(
        'label',
        { class: 'field' },
        evaluate,
        ' Measure quality afterwards',
        element(
          'span',
          { class: 'hint' },
          'Trains once more on 80 % of the data as a simulation. The numbers are about people: shown to operators, not published.',
        ),
      ),
      element('details', {}, element('summary', {}, 'Settings of the method'), settings),
    ),
    element(
      'div',
      { class: 'card' },
      element('h2', {}, 'What is promised'),
      preview,
      element('p', { class: 'row' }, start),
      message,
    ),
  );
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
  changeMethod();
  return form;
}
