import { enoughWords, isTooNoisy, knownPeople } from '@hushrec/model';
import type { Recommendation, Recommendations } from '@hushrec/recommend';
import { button, element } from '../build-element.js';
import type { Catalogue } from '../catalogue.js';
import { guaranteeChip } from '../guarantee-words.js';
import type { ListChanges } from '../list-changes.js';
import type { LoadedModel } from '../model-library.js';
import type { OwnHistory } from '../own-history.js';
import { poster } from '../pictures/poster.js';
import { reasonGroups } from '../reason-groups.js';
import { titleParts } from '../title-parts.js';

/** What is needed to draw one model's answer. */
export interface ShownAnswer {
  readonly model: LoadedModel;
  readonly answer: Recommendations;
  readonly changes: ListChanges;
  /**
   * What it shares with the list without privacy, or that one with the others; absent where there is none
   * without privacy beside it.
   */
  readonly shared: ReadonlySet<string> | undefined;
}

/** The list of one model, grouped by reason; for the sheet and for the columns. */
export function groupedList(shown: ShownAnswer, history: OwnHistory, catalogue: Catalogue): HTMLElement[] {
  const { model, answer } = shown;
  const groups = reasonGroups(
    answer,
    (id) => titleParts(catalogue.titleOf(id)).name,
    (id) => history.ratingOf(id),
    model.published.manifest.scale,
  );
  return groups.flatMap(({ heading, start, items }) => [
    element('h3', { class: 'because' }, heading),
    element(
      'ol',
      { class: 'ranking', start },
      items.map((item, place) => row(shown, item, start + place, catalogue)),
    ),
  ]);
}

function row(
  { model, changes, shared }: ShownAnswer,
  { id, link }: Recommendation,
  place: number,
  { titleOf, pictureOf }: Catalogue,
): HTMLElement {
  const { name, year } = titleParts(titleOf(id));
  const up = changes.up.get(id);
  const change = changes.fresh.has(id) ? 'New' : up === undefined ? '' : `▲ ${up}`;
  const isShared = shared?.has(id) === true;
  return element(
    'li',
    { 'data-item': id, class: change === '' ? '' : 'changed' },
    element('span', { class: 'place' }, String(place)),
    poster(name, pictureOf(id)),
    element(
      'span',
      {},
      link === undefined
        ? element('span', { class: 'item-title' }, name)
        : element(
            'a',
            { class: 'item-title', href: link, target: '_blank', rel: 'noreferrer noopener' },
            name,
          ),
      element(
        'span',
        { class: `micro${isShared ? ' shared-dot' : ''}` },
        year === undefined ? '' : ` ${year}`,
        isShared
          ? element(
              'span',
              { class: 'visually-hidden' },
              model.summary.epsilon === null
                ? ' also in a list beside it'
                : ' also in the list without privacy',
            )
          : null,
      ),
    ),
    element('span', { class: 'change' }, change),
  );
}

/** Where noise rules: what that means, and the next better model; under a heading of the place's level. */
export function tooNoisyParts(
  { model }: ShownAnswer,
  heading: 'h2' | 'h3',
  better: LoadedModel | undefined,
  use: (model: LoadedModel) => void,
): HTMLElement[] {
  const { certificate } = model.published;
  const { usefulness, epsilon, delta } = certificate;
  if (usefulness === undefined || !isTooNoisy(usefulness)) return [];
  const { itemsAboveNoise, items } = usefulness;
  const at = epsilon === null ? '' : ` at ε = ${epsilon}`;
  const standing =
    itemsAboveNoise === 0
      ? `None of ${count.format(items)} titles stands out of the noise${at}.`
      : `Only ${count.format(itemsAboveNoise)} of ${count.format(items)} titles ${itemsAboveNoise === 1 ? 'stands' : 'stand'} out of the noise${at}.`;
  return [
    element(
      'div',
      { class: 'too-noisy' },
      element('div', { class: 'dotted' }),
      element(heading, {}, 'Too noisy to be personal'),
      element(
        'p',
        { class: 'small quiet' },
        `${standing} So this is what most people like, the same for everyone. ${enoughWords(usefulness, epsilon, delta, knownPeople(certificate)) ?? ''}`,
      ),
      better === undefined
        ? null
        : button(`Use ${better.summary.id}`, () => use(better), { class: 'primary phone-only' }),
    ),
  ];
}

const count = new Intl.NumberFormat('en');

/** One column per model. */
export function column(shown: ShownAnswer, history: OwnHistory, catalogue: Catalogue): HTMLElement {
  const { model, answer, shared } = shown;
  const { summary } = model;
  return element(
    'section',
    { class: 'card', 'aria-label': `Recommendations of ${summary.id}` },
    element(
      'div',
      { class: 'column-head' },
      element('h2', {}, summary.id),
      element(
        'p',
        { class: 'row' },
        guaranteeChip(summary),
        shared === undefined || summary.epsilon === null
          ? null
          : element(
              'span',
              { class: 'small quiet' },
              `${answer.items.filter(({ id }) => shared.has(id)).length} of ${answer.items.length} shared`,
            ),
      ),
      answer.unknown.length > 0
        ? element(
            'p',
            { class: 'small quiet' },
            `${answer.unknown.length} of your ratings are of titles this model does not know.`,
          )
        : null,
    ),
    tooNoisyParts(shown, 'h3', undefined, () => {}),
    groupedList(shown, history, catalogue),
  );
}
