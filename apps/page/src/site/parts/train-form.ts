import { element, listening } from '../build-element.js';
import {
  type DatasetSummary,
  type MethodSummary,
  type PlanPreview,
  type PlanRequest,
  type Run,
  type RunRequest,
  ServerError,
  send,
} from '../server-interface.js';
import { exceedsBudget, planPreview } from './plan-preview.js';
import { opensTryIt } from './run-list.js';
import { settingField } from './setting-field.js';
import { failure } from './states.js';
import { fieldsOf, laidOut, type TrainFields } from './train-fields.js';
import { whatFor } from './what-for.js';
import { kindOf, whoIsProtected } from './who-is-protected.js';
import { wrongField } from './wrong-field.js';

/**
 * Chooses what to train; every change asks the server what would be promised, before anything can be started.
 */
export function trainForm(
  datasets: readonly DatasetSummary[],
  methods: readonly MethodSummary[],
  taken: Iterable<string>,
  signal: AbortSignal,
  onStarted: (run: Run) => void,
): HTMLElement {
  return new TrainForm(datasets, methods, taken, signal, onStarted).element;
}

class TrainForm {
  readonly element: HTMLFormElement;
  readonly #datasets: readonly DatasetSummary[];
  readonly #methods: readonly MethodSummary[];
  readonly #preferred: MethodSummary;
  /** Names of models that are there or being made. */
  readonly #taken: Set<string>;
  readonly #signal: AbortSignal;
  readonly #onStarted: (run: Run) => void;
  readonly #fields: TrainFields;
  readonly #goal: ReturnType<typeof whatFor>;
  readonly #unit: ReturnType<typeof whoIsProtected>;
  #isNameOwn = false;
  #asked = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    datasets: readonly DatasetSummary[],
    methods: readonly MethodSummary[],
    taken: Iterable<string>,
    signal: AbortSignal,
    onStarted: (run: Run) => void,
  ) {
    this.#datasets = datasets;
    this.#taken = new Set(taken);
    // Those that protect someone first.
    this.#methods = methods.toSorted((a, b) => Number(b.protects.length > 0) - Number(a.protects.length > 0));
    const named = (id: string) => this.#methods.find((method) => method.id === id);
    this.#preferred = named('hush') ?? named('dpals') ?? this.#methods[0];
    this.#signal = signal;
    this.#onStarted = onStarted;
    this.#fields = fieldsOf(datasets, this.#methods, this.#preferred.id);
    this.#goal = whatFor(() => this.#changeGoal());
    this.#unit = whoIsProtected(
      methods,
      this.#preferred.id,
      (method) => this.#suits(method),
      (id) => this.#choose(id),
    );
    this.element = laidOut(this.#fields, this.#goal.element, this.#unit.element);
    this.#listen();
    this.#changeDataset();
  }

  #listen(): void {
    const { name, method, dataset } = this.#fields;
    listening(name, { input: () => (this.#isNameOwn = name.value !== '') });
    listening(method, { change: () => this.#changeMethod() });
    listening(dataset, { change: () => this.#changeDataset() });
    listening(this.element, {
      input: () => this.#later(),
      submit: (event) => {
        event.preventDefault();
        void this.#start();
      },
    });
  }

  get #dataset(): DatasetSummary {
    return this.#datasets.find(({ id }) => id === this.#fields.dataset.value)!;
  }

  get #method(): MethodSummary {
    return this.#methods.find(({ id }) => id === this.#fields.method.value)!;
  }

  get #isPrivate(): boolean {
    return this.#method.protects.length > 0;
  }

  #suits({ feedback }: MethodSummary): boolean {
    return feedback.includes(this.#goal.feedback());
  }

  #choose(id: string): void {
    this.#fields.method.value = id;
    this.#changeMethod();
  }

  #changeGoal(): void {
    const chosen = this.#method;
    if (this.#suits(chosen)) this.#changeMethod();
    else {
      const alike = this.#methods.find((each) => this.#suits(each) && kindOf(each) === kindOf(chosen));
      this.#choose((alike ?? this.#preferred).id);
    }
  }

  #changeDataset(): void {
    this.#goal.show(this.#dataset);
    this.#fields.least.value = String(Math.ceil(this.#dataset.items / 10));
    if (this.#suits(this.#method)) this.#changeMethod();
    else this.#choose(this.#preferred.id);
  }

  #changeMethod(): void {
    const chosen = this.#method;
    const { method, methodNote, epsilon, publishing, settings, start, refund } = this.#fields;
    for (const option of method.options)
      option.disabled = !this.#suits(this.#methods.find(({ id }) => id === option.value)!);
    methodNote.textContent = `${chosen.title} (${chosen.paper}).`;
    this.#unit.show(chosen);
    epsilon.element.hidden = !this.#isPrivate;
    publishing.hidden = !this.#isPrivate;
    start.textContent = this.#isPrivate ? 'Train with this promise' : 'Train without a promise';
    refund.hidden = !this.#isPrivate;
    settings.replaceChildren(
      ...Object.entries(chosen.settings).map(([key, setting]) => settingField(key, setting)),
    );
    this.#later();
  }

  #request(): RunRequest {
    const { epsilon, delta, settings, name, evaluate, unprotected, told, rule, least } = this.#fields;
    const liked = this.#goal.liked();
    return {
      dataset: this.#dataset.id,
      method: this.#method.id,
      ...(this.#isPrivate && { epsilon: epsilon.value(), delta: Number(delta.value) }),
      ...(liked !== undefined && { liked }),
      settings: changedIn(settings),
      model: name.value,
      evaluate: evaluate.checked,
      ...(!unprotected.hidden && told.checked && { recordUnprotected: true }),
      ...(this.#isPrivate && rule.checked && { publishFrom: Number(least.value) }),
    };
  }

  /** Once nobody has typed for a moment. */
  #later(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#refresh(), 300);
  }

  /** Forecast, name, and what the server says would be promised. */
  async #refresh(): Promise<void> {
    if (this.#signal.aborted) return;
    const mine = ++this.#asked;
    const { epsilon, preview, start } = this.#fields;
    this.#showForecast();
    this.#suggestName();
    if (this.#isPrivate && !(epsilon.value() > 0)) {
      // Said beside the field.
      preview.replaceChildren();
      start.disabled = true;
      return;
    }
    const wrong = wrongField(this.element);
    if (wrong !== undefined) {
      preview.replaceChildren(failure(new Error(`This run is not possible. ${wrong}`)));
      start.disabled = true;
      return;
    }
    try {
      const plan = await send('/api/plans', plannedOf(this.#request()));
      if (mine === this.#asked && !this.#signal.aborted) this.#showPlan(plan);
    } catch (error) {
      if (mine !== this.#asked || this.#signal.aborted) return;
      preview.replaceChildren(failure(error));
      start.disabled = true;
    }
  }

  #showPlan(plan: PlanPreview): void {
    const { epsilon, preview, start, unprotected, told } = this.#fields;
    preview.replaceChildren(
      ...planPreview(plan, (fitting) => {
        epsilon.set(fitting);
        void this.#refresh();
      }),
    );
    unprotected.hidden = !plan.isUnprotected;
    if (!plan.isUnprotected) told.checked = false;
    start.disabled = plan.isUnprotected ? !told.checked : exceedsBudget(plan);
  }

  /** A name that is free, until somebody gives another. */
  #suggestName(): void {
    if (this.#isNameOwn) return;
    const { name, epsilon } = this.#fields;
    const plain = [
      this.#method.id,
      ...(this.#goal.liked() === undefined ? [] : ['likes']),
      ...(this.#isPrivate ? [`eps-${epsilon.text()}`] : []),
    ].join('-');
    let free = plain;
    for (let number = 2; this.#taken.has(free); number++) free = `${plain}-${number}`;
    name.value = free;
  }

  #showForecast(): void {
    const { people, items, ratings, counted } = this.#dataset;
    const feedback = this.#goal.feedback() === 'implicit' ? 'likes' : 'ratings';
    const before = counted.find((each) => each.feedback === feedback);
    const { dataNote, forecast, epsilon, delta } = this.#fields;
    dataNote.textContent = `About ${count.format(people)} people, ${count.format(items)} titles, ${count.format(Math.round(ratings / people))} ratings each.`;
    if (this.#method.id !== 'hush') {
      forecast.hide();
      return;
    }
    forecast.show(
      {
        people,
        items,
        ratingsPerPerson: Math.min(items, ratings / people),
        feedback,
        ...(before && { counts: before }),
      },
      epsilon.value(),
      Number(delta.value),
      before || this.#goal.liked() === undefined
        ? undefined
        : 'How many ratings are likes is not known before they are read: this counts them all, so expect less.',
    );
  }

  async #start(): Promise<void> {
    const { start, message, thenTry } = this.#fields;
    start.disabled = true;
    try {
      const run = await send('/api/runs', this.#request());
      message.replaceChildren(element('p', { role: 'status' }, `Started ${run.request.model}.`));
      this.#isNameOwn = false;
      this.#taken.add(run.request.model);
      this.#suggestName();
      if (thenTry.checked) opensTryIt.add(run.id);
      this.#onStarted(run);
    } catch (error) {
      message.replaceChildren(failure(error instanceof ServerError ? error : new Error(String(error))));
    }
    start.disabled = false;
  }
}

/** What a plan is made of: what is measured, published or written down besides is no part of it. */
function plannedOf(request: RunRequest): PlanRequest {
  const { model: _, evaluate: _quality, recordUnprotected: _told, publishFrom: _rule, ...planned } = request;
  return planned;
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
