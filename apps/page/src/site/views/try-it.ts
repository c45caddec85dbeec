import { element, listening } from '../build-element.js';
import { catalogueOf } from '../catalogue.js';
import { guaranteeChip, guaranteeWords } from '../guarantee-words.js';
import { icon } from '../icons.js';
import { changesOf, changeWords, noChanges } from '../list-changes.js';
import { firstChoice, groupModels, type ModelGroup } from '../model-groups.js';
import { type LoadedModel, loadModel } from '../model-library.js';
import { listModels } from '../model-list.js';
import { type NetworkWitness, pageFonts } from '../network-witness.js';
import { OwnHistory } from '../own-history.js';
import { loadingModels } from '../parts/loading-models.js';
import { Moves } from '../parts/moving-rows.js';
import { phoneStrip } from '../parts/phone-strip.js';
import { ratingLists } from '../parts/rating-lists.js';
import { column, type ShownAnswer, tooNoisyParts } from '../parts/recommendation-list.js';
import { requestCounter } from '../parts/request-counter.js';
import { empty, failure, loading } from '../parts/states.js';
import type { ModelSummary } from '../server-interface.js';
import { drawAccount } from '../shell.js';
import { titleParts } from '../title-parts.js';

const mostColumns = 3;
const topK = 10;
const count = new Intl.NumberFormat('en');

/** Rate a few items; recommendations of up to three models appear side by side, computed in this tab. */
export async function tryItView(
  place: HTMLElement,
  witness: NetworkWitness,
  signal: AbortSignal,
): Promise<void> {
  const beside = element('div', { class: 'phone-only' });
  place.append(
    element(
      'div',
      { class: 'head' },
      element(
        'h1',
        {},
        element('span', { class: 'hide-phone' }, 'Your list, worked out on this device'),
        element('span', { class: 'phone-only' }, 'Try it'),
      ),
      beside,
    ),
  );
  const body = element('div');
  place.append(body);
  const show = async () => {
    body.replaceChildren(loading('Loading models'));
    try {
      const groups = groupModels(await listModels());
      if (groups.length === 0) {
        body.replaceChildren(noModels());
        return;
      }
      const group = element('div', { class: 'group-place' });
      body.replaceChildren(...groupChoice(groups, { group, beside }, witness, signal), group);
      await showGroup({ group, beside }, groups[0], witness, signal);
    } catch (error) {
      if (!signal.aborted) body.replaceChildren(failure(error, show));
    }
  };
  await show();
}

function noModels(): HTMLElement {
  const train = element('a', { href: '#/train' }, 'Train');
  return empty(
    'No models yet',
    'Train one on the ',
    train,
    ' page, or with ',
    element('code', {}, 'hushrec train'),
    '.',
  );
}

/** A choice of catalogues, when the models were trained on several data sets or kinds of feedback. */
function groupChoice(
  groups: readonly ModelGroup[],
  places: GroupPlaces,
  witness: NetworkWitness,
  signal: AbortSignal,
): HTMLElement[] {
  if (groups.length < 2) return [];
  const words = ({ models: [first], models }: ModelGroup) =>
    `${first.items} items, ${first.feedback === 'explicit' ? 'ratings' : 'likes'} (${models.map(({ id }) => id).join(', ')})`;
  const choice = element(
    'select',
    {},
    groups.map((group) => element('option', { value: group.key }, words(group))),
  );
  listening(choice, {
    change: async () => {
      const chosen = groups.find(({ key }) => key === choice.value)!;
      await showGroup(places, chosen, witness, signal).catch((error) =>
        places.group.replaceChildren(failure(error)),
      );
    },
  });
  return [element('label', { class: 'field' }, 'Catalogue', choice)];
}

/** Where a catalogue is shown, and what stands beside the title on a phone. */
interface GroupPlaces {
  readonly group: HTMLElement;
  readonly beside: HTMLElement;
}

async function showGroup(
  { group: place, beside }: GroupPlaces,
  { key, models }: ModelGroup,
  witness: NetworkWitness,
  signal: AbortSignal,
): Promise<void> {
  const chosen = firstChoice(models);
  const wanted = models.filter(({ id }) => chosen.has(id));
  const coming = loadingModels(wanted);
  place.replaceChildren(coming.element);
  /** Whether the page was left, or another catalogue chosen, while this one was on its way. */
  const isOvertaken = () => signal.aborted || coming.element.parentElement !== place;
  const [first] = await Promise.all([
    Promise.all(wanted.map((model) => loadModel(model, coming.came))),
    pageFonts(),
    drawAccount(),
  ]);
  if (isOvertaken()) return;
  const open = new Map(first.map((model) => [model.summary.id, model]));
  const catalogue = await catalogueOf(first[0]);
  if (isOvertaken()) return;
  const { titles, titleOf } = catalogue;
  const sent = requestCounter(witness);
  const isPhone = matchMedia('(max-width: 760px)').matches;
  const history = new OwnHistory(`hushrec.history.${key}`);
  const lists = ratingLists(bestCounted(first), catalogue, history, isPhone ? sent : undefined);
  const columns = element('div', { class: 'columns' });
  const effect = element('p', { class: 'notice row', role: 'status' });
  const noisy = element('div', { class: 'phone-only' });
  const strip = phoneStrip(history, catalogue);
  const before = new Map<string, readonly string[]>();
  let onPhone = (
    first.find(({ summary }) => summary.usefulness?.verdict !== 'too-noisy' && summary.epsilon !== null) ??
    first[0]
  ).summary.id;
  const pick = element('select', { 'aria-label': 'Model' });

  const draw = (rated?: string) => {
    const shown = [...chosen].flatMap((id) => open.get(id) ?? []);
    const answers = answersOf(shown, history, before);
    const moves = new Moves(columns);
    columns.replaceChildren(
      ...answers.map((answer) =>
        answer instanceof HTMLElement ? answer : column(answer, history, catalogue),
      ),
    );
    moves.play();
    const given = answers.filter((answer): answer is ShownAnswer => !(answer instanceof HTMLElement));
    drawEffect(
      effect,
      given,
      rated === undefined ? undefined : titleParts(titleOf(rated)).name,
      rated === undefined ? undefined : history.ratingOf(rated),
    );
    pick.replaceChildren(
      ...given.map(({ model: { summary } }) =>
        element(
          'option',
          { value: summary.id, selected: summary.id === onPhone },
          `${summary.id}, ${guaranteeWords(summary)}`,
        ),
      ),
    );
    const inHand = given.find(({ model }) => model.summary.id === onPhone) ?? given[0];
    if (inHand !== undefined) {
      strip.draw(inHand, rated === undefined ? undefined : titleParts(titleOf(rated)).name);
      const better = given.find(
        ({ model }) => model.published.certificate.usefulness?.verdict === 'worth-it',
      )?.model;
      const parts = tooNoisyParts(inHand, 'h2', better, (model) => {
        onPhone = model.summary.id;
        draw();
      });
      noisy.replaceChildren(...(parts.length === 0 ? [] : [element('section', { class: 'card' }, parts)]));
    }
    for (const { model, answer } of given)
      before.set(
        model.summary.id,
        answer.items.map(({ id }) => id),
      );
  };
  listening(pick, {
    change: () => {
      onPhone = pick.value;
      draw();
    },
  });
  const choose = async (model: ModelSummary, isOn: boolean) => {
    if (!isOn) chosen.delete(model.id);
    else {
      chosen.add(model.id);
      if (!open.has(model.id)) {
        const more = loadingModels([model]);
        columns.append(more.element);
        try {
          open.set(model.id, await loadModel(model, more.came));
        } catch (error) {
          chosen.delete(model.id);
          columns.replaceChildren(failure(error, () => draw()));
          return;
        }
        witness.startCounting();
      }
    }
    draw();
  };
  let rated = new Map(history.entries().map(({ id, rating }) => [id, rating]));
  history.onChange(() => {
    const now = new Map(history.entries().map(({ id, rating }) => [id, rating]));
    const just = [...now].find(([id, rating]) => rated.get(id) !== rating)?.[0];
    rated = now;
    lists.redraw();
    draw(just);
  }, signal);
  witness.startCounting();
  draw();
  beside.replaceChildren(pick);
  place.replaceChildren(
    element(
      'p',
      { class: 'lead hide-phone' },
      `Rate what you know. ${chosen.size === 1 ? 'A public model ranks' : `${chosen.size} public models rank`} ${count.format(titles.size)} titles for you, side by side.`,
    ),
    ...(isPhone ? [] : [sent]),
    element('p', { class: 'lead phone-only' }, 'Rate what you know. The list below follows at once.'),
    noisy,
    element(
      'div',
      { class: 'try' },
      lists.element,
      element(
        'div',
        { class: 'results-side' },
        effect,
        columns,
        element(
          'details',
          {},
          element('summary', {}, `Models to compare (up to ${mostColumns})`),
          modelChoice(models, chosen, choose),
        ),
      ),
    ),
    ...strip.elements,
  );
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
  const openIds = answers.flatMap((each) =>
    'answer' in each && each.model.summary.epsilon === null ? [each.answer.items] : [],
  )[0];
  const withoutPrivacy = openIds === undefined ? undefined : new Set(openIds.map(({ id }) => id));
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
      withoutPrivacy,
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
    ? ' changes nothing but that it leaves the list, where it stood there: this model knows nobody’s taste.'
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
