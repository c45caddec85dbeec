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
  runs: readonly Run[],
  signal: AbortSignal,
  onStarted: (run: Run) => void,
): HTMLElement {
  return new TrainForm(datasets, methods, taken, runs, signal, onStarted).element;
}

class TrainForm {
  readonly element: HTMLFormElement;
  readonly #datasets: readonly DatasetSummary[];
  readonly #methods: readonly MethodSummary[];
  readonly #preferred: MethodSummary;
  /** Names of models that are there or being made. */
  readonly #taken: Set<string>;
  /** Earlier runs, the newest first: what they took is what the next will take. */
  readonly #runs: readonly Run[];
  readonly #signal: AbortSignal;
  readonly #onStarted: (run: Run) => void;
  readonly #fields: TrainFields;
  readonly #goal: ReturnType<typeof whatFor>;
  readonly #unit: ReturnType<typeof whoIsProtected>;
  #isNameOwn = false;
  /** The last plan that came, and what it was asked for with. */
  #plan: { readonly for: string; readonly answer: PlanPreview } | undefined;
  #isStarting = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    datasets: readonly DatasetSummary[],
    methods: readonly MethodSummary[],
    taken: Iterable<string>,
    runs: readonly Run[],
    signal: AbortSignal,
    onStarted: (run: Run) => void,
  ) {
    this.#datasets = datasets;
    this.#taken = new Set(taken);
    this.#runs = runs;
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
    const { name, method, dataset, start } = this.#fields;
    listening(name, { input: () => (this.#isNameOwn = name.value !== '') });
    listening(method, { change: () => this.#changeMethod() });
    listening(dataset, { change: () => this.#changeDataset() });
    listening(this.element, {
      input: () => this.#later(),
      change: () => this.#update(),
      // Enter in a field starts nothing.
      submit: (event) => event.preventDefault(),
    });
    listening(start, { click: () => void this.#start() });
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
    const { method, methodNote, epsilon, publishing, settings, start, refund, took } = this.#fields;
    for (const option of method.options)
      option.disabled = !this.#suits(this.#methods.find(({ id }) => id === option.value)!);
    methodNote.textContent = `${chosen.title} (${chosen.paper}).`;
    this.#unit.show(chosen);
    epsilon.element.hidden = !this.#isPrivate;
    publishing.hidden = !this.#isPrivate;
    start.textContent = this.#isPrivate ? 'Train with this promise' : 'Train without a promise';
    refund.hidden = !this.#isPrivate;
    took.textContent = tookWords(
      this.#runs.filter(
        ({ request }) => request.dataset === this.#dataset.id && request.method === chosen.id,
      ),
    );
    settings.replaceChildren(
      ...Object.entries(chosen.settings).map(([key, setting]) => settingField(key, setting)),
    );
    this.#later();
  }

  #request(): Omit<RunRequest, 'plan'> {
    const { epsilon, delta, settings, name, evaluate, unprotected, told, rule, least } = this.#fields;
    return {
      dataset: this.#dataset.id,
      method: this.#method.id,
      ...(this.#isPrivate && { epsilon: epsilon.value(), delta: Number(delta.value) }),
      ...this.#goal.asked(),
      settings: changedIn(settings),
      model: name.value,
      evaluate: evaluate.checked,
      ...(!unprotected.hidden && told.checked && { recordUnprotected: true }),
      ...(this.#isPrivate && rule.checked && { publishFrom: Number(least.value) }),
    };
  }

  /** The plan of what is filled in now; undefined until it has come. */
  get #ownPlan(): PlanPreview | undefined {
    return this.#plan?.for === keyOf(this.#request()) ? this.#plan.answer : undefined;
  }

  /** The one place that decides whether a run may be started: only under its own plan, once that is shown. */
  get #startable(): PlanPreview | undefined {
    const plan = this.#ownPlan;
    if (plan === undefined || this.#isStarting) return undefined;
    return (plan.isUnprotected ? this.#fields.told.checked : !exceedsBudget(plan)) ? plan : undefined;
  }

  /** Button and promise follow what is filled in: a promise that is not its own is grey. */
  #update(): void {
    const { preview, start } = this.#fields;
    start.disabled = this.#startable === undefined;
    const isOther = this.#plan !== undefined && this.#ownPlan === undefined;
    preview.classList.toggle('of-before', isOther);
    preview.ariaBusy = String(isOther);
  }

  /** At once what follows from the fields alone; the plan once nobody has typed for a moment. */
  #later(): void {
    this.#suggestName();
    this.#update();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#refresh(), 300);
  }

  /** Forecast, and what the server says would be promised. */
  async #refresh(): Promise<void> {
    if (this.#signal.aborted) return;
    const { epsilon } = this.#fields;
    this.#showForecast();
    // A wrong ε is said beside the field.
    if (this.#isPrivate && !(epsilon.value() > 0)) return this.#show(undefined);
    const wrong = wrongField(this.element);
    if (wrong !== undefined)
      return this.#show(undefined, failure(new Error(`This run is not possible. ${wrong}`)));
    const request = this.#request();
    const isOwn = () => keyOf(request) === keyOf(this.#request()) && !this.#signal.aborted;
    try {
      const answer = await send('/api/plans', plannedOf(request));
      if (isOwn()) this.#showPlan({ for: keyOf(request), answer });
    } catch (error) {
      if (isOwn()) this.#show(undefined, failure(error));
    }
  }

  #show(plan: { readonly for: string; readonly answer: PlanPreview } | undefined, ...parts: Node[]): void {
    this.#plan = plan;
    this.#fields.preview.replaceChildren(...parts);
    this.#update();
  }

  #showPlan(plan: { readonly for: string; readonly answer: PlanPreview }): void {
    const { epsilon, unprotected, told } = this.#fields;
    unprotected.hidden = !plan.answer.isUnprotected;
    if (!plan.answer.isUnprotected) told.checked = false;
    this.#show(
      plan,
      ...planPreview(plan.answer, (fitting) => {
        epsilon.set(fitting);
        this.#later();
      }),
    );
  }

  /** A name that is free, until somebody gives another. */
  #suggestName(): void {
    if (this.#isNameOwn) return;
    const { name, epsilon } = this.#fields;
    const plain = [
      this.#method.id,
      ...(this.#goal.asked().goal === 'stars' ? ['stars'] : []),
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
    );
  }

  async #start(): Promise<void> {
    const { message, thenTry, took } = this.#fields;
    const plan = this.#startable;
    if (plan === undefined) return;
    this.#isStarting = true;
    this.#update();
    try {
      const run = await send('/api/runs', { ...this.#request(), plan: plan.hash });
      message.replaceChildren(element('p', { role: 'status' }, `Started ${run.request.model}.`));
      this.#isNameOwn = false;
      this.#taken.add(run.request.model);
      if (thenTry.checked) opensTryIt.add(run.id);
      // Its own time is in the list of runs now.
      took.textContent = '';
      this.#onStarted(run);
    } catch (error) {
      message.replaceChildren(failure(error instanceof ServerError ? error : new Error(String(error))));
    }
    this.#isStarting = false;
    // The next run has another name and another budget.
    this.#later();
  }
}

/** How long it will take, by the last run like it; nothing while one goes on, which says so itself. */
function tookWords(alike: readonly Run[]): string {
  if (alike.some(({ status }) => status === 'queued' || status === 'running')) return '';
  const last = alike.find(({ status }) => status === 'done');
  if (last === undefined || last.startedAt === null || last.endedAt === null)
    return 'The first run of its kind here: once it trains, it says how long it will take.';
  const seconds = Math.ceil((Date.parse(last.endedAt) - Date.parse(last.startedAt)) / 1000);
  return `The last run like it took ${seconds < 90 ? `${count.format(seconds)} s` : `${count.format(Math.round(seconds / 60))} minutes`}.`;
}

/** What a plan is made of: what is measured, published or written down besides is no part of it. */
function plannedOf(request: Omit<RunRequest, 'plan'>): PlanRequest {
  const { evaluate: _, recordUnprotected: _told, publishFrom: _rule, ...planned } = request;
  return planned;
}

/** Equal for requests with the same plan. */
function keyOf(request: Omit<RunRequest, 'plan'>): string {
  return JSON.stringify(plannedOf(request));
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
