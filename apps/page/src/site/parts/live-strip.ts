import { effect } from '@preact/signals';
import { button, element } from '../build-element.js';
import { catalogueOf } from '../catalogue.js';
import { groupModels } from '../model-groups.js';
import { loadModel } from '../model-library.js';
import { poster } from '../pictures/poster.js';
import type { ModelSummary } from '../server-interface.js';
import { titleParts } from '../title-parts.js';
import { TryState } from '../try-it/state.js';

const asked = 3;
const shown = 5;

/** Three well-known titles to like or not, and the first titles of the list that follows, as in *Try it*. */
export async function liveStrip(
  model: ModelSummary,
  models: readonly ModelSummary[],
  signal: AbortSignal,
): Promise<HTMLElement> {
  const group = groupModels(models).find((each) => each.models.some(({ id }) => id === model.id))!;
  const first = await loadModel(model);
  const catalogue = await catalogueOf(first);
  const state = new TryState(group, first, catalogue, () => {});
  const nameOf = (id: string) => titleParts(catalogue.titleOf(id)).name;
  const cover = (id: string) => poster(catalogue.titleOf(id), catalogue.pictureOf(id));
  const title = (id: string) => element('span', { class: 'clamped', dir: 'auto' }, nameOf(id));
  const [least, most] = state.scale === undefined ? [undefined, 1] : [state.scale.min, state.scale.max];
  // Those among the best known that nobody rated here before.
  const ids = state.known.filter((id) => !state.ratings.peek().has(id)).slice(0, asked);
  const questions = ids.map((id) => {
    const say = (words: string, rating: number) =>
      button(words, () => state.rate(id, state.ratings.peek().get(id) === rating ? undefined : rating), {
        'aria-label': `${words}: ${nameOf(id)}`,
        'data-rating': rating,
      });
    const answers = [say('Liked it', most), ...(least === undefined ? [] : [say('Not for me', least)])];
    return {
      id,
      answers,
      element: element('li', {}, cover(id), title(id), element('span', { class: 'row' }, answers)),
    };
  });
  const list = element('ol', { class: 'live-list', 'aria-label': 'Your list' });
  const words = element('p', { class: 'small quiet', role: 'status' });
  const stop = effect(() => {
    for (const { id, answers } of questions)
      for (const each of answers)
        each.ariaPressed = String(state.ratings.value.get(id) === Number(each.dataset['rating']));
    const rows = state.list.value?.rows.slice(0, shown) ?? [];
    list.replaceChildren(...rows.map(({ id }) => element('li', { 'data-item': id }, cover(id), title(id))));
    const own = state.rated.value.length;
    words.textContent =
      own === 0
        ? 'So far this is what most people like.'
        : `Your list after ${own === 1 ? 'one rating' : `${own} ratings`}, worked out in this browser.`;
  });
  signal.addEventListener('abort', stop);
  return element(
    'div',
    {},
    element(
      'ul',
      { class: 'live-asked', 'aria-label': 'Titles to rate' },
      questions.map((each) => each.element),
    ),
    words,
    list,
    wayToTryIt(model),
  );
}

function wayToTryIt({ id }: ModelSummary): HTMLElement {
  const href = `#/try/${encodeURIComponent(id)}`;
  return element('p', {}, element('a', { class: 'button primary', href }, 'See why, and go on'));
}
