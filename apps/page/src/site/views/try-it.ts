import { element, listening } from '../build-element.js';
import { guaranteeChip } from '../guarantee-words.js';
import { firstChoice, groupModels, type ModelGroup } from '../model-groups.js';
import { type LoadedModel, listModels, loadModel } from '../model-library.js';
import type { NetworkWitness } from '../network-witness.js';
import { OwnHistory } from '../own-history.js';
import { ratingLists } from '../parts/rating-lists.js';
import { recommendationColumns } from '../parts/recommendation-columns.js';
import { requestCounter } from '../parts/request-counter.js';
import { empty, failure, loading } from '../parts/states.js';
import type { ModelSummary } from '../server-interface.js';

const mostColumns = 3;

/** Rate a few items; recommendations of up to three models appear side by side, computed in this tab. */
export async function tryItView(
  place: HTMLElement,
  witness: NetworkWitness,
  signal: AbortSignal,
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
  const show = async () => {
    body.replaceChildren(loading('Loading models'));
    try {
      const groups = groupModels(await listModels());
      if (groups.length === 0) {
        body.replaceChildren(noModels());
        return;
      }
      const group = element('div');
      await showGroup(group, groups[0]!, witness, signal);
      body.replaceChildren(...groupChoice(groups, group, witness, signal), group);
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
  place: HTMLElement,
  witness: NetworkWitness,
  signal: AbortSignal,
): HTMLElement[] {
  if (groups.length < 2) return [];
  const words = ({ models: [first], models }: ModelGroup) =>
    `${first!.items} items, ${first!.feedback === 'explicit' ? 'ratings' : 'likes'} (${models.map(({ id }) => id).join(', ')})`;
  const choice = element(
    'select',
    {},
    groups.map((group) => element('option', { value: group.key }, words(group))),
  );
  listening(choice, {
    change: async () => {
      place.replaceChildren(loading('Loading models'));
      const chosen = groups.find(({ key }) => key === choice.value)!;
      await showGroup(place, chosen, witness, signal).catch((error) => place.replaceChildren(failure(error)));
    },
  });
  return [element('label', { class: 'field' }, 'Catalogue', choice)];
}

async function showGroup(
  place: HTMLElement,
  { key, models }: ModelGroup,
  witness: NetworkWitness,
  signal: AbortSignal,
): Promise<void> {
  const chosen = firstChoice(models);
  const first = await Promise.all(models.filter(({ id }) => chosen.has(id)).map(loadModel));
  if (signal.aborted) return;
  const open = new Map(first.map((model) => [model.summary.id, model]));
  const titleOf = titlesOf(first[0]!);
  const history = new OwnHistory(`hushrec.history.${key}`);
  const lists = ratingLists(first[0]!, titleOf, history);
  const columns = element('div', { class: 'columns' });
  const status = element('p', { class: 'visually-hidden', role: 'status' });
  const drawColumns = () => {
    const shown = [...chosen].flatMap((id) => open.get(id) ?? []);
    const drawn = recommendationColumns(shown, history, titleOf);
    columns.replaceChildren(...drawn.columns);
    status.textContent = drawn.summary;
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
  history.onChange(() => {
    lists.redraw();
    drawColumns();
  }, signal);
  witness.startCounting();
  drawColumns();
  place.replaceChildren(
    element(
      'div',
      { class: 'split' },
      element('div', {}, lists.elements, requestCounter(witness)),
      element(
        'div',
        {},
        element('section', { class: 'card', 'aria-label': 'Models' }, modelChoice(models, chosen, choose)),
        status,
        columns,
      ),
    ),
  );
}

function titlesOf({ published: { manifest } }: LoadedModel): Map<string, string> {
  return new Map(manifest.itemIds.map((id, index) => [id, manifest.titles?.[index] || id]));
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
