import { batch, computed, effect, type Signal, signal } from '@preact/signals';
import type { Typed } from '../parts/fields.js';
import {
  type DatasetSummary,
  type MethodSummary,
  type PlanPreview,
  type PlanRequest,
  type Run,
  type RunRequest,
  send,
} from '../server-interface.js';
import { opensTryIt, type RunsState } from './runs-state.js';

/** How long nobody types before anything is asked or forecast, in milliseconds. */
const pause = 300;
const nothing: Typed = { text: '' };

/** What the server said of a plan, and what it was asked for with. */
interface Planned {
  readonly for: string;
  readonly answer?: PlanPreview;
  readonly problem?: unknown;
}

/** Everything *Train* shows follows from these: what is filled in, and the last plan that came. */
export class TrainState {
  readonly datasets: readonly DatasetSummary[];
  /** Those that protect someone first. */
  readonly methods: readonly MethodSummary[];
  readonly preferred: MethodSummary;
  readonly list: RunsState;
  readonly datasetId: Signal<Typed>;
  readonly goal = signal<'rank' | 'stars'>('rank');
  /** The method that is wished for; another of its kind is taken where it cannot do what is wanted. */
  readonly methodId: Signal<Typed>;
  readonly epsilon = signal<Typed>({ text: '1' });
  readonly delta = signal<Typed>({ text: '1e-6' });
  readonly evaluate = signal(true);
  readonly thenTry = signal(false);
  readonly publishes = signal(false);
  readonly ownLeast = signal(nothing);
  readonly ownName = signal(nothing);
  /** By method and name; those left empty follow the method's rules. */
  readonly #settings: ReadonlyMap<string, ReadonlyMap<string, Signal<Typed>>>;
  /** The method whose run may be outside of the budget. */
  readonly #told = signal('');
  readonly planned = signal<Planned | undefined>(undefined);
  /** What is forecast: what is filled in, once nobody has typed for a moment. */
  readonly calm = signal<PlanRequest | undefined>(undefined);
  /** What came of the button: the run that was started, or why there is none. */
  readonly started = signal<{ readonly run?: Run; readonly problem?: unknown }>({});
  /** Names of models that are there or being made. */
  readonly #taken: Signal<ReadonlySet<string>>;
  readonly #isStarting = signal(false);
  /** Raised where the same plan is asked for anew. */
  readonly #asked = signal(0);

  constructor(
    datasets: readonly DatasetSummary[],
    methods: readonly MethodSummary[],
    models: readonly string[],
    list: RunsState,
  ) {
    this.datasets = datasets;
    this.methods = methods.toSorted((a, b) => Number(b.protects.length > 0) - Number(a.protects.length > 0));
    const named = (id: string) => this.methods.find((method) => method.id === id);
    this.preferred = named('hush') ?? named('dpals') ?? this.methods[0];
    this.list = list;
    this.datasetId = signal({ text: datasets[0].id });
    this.methodId = signal({ text: this.preferred.id });
    this.#settings = new Map(
      methods.map(({ id, settings }) => [
        id,
        new Map(Object.keys(settings).map((name) => [name, signal(nothing)])),
      ]),
    );
    this.#taken = signal(new Set([...models, ...list.runs.peek().map(({ request }) => request.model)]));
  }

  readonly dataset = computed(() => this.datasets.find(({ id }) => id === this.datasetId.value.text)!);
  /** Data without ratings has no stars to predict. */
  readonly hasStars = computed(() => this.dataset.value.scale.min < this.dataset.value.scale.max);
  readonly isForStars = computed(() => this.hasStars.value && this.goal.value === 'stars');

  suits({ feedback }: MethodSummary): boolean {
    return feedback.includes(this.isForStars.value ? 'explicit' : 'implicit');
  }

  readonly method = computed(() => {
    const wished = this.methods.find(({ id }) => id === this.methodId.value.text)!;
    const alike = (each: MethodSummary) => this.suits(each) && kindOf(each) === kindOf(wished);
    return this.suits(wished) ? wished : (this.methods.find(alike) ?? this.preferred);
  });
  readonly isPrivate = computed(() => this.method.value.protects.length > 0);
  readonly least = computed(
    () => this.ownLeast.value.text || String(Math.ceil(this.dataset.value.items / 10)),
  );

  /** Of a kind the method that does it best for the goal; undefined where there is none. */
  bestOf(kind: ReturnType<typeof kindOf>): MethodSummary | undefined {
    const able = this.methods.filter((each) => kindOf(each) === kind);
    return able.find((each) => each === this.preferred) ?? able.find((each) => this.suits(each)) ?? able[0];
  }

  setting(name: string): Signal<Typed> {
    return this.#settings.get(this.method.value.id)!.get(name)!;
  }

  /** A name that is free, until somebody gives another. */
  readonly name = computed(() => {
    if (this.ownName.value.text !== '') return this.ownName.value.text;
    const plain = [
      this.method.value.id,
      ...(this.isForStars.value ? ['stars'] : []),
      ...(this.isPrivate.value ? [`eps-${this.epsilon.value.text}`] : []),
    ].join('-');
    let free = plain;
    for (let number = 2; this.#taken.value.has(free); number++) free = `${plain}-${number}`;
    return free;
  });

  /**
   * What is wrong with a field, in words: the server would say so as well, but is not asked what must fail.
   */
  readonly fault = computed((): string | undefined => {
    const { text: delta } = this.delta.value;
    const settings = [...this.#settings.get(this.method.value.id)!.values()].map(({ value }) => value.fault);
    const ofPrivacy = !this.isPrivate.value
      ? []
      : [
          this.epsilon.value.fault,
          Number(delta) > 0 && Number(delta) < 1
            ? undefined
            : `δ is ${delta === '' ? 'empty' : delta}; expected more than 0 and less than 1, such as 1e-6.`,
          this.publishes.value ? this.ownLeast.value.fault : undefined,
        ];
    return [...ofPrivacy, ...settings].find((fault) => fault !== undefined);
  });

  /** What is filled in, as far as a plan is made of it. */
  readonly asks = computed((): PlanRequest => {
    const { id, settings } = this.method.value;
    const set = [...this.#settings.get(id)!].filter(([, { value }]) => value.text !== '');
    return {
      dataset: this.dataset.value.id,
      method: id,
      ...(this.isPrivate.value && {
        epsilon: Number(this.epsilon.value.text),
        delta: Number(this.delta.value.text),
      }),
      ...(this.hasStars.value && { goal: this.isForStars.value ? 'stars' : 'rank' }),
      settings: Object.fromEntries(
        set.map(([name, { value }]) => [
          name,
          settings[name].type === 'boolean' ? value.text === 'true' : value.text,
        ]),
      ),
      model: this.name.value,
    };
  });
  readonly #key = computed(() => JSON.stringify(this.asks.value));

  /** What the server said of what is filled in now; undefined until it has. */
  readonly #own = computed(() =>
    this.planned.value?.for === this.#key.value && this.fault.value === undefined
      ? this.planned.value
      : undefined,
  );
  readonly ownPlan = computed(() => this.#own.value?.answer);
  readonly problem = computed(() => this.#own.value?.problem);

  readonly told = computed(() => this.#told.value === this.method.value.id);
  tell(isTold: boolean): void {
    this.#told.value = isTold ? this.method.peek().id : '';
  }

  /** The one place that decides whether a run may be started: only under its own plan, once that is shown. */
  readonly startable = computed((): PlanPreview | undefined => {
    const plan = this.ownPlan.value;
    if (plan === undefined || this.#isStarting.value) return undefined;
    return (plan.isUnprotected ? this.told.value : !exceedsBudget(plan)) ? plan : undefined;
  });

  /** Starts what the plan on screen promises, and nothing else. */
  async start(): Promise<void> {
    const plan = this.startable.peek();
    if (plan === undefined) return;
    const request: RunRequest = {
      ...this.asks.peek(),
      plan: plan.hash,
      evaluate: this.evaluate.peek(),
      ...(plan.isUnprotected && { recordUnprotected: true }),
      ...(this.isPrivate.peek() && this.publishes.peek() && { publishFrom: Number(this.least.peek()) }),
    };
    this.#isStarting.value = true;
    const answer = await send('/api/runs', request).then(
      (run) => ({ run }),
      (problem: unknown) => ({ problem }),
    );
    batch(() => {
      this.started.value = answer;
      // The next run has another name and another budget.
      this.#isStarting.value = false;
      this.#asked.value++;
      if ('problem' in answer) return;
      this.ownName.value = nothing;
      this.#taken.value = new Set([...this.#taken.value, request.model]);
      if (this.thenTry.value) opensTryIt.add(answer.run.id);
      this.list.add(answer.run);
    });
  }

  /** Asks for the plan of what is filled in, once nobody has typed for a moment. */
  follow(signal: AbortSignal): void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async (asks: PlanRequest, key: string) => {
      this.calm.value = asks;
      const said = await send('/api/plans', asks).then(
        (answer) => ({ answer }),
        (problem: unknown) => ({ problem }),
      );
      if (key === this.#key.peek() && !signal.aborted) this.planned.value = { for: key, ...said };
    };
    const stop = effect(() => {
      const [asks, key, fault] = [this.asks.value, this.#key.value, this.fault.value, this.#asked.value];
      clearTimeout(timer);
      if (fault === undefined) timer = setTimeout(() => void ask(asks, key), pause);
    });
    signal.addEventListener('abort', () => {
      stop();
      clearTimeout(timer);
    });
  }
}

/** Whom a method protects: whole people, single ratings, or nobody. */
export function kindOf({ protects }: MethodSummary): 'user' | 'rating' | 'none' {
  if (protects.length === 0) return 'none';
  return protects.some(({ unit }) => unit === 'user') ? 'user' : 'rating';
}

/** The ledger would refuse this run. */
export function exceedsBudget({ budget }: PlanPreview): boolean {
  if (budget === null || budget.granted === null) return false;
  return budget.after === null || budget.after > budget.granted;
}
