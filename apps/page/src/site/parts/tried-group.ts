import { element, listening } from '../build-element.js';
import type { Catalogue } from '../catalogue.js';
import { guaranteeChip, guaranteeWords } from '../guarantee-words.js';
import { icon } from '../icons.js';
import { changesOf, changeWords, noChanges } from '../list-changes.js';
import type { ModelGroup } from '../model-groups.js';
import { type LoadedModel, loadModel } from '../model-library.js';
import type { NetworkWitness } from '../network-witness.js';
import { OwnHistory } from '../own-history.js';
import { shownFirst } from '../published-now.js';
import type { ModelSummary } from '../server-interface.js';
import { titleParts } from '../title-parts.js';
import { loadingModels } from './loading-models.js';
import { Moves } from './moving-rows.js';
import { phoneStrip } from './phone-strip.js';
import { ratingLists } from './rating-lists.js';
import { column, type ShownAnswer, tooNoisyParts } from './recommendation-list.js';
import { requestCounter } from './request-counter.js';
import { failure } from './states.js';

const mostColumns = 3;
const topK = 10;
const count = new Intl.NumberFormat('en');

/**
 * The models of one catalogue on show, with the history that they answer: every rating draws all of them
 * anew, in this tab.
 */
export class TriedGroup {
  /** Which model a phone shows. */
  readonly pick = element('select', { 'aria-label': 'Model' });
  readonly #models: readonly ModelSummary[];
  readonly #chosen: Set<string>;
  readonly #open: Map<string, LoadedModel>;
  readonly #catalogue: Catalogue;
  readonly #witness: NetworkWitness;
  readonly #history: OwnHistory;
  readonly #lists: ReturnType<typeof ratingLists>;
  readonly #strip: ReturnType<typeof phoneStrip>;
  readonly #sent: HTMLElement;
  readonly #isPhone = matchMedia('(max-width: 760px)').matches;
  readonly #columns = element('div', { class: 'columns' });
  readonly #effect = element('p', { class: 'notice row', role: 'status' });
  readonly #noisy = element('div', { class: 'phone-only' });
  /** What each model listed last. */
  readonly #before = new Map<string, readonly string[]>();
  #onPhone: string;

  constructor(
    { key, models }: ModelGroup,
    chosen: ReadonlySet<string>,
    first: readonly LoadedModel[],
    catalogue: Catalogue,
    witness: NetworkWitness,
    asked?: string,
  ) {
    this.#models = models;
    this.#chosen = new Set(chosen);
    this.#open = new Map(first.map((model) => [model.summary.id, model]));
    this.#catalogue = catalogue;
    this.#witness = witness;
    this.#history = new OwnHistory(`hushrec.history.${key}`);
    this.#sent = requestCounter(witness);
    this.#lists = ratingLists(
      bestCounted(first),
      catalogue,
      this.#history,
      this.#isPhone ? this.#sent : undefined,
    );
    this.#strip = phoneStrip(this.#history, catalogue);
    const summaries = first.map(({ summary }) => summary);
    const inHand = summaries.find(({ id }) => id === asked) ?? shownFirst(summaries) ?? summaries[0];
    this.#onPhone = inHand.id;
    listening(this.pick, { change: () => this.#showOnPhone(this.pick.value) });
  }

  /** Draws now and after every rating; from here on requests are counted. */
  follow(signal: AbortSignal): void {
    const ratings = () => new Map(this.#history.entries().map(({ id, rating }) => [id, rating]));
    let rated = ratings();
    this.#history.onChange(() => {
      const now = ratings();
      const just = [...now].find(([id, rating]) => rated.get(id) !== rating)?.[0];
      rated = now;
      this.#lists.redraw();
      this.#draw(just);
    }, signal);
    this.#witness.startCounting();
    this.#draw();
  }

  elements(): HTMLElement[] {
    const { size } = this.#chosen;
    // What protects nobody is for operators and public data: no public model.
    const isOpen = this.#models.some(({ id, epsilon }) => epsilon === null && this.#chosen.has(id));
    const models = `${isOpen ? '' : 'public '}model`;
    return [
      element(
        'p',
        { class: 'lead hide-phone' },
        `Rate what you know. ${size === 1 ? `A ${models} ranks` : `${size} ${models}s rank`} ${count.format(this.#catalogue.titles.size)} titles for you${size === 1 ? '' : ', side by side'}.`,
      ),
      ...(this.#isPhone ? [] : [this.#sent]),
      element('p', { class: 'lead phone-only' }, 'Rate what you know. The list below follows at once.'),
      this.#noisy,
      element(
        'div',
        { class: 'try' },
        this.#lists.element,
        element(
          'div',
          { class: 'results-side' },
          this.#effect,
          this.#columns,
          element(
            'details',
            {},
            element('summary', {}, `Models to compare (up to ${mostColumns})`),
            modelChoice(this.#models, this.#chosen, (model, isOn) => this.#choose(model, isOn)),
          ),
        ),
      ),
      ...this.#strip.elements,
    ];
  }

  #draw(rated?: string): void {
    const shown = [...this.#chosen].flatMap((id) => this.#open.get(id) ?? []);
    const answers = answersOf(shown, this.#history, this.#before);
    const moves = new Moves(this.#columns);
    this.#columns.replaceChildren(
      ...answers.map((answer) =>
        answer instanceof HTMLElement ? answer : column(answer, this.#history, this.#catalogue),
      ),
    );
    moves.play();
    const given = answers.filter((answer): answer is ShownAnswer => !(answer instanceof HTMLElement));
    const name = rated === undefined ? undefined : titleParts(this.#catalogue.titleOf(rated)).name;
    drawEffect(this.#effect, given, name, rated === undefined ? undefined : this.#history.ratingOf(rated));
    this.#drawPhone(given, name);
    for (const { model, answer } of given)
      this.#before.set(
        model.summary.id,
        answer.items.map(({ id }) => id),
      );
  }

  /** One model at a time: its strip, and what it means where noise rules. */
  #drawPhone(given: readonly ShownAnswer[], rated: string | undefined): void {
    this.pick.replaceChildren(
      ...given.map(({ model: { summary } }) =>
        element(
          'option',
          { value: summary.id, selected: summary.id === this.#onPhone },
          `${summary.id}, ${guaranteeWords(summary)}`,
        ),
      ),
    );
    const inHand = given.find(({ model }) => model.summary.id === this.#onPhone) ?? given[0];
    if (inHand === undefined) return;
    this.#strip.draw(inHand, rated);
    const better = given.find(
      ({ model }) => model.published.certificate.usefulness?.verdict === 'worth-it',
    )?.model;
    const parts = tooNoisyParts(inHand, 'h2', better, (model) => this.#showOnPhone(model.summary.id));
    this.#noisy.replaceChildren(
      ...(parts.length === 0 ? [] : [element('section', { class: 'card' }, parts)]),
    );
  }

  #showOnPhone(id: string): void {
    this.#onPhone = id;
    this.#draw();
  }

  /** Puts a model beside the others, which may have to be loaded first, or takes it away. */
  async #choose(model: ModelSummary, isOn: boolean): Promise<void> {
    if (!isOn) this.#chosen.delete(model.id);
    else {
      this.#chosen.add(model.id);
      if (!this.#open.has(model.id) && !(await this.#load(model))) return;
    }
    this.#draw();
  }

  async #load(model: ModelSummary): Promise<boolean> {
    const coming = loadingModels([model]);
    this.#columns.append(coming.element);
    try {
      this.#open.set(model.id, await loadModel(model, coming.came));
    } catch (error) {
      this.#chosen.delete(model.id);
      this.#columns.replaceChildren(failure(error, () => this.#draw()));
      return false;
    }
    this.#witness.startCounting();
    return true;
  }
}

/**
 * Every model's answer to the history, with what changed since the last one; a failure in its place where it
 * cannot answer.
 */
function answersOf(
  models: readonly LoadedModel[],
  history: OwnHistory,
  before: ReadonlyMap<string, readonly string[]>,
): (ShownAnswer | HTMLElement)[] {
  const entries = history.entries();
  const rated = new Set(entries.map(({ id }) => id));
  const answers = models.map((model) => {
    try {
      return { model, answer: model.recommender.recommend(entries, { k: topK, reasons: 2 }) };
    } catch (error) {
      return { model, error };
    }
  });
  const open = answers.find((each) => 'answer' in each && each.model.summary.epsilon === null);
  const idsOf = (given: readonly (typeof answers)[number][]) =>
    new Set(given.flatMap((each) => ('answer' in each ? each.answer.items.map(({ id }) => id) : [])));
  const ofOpen = open && idsOf([open]);
  const ofOthers = open && idsOf(answers.filter((each) => each !== open));
  return answers.map((each) => {
    if ('error' in each)
      return element(
        'section',
        { class: 'card' },
        element('h2', {}, each.model.summary.id),
        failure(each.error),
      );
    const { model, answer } = each;
    const last = before.get(model.summary.id);
    const now = answer.items.map(({ id }) => id);
    return {
      model,
      answer,
      shared: each === open ? ofOthers : ofOpen,
      changes: last === undefined ? noChanges : changesOf(last, now, rated),
    };
  });
}

/** "5 stars"; of likes, "liked". */
function ratingWords(rating: number, { feedback }: ModelSummary): string {
  if (feedback === 'implicit') return 'liked';
  return `${rating} ${rating === 1 ? 'star' : 'stars'}`;
}

/** One sentence on what the last rating did. */
function drawEffect(
  place: HTMLElement,
  given: readonly ShownAnswer[],
  rated: string | undefined,
  rating: number | undefined,
): void {
  const best =
    given.find(({ model, answer }) => model.summary.epsilon !== null && answer.basis === 'history') ??
    given[0];
  const sharing = given.some(({ model }) => model.summary.epsilon === null)
    ? ' ● shared with the list without privacy.'
    : '';
  if (rated === undefined || best === undefined) {
    place.replaceChildren(
      icon('spark'),
      element('span', {}, 'Rate something: every list changes at once.', sharing),
    );
    return;
  }
  const effect = best.answer.tooNoisy
    ? ' leaves the list if it was there, and changes nothing else: this model knows nobody’s taste.'
    : best.changes.fresh.size + best.changes.up.size === 0
      ? ` left your list (${guaranteeWords(best.model.summary)}) as it was.`
      : ` changed your list (${guaranteeWords(best.model.summary)}): ${changeWords(best.changes)}. Tinted rows have just changed.`;
  place.replaceChildren(
    icon('spark'),
    element(
      'span',
      {},
      element(
        'strong',
        {},
        rating === undefined ? rated : `${rated}, ${ratingWords(rating, best.model.summary)}`,
      ),
      effect,
      sharing,
    ),
  );
}

/** The catalogue whose counts say best what people know: exact ones first, then the least noisy. */
function bestCounted(models: readonly LoadedModel[]): LoadedModel {
  const counted = models.filter(
    ({ published: { model } }) => model.kind !== 'baseline' && model.popularity !== undefined,
  );
  return (
    counted.toSorted((a, b) => (b.summary.epsilon ?? Infinity) - (a.summary.epsilon ?? Infinity))[0] ??
    models[0]
  );
}

function modelChoice(
  models: readonly ModelSummary[],
  chosen: ReadonlySet<string>,
  choose: (model: ModelSummary, isOn: boolean) => void,
): HTMLElement {
  const boxes = models.map((model) => {
    const box = element('input', { type: 'checkbox', checked: chosen.has(model.id) });
    box.addEventListener('change', () => {
      if (box.checked && chosen.size >= mostColumns) box.checked = false;
      else choose(model, box.checked);
    });
    return element('label', {}, box, model.id, guaranteeChip(model));
  });
  return element(
    'fieldset',
    {},
    element('legend', {}, `Models to compare (up to ${mostColumns})`),
    element('div', { class: 'choices' }, boxes),
  );
}
