import { h, render } from 'preact';
import { element, listening } from '../build-element.js';
import { catalogueOf } from '../catalogue.js';
import { groupModels, type ModelGroup } from '../model-groups.js';
import { loadModel } from '../model-library.js';
import { listModels } from '../model-list.js';
import { nearestName } from '../nearest-name.js';
import { type NetworkWitness, pageFonts } from '../network-witness.js';
import { loadingModels } from '../parts/loading-models.js';
import { requestCounter } from '../parts/request-counter.js';
import { empty, failure, loading } from '../parts/states.js';
import { shownFirst } from '../published-now.js';
import { isSignedIn, type ModelSummary } from '../server-interface.js';
import { drawAccount } from '../shell.js';
import { TryState } from '../try-it/state.js';
import { followAddress, TryIt } from '../try-it/try-it.js';

/** Rate a few titles; the list of the model on the dial follows, computed in this tab. */
export async function tryItView(
  place: HTMLElement,
  asked: string | undefined,
  witness: NetworkWitness,
  signal: AbortSignal,
): Promise<void> {
  const body = element('div');
  place.append(
    element(
      'h1',
      {},
      element('span', { class: 'hide-phone' }, 'Your list, worked out on this device'),
      element('span', { class: 'phone-only' }, 'Try it'),
    ),
    body,
  );
  signal.addEventListener('abort', () => render(null, body));
  const show = async () => {
    body.replaceChildren(loading('Loading models'));
    try {
      const models = await listModels();
      const groups = groupModels(models);
      if (groups.length === 0) return body.replaceChildren(noModels());
      const first = groups.find((group) => group.models.some(({ id }) => id === asked));
      if (asked !== undefined && first === undefined) return body.replaceChildren(noSuchModel(asked, models));
      const own = element('div', { class: 'group-place' });
      const shown = first ?? groups[0];
      body.replaceChildren(...groupChoice(groups, shown, own, witness, signal), own);
      await showGroup(own, shown, asked, witness, signal);
    } catch (error) {
      if (!signal.aborted) body.replaceChildren(failure(error, show));
    }
  };
  await ownStyle();
  await show();
}

/** The view's own style sheet, asked for once. */
function ownStyle(): Promise<void> {
  const known = document.querySelector('link[href="try-it.css"]');
  if (known !== null) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const sheet = listening(element('link', { rel: 'stylesheet', href: 'try-it.css' }), {
      load: () => resolve(),
      error: () => reject(new Error('The server does not answer.')),
    });
    document.head.append(sheet);
  });
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

function noSuchModel(asked: string, models: readonly ModelSummary[]): HTMLElement {
  const near = nearestName(
    asked,
    models.map(({ id }) => id),
  );
  return empty(
    `There is no model “${asked}”`,
    'We do not show another one in its place. ',
    near === undefined
      ? element('a', { class: 'button', href: '#/try' }, 'To the models there are')
      : element('a', { class: 'button', href: `#/try/${encodeURIComponent(near)}` }, `Try ${near}`),
  );
}

/** A choice of catalogues, when the models were trained on several data sets or kinds of feedback. */
function groupChoice(
  groups: readonly ModelGroup[],
  first: ModelGroup,
  place: HTMLElement,
  witness: NetworkWitness,
  signal: AbortSignal,
): HTMLElement[] {
  if (groups.length < 2) return [];
  const words = ({ models: [first], models }: ModelGroup) =>
    `${first.items} items, ${first.feedback === 'explicit' ? 'predicted ratings' : 'lists'} (${models.length === 1 ? first.id : `${models.length} models`})`;
  const choice = element(
    'select',
    {},
    groups.map((group) => element('option', { value: group.key, selected: group === first }, words(group))),
  );
  listening(choice, {
    change: async () => {
      const chosen = groups.find(({ key }) => key === choice.value)!;
      await showGroup(place, chosen, undefined, witness, signal).catch((error) =>
        place.replaceChildren(failure(error)),
      );
    },
  });
  return [element('label', { class: 'field' }, 'Catalogue', choice)];
}

/** Loads the model that is shown first, and nothing else before its list is there. */
async function showGroup(
  place: HTMLElement,
  group: ModelGroup,
  asked: string | undefined,
  witness: NetworkWitness,
  signal: AbortSignal,
): Promise<void> {
  const { models } = group;
  const wanted = models.find(({ id }) => id === asked) ?? shownFirst(models) ?? models[0];
  const coming = loadingModels([wanted]);
  render(null, place);
  place.replaceChildren(coming.element);
  /** Whether the page was left, or another catalogue chosen, while this one was on its way. */
  const isOvertaken = () => signal.aborted || coming.element.parentElement !== place;
  const [first] = await Promise.all([loadModel(wanted, coming.came), pageFonts(), drawAccount()]);
  if (isOvertaken()) return;
  const catalogue = await catalogueOf(first);
  await pageFonts(catalogue.titles.values());
  if (isOvertaken()) return;
  const counter = requestCounter(witness);
  const state = new TryState(group, first, catalogue, () => witness.startCounting());
  place.replaceChildren();
  render(h(TryIt, { state, counter, isPublic: !isSignedIn() }), place);
  witness.startCounting();
  state.follow(signal);
  followAddress(state, signal);
}
