import { button, element, listening } from '../build-element.js';
import type { Catalogue } from '../catalogue.js';
import { changeWords, type ListChanges } from '../list-changes.js';
import type { OwnHistory } from '../own-history.js';
import { poster } from '../pictures/poster.js';
import { titleParts } from '../title-parts.js';
import { groupedList, type ShownAnswer } from './recommendation-list.js';

/** On a phone: the first five of the list always in sight, and the whole of it one tap away. */
export function phoneStrip(history: OwnHistory, catalogue: Catalogue) {
  const heading = element('span', { class: 'row spread' });
  const posters = element('span', { class: 'strip-posters' });
  const open = element(
    'button',
    { type: 'button', class: 'strip', 'aria-haspopup': 'dialog' },
    heading,
    posters,
  );
  const body = element('div');
  const sheet = element(
    'dialog',
    { class: 'sheet', 'aria-label': 'Your list' },
    element(
      'div',
      { class: 'column-head row spread' },
      element('h2', {}, 'Your list'),
      button('Close', () => sheet.close(), { class: 'plain' }),
    ),
    body,
  );
  let shown: ShownAnswer | undefined;
  listening(open, {
    click: () => {
      if (shown === undefined) return;
      body.replaceChildren(...groupedList(shown, history, catalogue));
      sheet.showModal();
    },
  });
  // A tap beside the sheet closes it.
  listening(sheet, { click: (event) => event.target === sheet && sheet.close() });
  return {
    elements: [open, sheet],
    draw(next: ShownAnswer, lastRated: string | undefined) {
      shown = next;
      const { changes, answer } = next;
      const isChanged =
        lastRated !== undefined && answer.basis === 'history' && changes.fresh.size + changes.up.size > 0;
      heading.replaceChildren(
        element('strong', {}, isChanged ? changeWords(changes) : 'Your list'),
        element(
          'span',
          { class: isChanged ? 'chip clear' : 'micro' },
          isChanged ? `because of ${lastRated}` : 'tap to see all',
        ),
      );
      posters.replaceChildren(
        ...answer.items
          .slice(0, 5)
          .map(({ id }) => stripPoster(id, catalogue, isChanged ? changeOf(id, changes) : '')),
      );
    },
  };
}

/** What a new rating did to an item of the list; empty where nothing. */
function changeOf(id: string, { fresh, up }: ListChanges): string {
  const places = up.get(id);
  return fresh.has(id) ? 'New' : places === undefined ? '' : `▲${places}`;
}

function stripPoster(id: string, { titleOf, pictureOf }: Catalogue, change: string): HTMLElement {
  const { name } = titleParts(titleOf(id));
  return element(
    'span',
    { class: change === '' ? '' : 'just', 'data-item': id },
    poster(name, pictureOf(id)),
    element('span', { class: 'visually-hidden' }, name),
    change === '' ? null : element('span', { class: 'change' }, change),
  );
}
