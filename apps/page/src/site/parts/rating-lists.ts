import type { RatingRange } from '@hushrec/model';
import { button, element, listening } from '../build-element.js';
import type { Catalogue } from '../catalogue.js';
import { icon } from '../icons.js';
import type { LoadedModel } from '../model-library.js';
import type { OwnHistory } from '../own-history.js';
import { poster } from '../pictures/poster.js';
import { titleSearch } from '../search-titles.js';
import { titleParts } from '../title-parts.js';
import { focusedItem, restoreFocus } from './kept-focus.js';
import { rateCard } from './rate-card.js';
import { ratingControl } from './rating-control.js';

const shownItems = 6;
const suggestedAtOnce = 4;

/** Find and rate: on a wide screen two lists, on a phone one card after the other. */
export function ratingLists(
  counted: LoadedModel,
  catalogue: Catalogue,
  history: OwnHistory,
  underCard: HTMLElement | undefined,
): { readonly element: HTMLElement; redraw(): void } {
  const { titles, titleOf } = catalogue;
  const scale = scaleOf(counted);
  const suggestions = suggestedItems(counted);
  const search = titleSearch(titles);
  const query = element('input', {
    type: 'search',
    placeholder: 'Find a title to rate',
    autocomplete: 'off',
    'aria-label': 'Find an item',
  });
  const results = element('ul', { class: 'items', 'aria-label': 'Items to rate' });
  const resultsHeading = element('h2', { class: 'sub' }, 'Known to most, rate next');
  const suggested = element('div', { class: 'suggested' }, resultsHeading, results);
  const rated = element('ul', { class: 'items', 'aria-label': 'Your ratings' });
  const ratedCount = element('h2', { id: 'rated' });
  const control = (id: string) =>
    ratingControl(titleOf(id), scale, history.ratingOf(id), (rating) => history.rate(id, rating));
  const card = rateCard(suggestions, catalogue, history, control);
  const row = (id: string) => itemRow(id, catalogue, control(id));
  const drawResults = () => {
    const isSearching = query.value.trim() !== '';
    suggested.classList.toggle('searching', isSearching);
    resultsHeading.textContent = isSearching ? 'Found' : 'Known to most, rate next';
    const found = isSearching
      ? search(query.value, shownItems)
      : suggestions.filter((id) => history.ratingOf(id) === undefined).slice(0, suggestedAtOnce);
    results.replaceChildren(...found.map(row));
    if (results.children.length === 0)
      results.append(element('li', { class: 'quiet' }, `No title matches “${query.value}”.`));
  };
  const drawRated = () => {
    const known = history.entries().filter(({ id }) => titles.has(id));
    ratedCount.textContent = `Your ratings (${known.length})`;
    rated.replaceChildren(...known.toReversed().map(({ id }) => row(id)));
    if (known.length === 0) rated.append(element('li', { class: 'quiet' }, 'None yet. Rate something.'));
  };
  const redraw = () => {
    const focused = focusedItem();
    drawResults();
    drawRated();
    card.draw();
    restoreFocus(focused);
  };
  listening(query, { input: drawResults });
  redraw();
  return {
    redraw,
    element: frame(
      query,
      [card.element, underCard, suggested],
      ratedCount,
      button('Forget all', () => history.clear(), { class: 'plain' }),
      rated,
    ),
  };
}

/** Search, then what to rate, then what was rated. */
function frame(
  query: HTMLElement,
  toRate: readonly (HTMLElement | undefined)[],
  ratedCount: HTMLElement,
  forget: HTMLElement,
  rated: HTMLElement,
): HTMLElement {
  return element(
    'div',
    {},
    element(
      'section',
      { class: 'card', 'aria-labelledby': 'rated' },
      element('label', { class: 'search' }, icon('search'), query),
      ...toRate,
      element('hr'),
      element('div', { class: 'row spread' }, ratedCount, forget),
      rated,
    ),
  );
}

/** Stars go by the model's scale; a model of choices has none. */
function scaleOf({ published: { model, manifest } }: LoadedModel): RatingRange | undefined {
  return model.feedback === 'explicit' ? (manifest.scale ?? { min: 1, max: 5, step: 1 }) : undefined;
}

function itemRow(id: string, { titleOf, pictureOf }: Catalogue, control: HTMLElement): HTMLElement {
  const { name } = titleParts(titleOf(id));
  return element(
    'li',
    { 'data-item': id },
    element(
      'div',
      { class: 'rated-row' },
      poster(name, pictureOf(id)),
      element('div', {}, element('div', { class: 'item-title' }, titleOf(id)), control),
    ),
  );
}

/** What most people know: by released counts where the model has them, else in catalogue order. */
function suggestedItems({ published }: LoadedModel): string[] {
  const { itemIds } = published.manifest;
  const popularity = published.model.kind === 'baseline' ? undefined : published.model.popularity;
  if (popularity === undefined) return [...itemIds];
  return itemIds
    .map((id, index) => ({ id, count: popularity[index] }))
    .sort((a, b) => b.count - a.count)
    .map(({ id }) => id);
}
