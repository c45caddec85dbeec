import type { RatingRange } from '@hushrec/model';
import { button, element, listening } from '../build-element.js';
import type { LoadedModel } from '../model-library.js';
import type { OwnHistory } from '../own-history.js';
import { titleSearch } from '../search-titles.js';
import { ratingControl } from './rating-control.js';

const shownItems = 8;

/** Two lists: items to rate (suggested, or found by title in this tab), and what was rated. */
export function ratingLists(
  catalogue: LoadedModel,
  titleOf: ReadonlyMap<string, string>,
  history: OwnHistory,
): { readonly elements: readonly HTMLElement[]; redraw(): void } {
  const { model, manifest } = catalogue.published;
  const scale: RatingRange | undefined =
    model.feedback === 'explicit' ? (manifest.scale ?? { min: 1, max: 5, step: 1 }) : undefined;
  const suggestions = suggestedItems(catalogue);
  const search = titleSearch(titleOf);
  const query = element('input', { type: 'search', placeholder: 'Search titles', autocomplete: 'off' });
  const results = element('ul', { class: 'items', 'aria-label': 'Items to rate' });
  const rated = element('ul', { class: 'items', 'aria-label': 'Your ratings' });
  const ratedCount = element('h2', { id: 'rated' });

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
        : search(query.value, shownItems);
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
  const redraw = () => {
    const focused = focusedItem();
    drawResults();
    drawRated();
    restoreFocus(focused);
  };
  listening(query, { input: drawResults });
  redraw();
  const hint = element('span', { class: 'hint' }, 'The search happens in this tab too.');
  return {
    redraw,
    elements: [
      element(
        'section',
        { class: 'card', 'aria-labelledby': 'rate' },
        element('h2', { id: 'rate' }, 'Rate items'),
        element('label', { class: 'field' }, 'Find an item', query, hint),
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
    ],
  };
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

/** Redrawing replaces the control that has the focus; these two put the focus back on the same item's control. */
function focusedItem(): { readonly list: string; readonly item: string } | undefined {
  const row = document.activeElement?.closest<HTMLElement>('li[data-item]');
  if (!row) return undefined;
  return { list: row.parentElement?.getAttribute('aria-label') ?? '', item: row.dataset['item']! };
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
