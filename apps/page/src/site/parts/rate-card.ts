import { button, element } from '../build-element.js';
import type { Catalogue } from '../catalogue.js';
import type { OwnHistory } from '../own-history.js';
import { poster } from '../pictures/poster.js';
import { titleParts } from '../title-parts.js';

/** How long a card stays after its rating, so that the effect is seen with its cause. */
const nextAfter = 900;

/** One title to rate after the other, for a phone: those that most people know first. */
export function rateCard(
  suggestions: readonly string[],
  { titleOf, pictureOf }: Catalogue,
  history: OwnHistory,
  control: (id: string) => HTMLElement,
): { readonly element: HTMLElement; draw(): void } {
  const card = element('section', { class: 'card rate-card', 'aria-label': 'Rate this' });
  const notSeen = new Set<string>();
  let onCard: string | undefined;
  let later: ReturnType<typeof setTimeout> | undefined;
  const draw = () => {
    onCard ??= suggestions.find((id) => history.ratingOf(id) === undefined && !notSeen.has(id));
    if (onCard === undefined) {
      card.replaceChildren(
        element('p', { class: 'quiet' }, 'You have rated what most people know. Search for more.'),
      );
      return;
    }
    const id = onCard;
    const { name, year } = titleParts(titleOf(id));
    const isRated = history.ratingOf(id) !== undefined;
    card.dataset['item'] = id;
    const focused = card.contains(document.activeElement) ? document.activeElement : null;
    card.replaceChildren(
      element(
        'div',
        { class: 'known' },
        poster(name, pictureOf(id)),
        element(
          'div',
          {},
          element('p', { class: 'micro' }, 'Known to most'),
          element('p', { class: 'item-title' }, name),
          element('p', { class: 'micro' }, year ?? ''),
        ),
      ),
      control(id),
      element(
        'p',
        { class: 'row spread' },
        button(
          'Not seen',
          () => {
            notSeen.add(id);
            onCard = undefined;
            draw();
          },
          { class: 'plain' },
        ),
        element('span', { class: 'small quiet' }, isRated ? 'Next in a moment' : `${history.size} rated`),
      ),
    );
    // Who is on the card stays on it: at the stars, or at the button that skips.
    if (focused !== null)
      card.querySelector<HTMLElement>(focused.matches('p > *') ? 'p > button' : 'input, button')?.focus({
        preventScroll: true,
      });
    clearTimeout(later);
    if (isRated)
      later = setTimeout(() => {
        onCard = undefined;
        draw();
      }, nextAfter);
  };
  return { element: card, draw };
}
