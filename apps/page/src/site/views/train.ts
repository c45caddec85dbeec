import { formatNumber } from '@hushrec/report';
import { element, listening } from '../build-element.js';
import { dataTable } from '../parts/data-table.js';
import { runList } from '../parts/run-list.js';
import { settingField } from '../parts/setting-field.js';
import { empty, failure, loading } from '../parts/states.js';
import {
  askJson,
  currentToken,
  type DatasetSummary,
  type MethodSummary,
  type Plan,
  type Run,
  type RunRequest,
  rememberToken,
  ServerError,
  send,
} from '../server-interface.js';

/** Start a run: the guarantee before, progress during, quality and what is left of the budget after. */
export async function trainView(place: HTMLElement, signal: AbortSignal): Promise<void> {
  place.append(
    element('h1', {}, 'Train'),
    element(
      'p',
      { class: 'lead' },
      'The guarantee is computed from settings alone, before any rating is read. What you see here is what the certificate will say.',
    ),
  );
  const body = element('div');
  place.append(body);
  const show = async () => {
    body.replaceChildren(loading('Loading'));
    try {
      const { role } = await askJson<{ role: string | null }>('/api/whoami');
      if (signal.aborted) return;
      if (role !== 'operator') {
        const { runs } = await askJson<{ runs: Run[] }>('/api/runs');
        body.replaceChildren(
          signIn(() => void show()),
          runSection(runs, false, signal),
        );
        return;
      }
      const [{ datasets }, { methods }, { runs }] = await Promise.all([
        askJson<{ datasets: DatasetSummary[] }>('/api/datasets'),
        askJson<{ methods: MethodSummary[] }>('/api/methods'),
        askJson<{ runs: Run[] }>('/api/runs'),
      ]);
      if (signal.aborted) return;
      const list = runSection(runs, true, signal);
      body.replaceChildren(
        datasets.length === 0
          ? empty(
              'No data sets here',
              'Start the server with ',
              element('code', {}, '--data'),
              ' and a folder made by ',
              element('code', {}, 'hushrec import'),
              ' or ',
              element('code', {}, 'hushrec generate'),
              '.',
            )
          : trainForm(datasets, methods, signal, (run) =>
              list.dispatchEvent(new CustomEvent('started', { detail: run })),
            ),
        list,
      );
    } catch (error) {
      if (!signal.aborted) body.replaceChildren(failure(error, show));
    }
  };
  await show();
}

function signIn(done: () => void): HTMLElement {
  const token = element('input', { type: 'password', autocomplete: 'off', required: true, name: 'token' });
  const message = element('div', { 'aria-live': 'polite' });
  const form = element(
    'form',
    { class: 'card' },
    element('h2', {}, 'Operators only'),
    element(
      'p',
      {},
      'Training spends privacy budget. Enter the operator token that the server printed when it started, or that stands in its token file.',
    ),
    element(
      'label',
      { class: 'field' },
      'Operator token',
      token,
      element('span', { class: 'hint' }, 'Kept for this tab only.'),
    ),
    element('button', { type: 'submit', class: 'primary' }, 'Sign in'),
    message,
  );
  return listening(form, {
    submit: async (event) => {
      event.preventDefault();
      const before = currentToken();
      rememberToken(token.value.trim());
      try {
        const { role } = await askJson<{ role: string | null }>('/api/whoami');
        if (role === 'operator') {
          done();
          return;
        }
        message.replaceChildren(failure(new Error('This token may read but not train.')));
      } catch (error) {
        message.replaceChildren(failure(error));
      }
      rememberToken(before);
    },
  });
}

function trainForm(
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
      const plan = await send<Plan>('/api/plans', planned);
      if (mine !== asked || signal.aborted) return;
      preview.replaceChildren(...planParts(plan));
      start.disabled = false;
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

function planParts(plan: Plan): HTMLElement[] {
  return [
    element(
      'p',
      {},
      element(
        'span',
        { class: `chip ${plan.epsilon === null ? 'bad' : 'good'}` },
        plan.epsilon === null
          ? 'no privacy'
          : `ε = ${formatNumber(plan.epsilon)}, δ = ${formatNumber(plan.delta)}`,
      ),
    ),
    ...plan.words.map((sentence) => element('p', {}, sentence)),
    ...budgetParts(plan),
    plan.releases.length === 0
      ? element('p', { class: 'small quiet' }, 'No noised releases.')
      : element(
          'details',
          {},
          element('summary', {}, 'The plan, release by release'),
          dataTable(
            {
              columns: [
                { label: 'release' },
                { label: 'mechanism' },
                { label: 'sensitivity' },
                { label: 'noise' },
                { label: 'times' },
              ],
              rows: plan.releases.map(({ name, mechanism, sensitivity, noise, count }) => [
                name,
                mechanism,
                sensitivity,
                noise,
                count,
              ]),
            },
            'Planned releases',
          ),
        ),
  ];
}

/** What is left of the data set's budget after this run; the server says so when a ledger keeps one. */
function budgetParts(plan: Plan): HTMLElement[] {
  const { budget } = plan;
  if (budget === null || budget === undefined) return [];
  if (budget.granted === null) {
    return [
      element(
        'p',
        { class: 'small quiet' },
        `No limit is set for this data set. All runs together would cost ε = ${show(budget.after)}.`,
      ),
    ];
  }
  const isOver = budget.after === null || budget.after > budget.granted;
  return [
    element(
      'p',
      { class: isOver ? 'notice bad' : 'notice good' },
      isOver
        ? `The budget does not allow this run: ε = ${show(budget.granted)} was granted, ε = ${show(budget.spent)} is spent, and together with this run it would be ε = ${show(budget.after)}.`
        : `Budget of this data set: ε = ${show(budget.spent)} of ${show(budget.granted)} is spent; ε = ${show(budget.after)} after this run.`,
    ),
  ];
}

function show(epsilon: number | null): string {
  return epsilon === null ? '∞' : formatNumber(epsilon);
}

function runSection(runs: readonly Run[], mayOperate: boolean, signal: AbortSignal): HTMLElement {
  const list = runList(runs, mayOperate, signal);
  const section = element(
    'section',
    { class: 'card', 'aria-labelledby': 'runs' },
    element('h2', { id: 'runs' }, 'Runs'),
    list.element,
  );
  section.addEventListener('started', (event) => list.add((event as CustomEvent<Run>).detail));
  return section;
}
