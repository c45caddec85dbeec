import type { RatingRange } from '@hushrec/model';
import type { Reason, Recommendations } from '@hushrec/recommend';
import { button, element, listening } from '../build-element.js';
import { guaranteeChip } from '../guarantee-words.js';
import { type LoadedModel, listModels, loadModel } from '../model-library.js';
import type { NetworkWitness } from '../network-witness.js';
import type { OwnHistory } from '../own-history.js';
import { ratingControl } from '../parts/rating-control.js';
import { requestCounter } from '../parts/request-counter.js';
import { empty, failure, loading } from '../parts/states.js';
import { searchTitles } from '../search-titles.js';
import type { ModelSummary } from '../server-interface.js';

const shownItems = 8;
const topK = 10;
const mostColumns = 3;

/** Rate a few items; recommendations of up to three models appear side by side, computed in this tab. */
export async function tryItView(
  place: HTMLElement,
  { history, witness, signal }: { history: OwnHistory; witness: NetworkWitness; signal: AbortSignal },
): Promise<void> {
  place.append(
    element('h1', {}, 'Try it'),
    element(
      'p',
      { class: 'lead' },
      'Rate a few items. Each column ranks the catalogue for you with one model. The models are public; your ratings stay here.',
    ),
  );
  const body = element('div');
  place.append(body);
  const load = async () => {
    body.replaceChildren(loading('Loading models'));
    try {
      const models = sortedByPrivacy(await listModels());
      if (models.length === 0) {
        body.replaceChildren(
          empty(
            'No models yet',
            'Train one on the ',
            element('a', { href: '#/train' }, 'Train'),
            ' page, or with ',
            element('code', {}, 'hushrec train'),
            '.',
          ),
        );
        return;
      }
      const chosen = firstChoice(models);
      const first = await Promise.all(models.filter(({ id }) => chosen.has(id)).map(loadModel));
      if (signal.aborted) return;
      witness.startCounting();
      body.replaceChildren(tryOut(models, chosen, first, history, witness, signal));
    } catch (error) {
      body.replaceChildren(failure(error, load));
    }
  };
  await load();
}

function tryOut(
  models: readonly ModelSummary[],
  chosen: Set<string>,
  first: readonly LoadedModel[],
  history: OwnHistory,
  witness: NetworkWitness,
  signal: AbortSignal,
): HTMLElement {
  const open = new Map(first.map((model) => [model.summary.id, model]));
  const catalogue = first[0]!.published;
  const scale =
    catalogue.model.feedback === 'explicit'
      ? (catalogue.manifest.scale ?? { min: 1, max: 5, step: 1 })
      : undefined;
  const titleOf = new Map(
    catalogue.manifest.itemIds.map((id, index) => [id, catalogue.manifest.titles?.[index] || id]),
  );
  const suggestions = suggestedItems(first[0]!);

  const query = element('input', { type: 'search', placeholder: 'Search titles', autocomplete: 'off' });
  const results = element('ul', { class: 'items', 'aria-label': 'Items to rate' });
  const rated = element('ul', { class: 'items', 'aria-label': 'Your ratings' });
  const ratedCount = element('h2', { id: 'rated' });
  const columns = element('div', { class: 'columns' });
  const status = element('p', { class: 'visually-hidden', role: 'status' });

  const row = (id: string) =>
    element(
      'li',
      { 'data-item': id },
      element('div', { class: 'item-title' }, titleOf.get(id) ?? id),
      ratingControl(titleOf.get(id) ?? id, scale, history.ratingOf(id), (rating) => history.rate(id, rating)),
    );
  const drawResults = () => {
    const found =
      query.value.trim() === ''
        ? suggestions.filter((id) => history.ratingOf(id) === undefined)
        : searchTitles(titleOf, query.value, shownItems);
    results.replaceChildren(...found.slice(0, shownItems).map(row));
    if (results.children.length === 0)
      results.append(element('li', { class: 'quiet' }, `No title matches “${query.value}”.`));
  };
  const drawRated = () => {
    const known = history.entries().filter(({ id }) => titleOf.has(id));
    ratedCount.textContent = `Your ratings (${known.length})`;
    rated.replaceChildren(...known.toReversed().map(({ id }) => row(id)));
    if (known.length === 0)
      rated.append(element('li', { class: 'quiet' }, 'None yet. Rate something above.'));
  };
  const drawColumns = () => {
    const shown = [...chosen].flatMap((id) => open.get(id) ?? []);
    const answers = shown.map(({ recommender }) => recommender.recommend(history.entries(), { k: topK }));
    const inAll = answers.length < 2 ? new Set<string>() : commonItems(answers);
    columns.replaceChildren(
      ...shown.map((model, index) => column(model, answers[index]!, inAll, titleOf, history)),
    );
    const names = answers[0]?.items.slice(0, 3).map(({ title, id }) => title ?? id);
    status.textContent = names === undefined ? '' : `Recommendations updated: ${names.join(', ')} …`;
  };
  const choose = async (model: ModelSummary, isOn: boolean) => {
    if (!isOn) chosen.delete(model.id);
    else {
      chosen.add(model.id);
      if (!open.has(model.id)) {
        columns.append(loading(`Loading ${model.id}`));
        try {
          open.set(model.id, await loadModel(model));
        } catch (error) {
          chosen.delete(model.id);
          columns.replaceChildren(failure(error, drawColumns));
          return;
        }
        witness.startCounting();
      }
    }
    drawColumns();
  };
  listening(query, { input: drawResults });
  history.onChange(() => {
    const focused = focusedItem();
    drawResults();
    drawRated();
    drawColumns();
    restoreFocus(focused);
  }, signal);
  drawResults();
  drawRated();
  drawColumns();

  return element(
    'div',
    { class: 'split' },
    element(
      'div',
      {},
      element(
        'section',
        { class: 'card', 'aria-labelledby': 'rate' },
        element('h2', { id: 'rate' }, 'Rate items'),
        element(
          'label',
          { class: 'field' },
          'Find an item',
          query,
          element('span', { class: 'hint' }, 'The search happens in this tab too.'),
        ),
        results,
      ),
      element(
        'section',
        { class: 'card', 'aria-labelledby': 'rated' },
        element(
          'div',
          { class: 'row spread' },
          ratedCount,
          button('Forget all', () => history.clear(), { class: 'plain' }),
        ),
        rated,
      ),
      requestCounter(witness),
    ),
    element(
      'div',
      {},
      element('section', { class: 'card', 'aria-label': 'Models' }, modelChoice(models, chosen, choose)),
      status,
      columns,
    ),
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
      if (box.checked && chosen.size >= mostColumns) {
        box.checked = false;
        return;
      }
      choose(model, box.checked);
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

function column(
  { summary, published }: LoadedModel,
  answer: Recommendations,
  inAll: ReadonlySet<string>,
  titleOf: ReadonlyMap<string, string>,
  history: OwnHistory,
): HTMLElement {
  const basis = {
    history: 'Ranked for you from your ratings.',
    popularity: 'You have not rated anything yet: most popular first, from the published noisy counts.',
    'item-means': 'You have not rated anything yet: items ranked by their own mean.',
  }[answer.basis];
  const entries = answer.items.map(({ id, score, because }) =>
    element(
      'li',
      { class: inAll.has(id) ? 'shared' : '', 'data-item': id },
      element('span', { class: 'item-title' }, titleOf.get(id) ?? id),
      element(
        'span',
        { class: 'score' },
        answer.basis === 'history' ? score.toFixed(published.model.feedback === 'explicit' ? 1 : 2) : '',
      ),
      because.length === 0
        ? null
        : element(
            'span',
            { class: 'because' },
            reasonWords(because.slice(0, 2), history, published.manifest.scale, titleOf),
          ),
    ),
  );
  return element(
    'section',
    { class: 'card', 'aria-label': `Recommendations of ${summary.id}` },
    element('h2', {}, summary.id),
    element(
      'p',
      { class: 'row' },
      guaranteeChip(summary),
      element(
        'a',
        { class: 'small', href: `#/certificate/${encodeURIComponent(summary.id)}` },
        'Certificate',
      ),
    ),
    element('p', { class: 'small quiet' }, basis, inAll.size > 0 ? ` ● in all columns (${inAll.size}).` : ''),
    element('ol', { class: 'ranking' }, entries),
    answer.unknown.length === 0
      ? null
      : element(
          'p',
          { class: 'small quiet' },
          `${answer.unknown.length} of your ratings are of items this model does not know.`,
        ),
  );
}

/** Contributions add up to the score; a low rating of something unlike the item adds to it too. */
function reasonWords(
  reasons: readonly Reason[],
  history: OwnHistory,
  scale: RatingRange | undefined,
  titleOf: ReadonlyMap<string, string>,
): string {
  const middle = scale === undefined ? Number.NEGATIVE_INFINITY : (scale.min + scale.max) / 2;
  const words = reasons.map(({ id }) => {
    const isLiked = (history.ratingOf(id) ?? middle) >= middle;
    return `${isLiked ? 'liked' : 'did not like'} ${titleOf.get(id) ?? id}`;
  });
  return `because you ${words.join(' and ')}`;
}

/** From most to least private, those without privacy last. */
function sortedByPrivacy(models: readonly ModelSummary[]): ModelSummary[] {
  return models.toSorted(
    (a, b) => (a.epsilon ?? Infinity) - (b.epsilon ?? Infinity) || (a.id < b.id ? -1 : 1),
  );
}

/** The most private, the least private and the one without privacy, as far as they rate the same catalogue. */
function firstChoice(models: readonly ModelSummary[]): Set<string> {
  const same = models.filter(({ dataset }) => dataset === models[0]!.dataset);
  const guarded = same.filter(({ epsilon }) => epsilon !== null);
  const open = same.filter(({ epsilon }) => epsilon === null);
  const picks = [
    guarded[0],
    guarded.length > 1 ? guarded.at(-1) : undefined,
    open.find(({ method }) => method.includes('als')) ?? open[0],
  ];
  return new Set(picks.flatMap((model) => (model === undefined ? [] : [model.id])));
}

/** What most people know: by released popularity where the model has it, else in catalogue order. */
function suggestedItems({ published }: LoadedModel): string[] {
  const { itemIds } = published.manifest;
  const popularity = published.model.kind === 'baseline' ? undefined : published.model.popularity;
  if (popularity === undefined) return [...itemIds];
  return itemIds
    .map((id, index) => ({ id, count: popularity[index]! }))
    .sort((a, b) => b.count - a.count)
    .map(({ id }) => id);
}

function commonItems(answers: readonly Recommendations[]): Set<string> {
  const [first, ...others] = answers.map(({ items }) => new Set(items.map(({ id }) => id)));
  return new Set([...first!].filter((id) => others.every((each) => each.has(id))));
}

/** Redrawing replaces the control that has the focus; these two put the focus back on the same item's control. */
function focusedItem(): { list: string; item: string; value: string } | undefined {
  const active = document.activeElement as HTMLInputElement | null;
  const row = active?.closest<HTMLElement>('li[data-item]');
  if (!row) return undefined;
  return {
    list: row.parentElement?.getAttribute('aria-label') ?? '',
    item: row.dataset['item']!,
    value: active!.value ?? '',
  };
}

function restoreFocus(was: ReturnType<typeof focusedItem>): void {
  if (was === undefined) return;
  const rows = [...document.querySelectorAll<HTMLElement>('li[data-item]')].filter(
    (row) => row.dataset['item'] === was.item,
  );
  const row = rows.find((each) => each.parentElement?.getAttribute('aria-label') === was.list) ?? rows[0];
  const control =
    row?.querySelector<HTMLElement>('input:checked') ?? row?.querySelector<HTMLElement>('input, button');
  control?.focus({ preventScroll: true });
}
