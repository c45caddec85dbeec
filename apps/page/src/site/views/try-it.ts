import { element, listening } from '../build-element.js';
import { catalogueOf } from '../catalogue.js';
import { firstChoice, groupModels, type ModelGroup } from '../model-groups.js';
import { loadModel } from '../model-library.js';
import { listModels } from '../model-list.js';
import { type NetworkWitness, pageFonts } from '../network-witness.js';
import { loadingModels } from '../parts/loading-models.js';
import { empty, failure, loading } from '../parts/states.js';
import { TriedGroup } from '../parts/tried-group.js';
import { drawAccount } from '../shell.js';

/**
 * Rate a few items; recommendations of up to three models, the one that was asked for among them, appear side
 * by side, computed in this tab.
 */
export async function tryItView(
  place: HTMLElement,
  asked: string | undefined,
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
      const first = groups.find(({ models }) => models.some(({ id }) => id === asked)) ?? groups[0];
      const places = { group, beside, asked };
      body.replaceChildren(...groupChoice(groups, first, places, witness, signal), group);
      await showGroup(places, first, witness, signal);
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
  first: ModelGroup,
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
    groups.map((group) => element('option', { value: group.key, selected: group === first }, words(group))),
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

/** Where a catalogue is shown, what stands beside the title on a phone, and which model was asked for. */
interface GroupPlaces {
  readonly group: HTMLElement;
  readonly beside: HTMLElement;
  readonly asked: string | undefined;
}

async function showGroup(
  { group: place, beside, asked }: GroupPlaces,
  group: ModelGroup,
  witness: NetworkWitness,
  signal: AbortSignal,
): Promise<void> {
  const chosen = firstChoice(group.models, asked);
  const wanted = group.models.filter(({ id }) => chosen.has(id));
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
  const catalogue = await catalogueOf(first[0]);
  if (isOvertaken()) return;
  const tried = new TriedGroup(group, chosen, first, catalogue, witness, asked);
  tried.follow(signal);
  beside.replaceChildren(tried.pick);
  place.replaceChildren(...tried.elements());
}
