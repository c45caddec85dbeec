import { shownEpsilon } from '@hushrec/model/words';
import { element } from './build-element.js';
import { type IconName, icon } from './icons.js';
import { spentBar } from './pictures/measures.js';
import { askJson } from './server-interface.js';

interface Place {
  readonly key: string;
  readonly name: string;
  readonly icon: IconName;
}

const groups: readonly { readonly name?: string; readonly places: readonly Place[] }[] = [
  { places: [{ key: 'overview', name: 'Overview', icon: 'home' }] },
  {
    name: 'For everyone',
    places: [
      { key: 'try', name: 'Try it', icon: 'spark' },
      { key: 'certificate', name: 'Certificate', icon: 'shield' },
      { key: 'take-part', name: 'Take part', icon: 'people' },
    ],
  },
  {
    name: 'For the operator',
    places: [
      { key: 'plan', name: 'Plan', icon: 'plan' },
      { key: 'train', name: 'Train', icon: 'sliders' },
      { key: 'compare', name: 'Compare', icon: 'chart' },
      { key: 'ledger', name: 'Ledger', icon: 'book' },
    ],
  },
];

const tabs: readonly Place[] = [
  { key: 'overview', name: 'Overview', icon: 'home' },
  { key: 'try', name: 'Try it', icon: 'spark' },
  { key: 'certificate', name: 'Promise', icon: 'shield' },
  { key: 'ledger', name: 'Ledger', icon: 'book' },
  { key: 'more', name: 'More', icon: 'more' },
];

const link = ({ key, name, icon: drawn }: Place) =>
  element('a', { href: `#/${key}`, 'data-key': key }, icon(drawn), element('span', {}, name));

/** Rail and tabs, drawn once. */
export function drawShell(): void {
  document.querySelector('#pages')!.append(
    ...groups.flatMap(({ name, places }) => [
      ...(name === undefined ? [] : [element('p', { class: 'group' }, name)]),
      element(
        'ul',
        {},
        places.map((place) => element('li', {}, link(place))),
      ),
    ]),
  );
  document.querySelector('#tabs')!.append(
    element(
      'ul',
      {},
      tabs.map((place) => element('li', {}, link(place))),
    ),
  );
}

/** Marks where we are; what is not among the tabs counts as More. */
export function markPlace(key: string): void {
  const isTab = tabs.some((tab) => tab.key === key);
  for (const each of document.querySelectorAll<HTMLElement>('[data-key]')) {
    const own = each.dataset['key'];
    const isHere = own === key || (own === 'more' && !isTab);
    if (isHere) each.setAttribute('aria-current', 'page');
    else each.removeAttribute('aria-current');
  }
}

/** What the phone has no tab for. */
export function moreView(place: HTMLElement): void {
  const rest = groups
    .flatMap(({ places }) => places)
    .filter(({ key }) => !tabs.some((tab) => tab.key === key));
  place.append(
    element('h1', {}, 'More'),
    element(
      'ul',
      { class: 'card links' },
      rest.map((each) => element('li', {}, link(each))),
    ),
  );
}

/** How much of the grant is spent, at the foot of the rail; nothing where no limit is set. */
export async function drawAccount(): Promise<void> {
  const place = document.querySelector('#account')!;
  const { ledgers } = await askJson('/api/ledger').catch(() => ({ ledgers: [] }));
  const first = ledgers.find(({ grant }) => grant?.epsilon != null);
  const granted = first?.grant?.epsilon;
  if (first === undefined || granted == null) return place.replaceChildren();
  const spent = first.spent[0]?.epsilon ?? 0;
  place.replaceChildren(
    element(
      'p',
      { class: 'row spread' },
      element('span', {}, first.name),
      element('strong', {}, `${shownEpsilon(spent, 2)} of ${granted}`),
    ),
    spentBar(spent, granted, first.name),
    element('p', {}, 'of the granted ε is spent'),
  );
}
