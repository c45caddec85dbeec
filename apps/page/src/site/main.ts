import { element } from './build-element.js';
import { NetworkWitness } from './network-witness.js';
import { empty, failure } from './parts/states.js';
import { rememberToken } from './server-interface.js';
import { drawAccount, drawShell, markPlace, moreView } from './shell.js';

const witness = new NetworkWitness();

interface View {
  readonly title: string;
  readonly show: (
    place: HTMLElement,
    argument: string | undefined,
    signal: AbortSignal,
  ) => void | Promise<void>;
}

/** Each view is loaded when it is first shown. */
const views: Readonly<Record<string, View>> = {
  overview: {
    title: 'Overview',
    show: async (place, _, signal) => (await import('./views/overview.js')).overviewView(place, signal),
  },
  try: {
    title: 'Try it',
    show: async (place, model, signal) =>
      (await import('./views/try-it.js')).tryItView(place, model, witness, signal),
  },
  certificate: {
    title: 'Certificate',
    show: async (place, model, signal) =>
      (await import('./views/certificate.js')).certificateView(place, model, signal),
  },
  'take-part': {
    title: 'Take part',
    show: async (place) => (await import('./views/take-part.js')).takePartView(place),
  },
  plan: {
    title: 'Plan',
    show: async (place, plan, signal) => (await import('./views/plan.js')).planView(place, plan, signal),
  },
  train: {
    title: 'Train',
    show: async (place, run, signal) => (await import('./views/train.js')).trainView(place, run, signal),
  },
  compare: {
    title: 'Compare',
    show: async (place, metric, signal) =>
      (await import('./views/compare.js')).compareView(place, metric, signal),
  },
  ledger: {
    title: 'Ledger',
    show: async (place, _, signal) => (await import('./views/ledger.js')).ledgerView(place, signal),
  },
  more: { title: 'More', show: moreView },
};

/** An address that leads nowhere: nothing else is shown in its place. */
const notFound: View = {
  title: 'Not found',
  show: (place) =>
    place.append(
      element('h1', {}, 'There is no such page'),
      empty(
        'This address leads nowhere',
        'It may be mistyped, or from another version. ',
        element('a', { class: 'button', href: '#/overview' }, 'To the overview'),
      ),
    ),
};

const main = document.querySelector<HTMLElement>('#main')!;
let current = new AbortController();
let isFirst = true;

/** Shows the page named after `#/`. Leaving a page ends what it was waiting for. */
async function navigate(): Promise<void> {
  takeToken();
  if (location.hash === '#main') return;
  const [name = '', argument] = location.hash.replace(/^#\/?/, '').split('/');
  const key = name === '' ? 'overview' : Object.hasOwn(views, name) ? name : 'not-found';
  const view = views[key] ?? notFound;
  current.abort();
  current = new AbortController();
  const { signal } = current;
  document.title = `${view.title} · Hushrec`;
  document.body.dataset['view'] = key;
  markPlace(key);
  const place = element('div', { class: 'view' });
  main.replaceChildren(place);
  if (!isFirst) {
    main.focus();
    scrollTo(0, 0);
  }
  isFirst = false;
  try {
    await view.show(place, argument === undefined ? undefined : decodeURIComponent(argument), signal);
    if (key !== 'try') void drawAccount();
  } catch (error) {
    if (!signal.aborted) place.append(failure(isNotHere(error) ? notHere() : error, () => void navigate()));
  }
}

/** Whether a part of the page's own code did not come. */
function isNotHere(error: unknown): boolean {
  return error instanceof TypeError && /dynamically imported module|module script/i.test(error.message);
}

function notHere(): Error {
  return new Error(
    'You seem to be offline, and this part of the page was not opened before. What was opened goes on working.',
  );
}

/**
 * `#token=…` is how the command line hands the operator's token over: kept for this tab, removed from the
 * address.
 */
function takeToken(): void {
  const given = /^#token=([A-Za-z0-9._~+/=-]+)$/.exec(location.hash)?.[1];
  if (given === undefined) return;
  rememberToken(given);
  history.replaceState(null, '', '#/overview');
}

drawShell();
addEventListener('hashchange', () => void navigate());
void navigate();
