import type { RatingRange } from '@hushrec/model';
import type { HistoryEntry, Recommendations } from '@hushrec/recommend';
import { computed, effect, type Signal, signal } from '@preact/signals';
import type { Catalogue } from '../catalogue.js';
import { changesOf, type ListChanges, noChanges } from '../list-changes.js';
import type { ModelGroup } from '../model-groups.js';
import { type LoadedModel, loadModel } from '../model-library.js';
import { OwnHistory } from '../own-history.js';
import type { ModelSummary } from '../server-interface.js';
import { dialStops, referenceFor } from './dial-stops.js';
import { noiseDecides } from './row-noise.js';

/** Rows of a list. */
export const listLength = 10;
/** How far down the other list a title is looked for. */
const lookedThrough = 200;
/** Models on the dial are all fetched at once where they are no more than this together. */
const bytesAtOnce = 2_500_000;

/** One row: the title, and why it is there. */
export interface Row {
  readonly id: string;
  readonly link: string | undefined;
  /** The strongest reason; undefined where it would be in the list without any rating. */
  readonly because: string | undefined;
  /** Whether noise outweighs what the model knows of the title. */
  readonly isNoise: boolean;
}

/** The list of the model on the dial. */
export interface ShownList {
  readonly model: LoadedModel;
  readonly answer: Recommendations;
  readonly rows: readonly Row[];
}

/**
 * Everything *Try it* shows follows from these: the person's ratings, the model on the dial, and the models
 * that are in this tab.
 */
export class TryState {
  readonly group: ModelGroup;
  readonly catalogue: Catalogue;
  /** Stars; undefined where there are only likes. */
  readonly scale: RatingRange | undefined;
  /** What most people know, first. */
  readonly known: readonly string[];
  readonly entries: Signal<readonly HistoryEntry[]>;
  readonly shownId: Signal<string>;
  readonly query = signal('');
  readonly notSeen = signal<ReadonlySet<string>>(new Set());
  /** The title that was rated last. */
  readonly just = signal<string | undefined>(undefined);
  /** What *Forget all* took away, until something else is rated. */
  readonly forgotten = signal<readonly HistoryEntry[] | undefined>(undefined);
  readonly open: Signal<ReadonlyMap<string, LoadedModel>>;
  readonly loadingId = signal<string | undefined>(undefined);
  readonly problem = signal<unknown>(undefined);
  /** Whether everything that comes by itself is here, or cannot come. */
  readonly isWhole = signal(false);
  readonly #history: OwnHistory;
  readonly #before = signal<{ readonly model: string; readonly ids: readonly string[] } | undefined>(
    undefined,
  );
  readonly #cameAll: () => void;

  constructor(group: ModelGroup, first: LoadedModel, catalogue: Catalogue, cameAll: () => void) {
    this.group = group;
    this.catalogue = catalogue;
    this.#cameAll = cameAll;
    this.scale = scaleOf(first);
    this.known = mostKnown(first);
    this.#history = new OwnHistory(`hushrec.history.${group.key}`);
    this.entries = signal(this.#history.entries());
    this.shownId = signal(first.summary.id);
    this.open = signal(new Map([[first.summary.id, first]]));
  }

  readonly shown = computed(() => this.group.models.find(({ id }) => id === this.shownId.value)!);
  readonly stops = computed(() => dialStops(this.group.models, this.shownId.value));
  readonly reference = computed(() => referenceFor(this.group.models, this.shown.value));
  readonly ratings = computed(
    () => new Map(this.entries.value.map(({ id, rating }) => [id, rating ?? 1] as const)),
  );
  readonly rated = computed(() => this.entries.value.filter(({ id }) => this.catalogue.titles.has(id)));

  readonly list = computed((): ShownList | undefined => {
    const model = this.open.value.get(this.shownId.value);
    if (model === undefined) return undefined;
    const answer = this.#answerOf(model, listLength, 1);
    const isNoise = noiseOf(model);
    const forAll = new Set(this.#forAll(model));
    return {
      model,
      answer,
      rows: answer.items.map(({ id, link, because: [reason] }) => ({
        id,
        link,
        because: answer.basis === 'history' && !forAll.has(id) ? reason?.id : undefined,
        isNoise: isNoise(id),
      })),
    };
  });

  /** What the model lists for everybody, less what was rated. */
  #forAll({ recommender }: LoadedModel): string[] {
    const exclude = this.entries.value.map(({ id }) => id);
    return recommender.recommend([], { k: listLength, reasons: 0, exclude }).items.map(({ id }) => id);
  }

  /**
   * Rows that noise decides: noise outweighs what the model knows of the title, or the title is what
   * everybody gets and would not be in the list beside, so that noise has put it in the place of the person's
   * taste.
   */
  readonly noisy = computed((): ReadonlySet<string> => {
    const beside = this.beside.value?.slice(0, listLength);
    const rows = this.list.value?.rows ?? [];
    return new Set(
      rows
        .filter(
          ({ id, because, isNoise }) =>
            isNoise || (because === undefined && beside !== undefined && !beside.includes(id)),
        )
        .map(({ id }) => id),
    );
  });

  /** Ids of the list beside it, down to where nobody looks; undefined until its model is here. */
  readonly beside = computed((): readonly string[] | undefined => {
    const { value: reference } = this.reference;
    const model = reference && this.open.value.get(reference.id);
    if (model === undefined || this.entries.value.length === 0) return undefined;
    return this.#answerOf(model, lookedThrough, 0).items.map(({ id }) => id);
  });

  /** What the last rating did to the list. */
  readonly changes = computed((): ListChanges => {
    const { value: list } = this.list;
    const before = this.#before.value;
    if (list === undefined || before?.model !== list.model.summary.id) return noChanges;
    return changesOf(
      before.ids,
      list.rows.map(({ id }) => id),
      new Set(this.ratings.value.keys()),
    );
  });

  /** Rows that the person's ratings brought: not what everybody gets, and not noise. */
  readonly personal = computed(
    () =>
      this.list.value?.rows.filter(({ because, isNoise }) => because !== undefined && !isNoise).length ?? 0,
  );

  rate(id: string, rating: number | undefined): void {
    this.#remember();
    this.#history.rate(id, rating);
    this.forgotten.value = undefined;
    this.just.value = id;
    this.entries.value = this.#history.entries();
  }

  forgetAll(): void {
    this.#remember();
    this.forgotten.value = this.entries.value;
    this.#history.clear();
    this.just.value = undefined;
    this.entries.value = [];
  }

  takeBack(): void {
    for (const { id, rating } of this.forgotten.value ?? []) this.#history.rate(id, rating);
    this.forgotten.value = undefined;
    this.entries.value = this.#history.entries();
  }

  skip(id: string): void {
    this.notSeen.value = new Set([...this.notSeen.value, id]);
  }

  /** Turns the dial; a model that is not here yet is fetched. */
  async turnTo(id: string): Promise<void> {
    this.problem.value = undefined;
    if (this.open.value.has(id)) {
      this.shownId.value = id;
      return;
    }
    this.loadingId.value = id;
    try {
      await this.#fetch(this.group.models.filter((model) => model.id === id));
      if (this.loadingId.value === id) this.shownId.value = id;
    } catch (error) {
      this.problem.value = error;
    } finally {
      if (this.loadingId.value === id) this.loadingId.value = undefined;
    }
  }

  /**
   * Fetches what the list is compared with, and the other stops of the dial where they are small: after the
   * first list, which does not wait for them.
   */
  follow(signal: AbortSignal): void {
    const stop = effect(() => {
      const { value: reference } = this.reference;
      const stops = this.stops.value;
      const bytes = stops.reduce((sum, model) => sum + model.bytes, 0);
      const wanted = [...(reference ? [reference] : []), ...(bytes <= bytesAtOnce ? stops : [])];
      const open = this.open.peek();
      const missing = wanted.filter(({ id }) => !open.has(id));
      // Without them the list stands alone; the dial asks again, and says why where it cannot.
      void this.#fetch(missing)
        .catch(() => {})
        .finally(() => {
          this.isWhole.value = true;
        });
    });
    signal.addEventListener('abort', stop);
  }

  async #fetch(models: readonly ModelSummary[]): Promise<void> {
    if (models.length === 0) return;
    const loaded = await Promise.all(models.map((model) => loadModel(model)));
    this.open.value = new Map([
      ...this.open.value,
      ...loaded.map((model) => [model.summary.id, model] as const),
    ]);
    this.#cameAll();
  }

  #remember(): void {
    const { value: list } = this.list;
    this.#before.value = list && { model: list.model.summary.id, ids: list.rows.map(({ id }) => id) };
  }

  /** A model that learned from likes alone is told what was liked; low ratings are no likes. */
  #answerOf({ published, recommender }: LoadedModel, k: number, reasons: number): Recommendations {
    const { model } = published;
    const takesGrades =
      model.feedback === 'explicit' || (model.kind === 'factors' && model.foldIn.grades !== undefined);
    const liked = ({ rating }: HistoryEntry) => rating === undefined || rating >= this.middle;
    const entries = this.entries.value.filter((entry) => takesGrades || liked(entry));
    const seen = this.entries.value.map(({ id }) => id);
    return recommender.recommend(entries, { k, reasons, ...(takesGrades ? {} : { exclude: seen }) });
  }

  /** What is liked is at least this. */
  get middle(): number {
    return this.scale === undefined ? 0 : (this.scale.min + this.scale.max) / 2;
  }
}

const known = new WeakMap<LoadedModel, (id: string) => boolean>();

/** Whether noise decides over a title, worked out once for each model. */
function noiseOf(model: LoadedModel): (id: string) => boolean {
  const made = known.get(model);
  if (made !== undefined) return made;
  const decides = noiseDecides(model.published);
  const { itemIds } = model.published.manifest;
  const indexOf = new Map(itemIds.map((id, item) => [id, item]));
  const isNoise = (id: string) => decides(indexOf.get(id)!);
  known.set(model, isNoise);
  return isNoise;
}

/** Stars go by the model's scale, or by the grades it learned from; a model of choices alone has none. */
function scaleOf({ published: { model, manifest } }: LoadedModel): RatingRange | undefined {
  if (model.feedback === 'explicit') return manifest.scale ?? { min: 1, max: 5, step: 1 };
  const grades = model.kind === 'factors' ? model.foldIn.grades : undefined;
  return grades && { ...grades, step: 0 };
}

/** What most people know: by released counts where the model has them, else in catalogue order. */
function mostKnown({ published }: LoadedModel): string[] {
  const { itemIds } = published.manifest;
  const popularity = published.model.kind === 'baseline' ? undefined : published.model.popularity;
  if (popularity === undefined) return [...itemIds];
  return Array.from(itemIds.keys())
    .sort((a, b) => popularity[b] - popularity[a])
    .map((item) => itemIds[item]);
}
