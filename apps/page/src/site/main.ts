import { element } from './build-element.js';
import { NetworkWitness } from './network-witness.js';
import { failure } from './parts/states.js';
import { rememberToken } from './server-interface.js';
import { certificateView } from './views/certificate.js';
import { compareView } from './views/compare.js';
import { ledgerView } from './views/ledger.js';
import { trainView } from './views/train.js';
import { tryItView } from './views/try-it.js';

const witness = new NetworkWitness();

interface View {
  readonly title: string;
  readonly show: (place: HTMLElement, argument: string | undefined, signal: AbortSignal) => Promise<void>;
}

const views: Readonly<Record<string, View>> = {
  try: { title: 'Try it', show: (place, _, signal) => tryItView(place, witness, signal) },
  train: { title: 'Train', show: (place, _, signal) => trainView(place, signal) },
  compare: { title: 'Compare', show: (place, _, signal) => compareView(place, signal) },
  certificate: {
    title: 'Certificate',
    show: (place, model, signal) => certificateView(place, model, signal),
  },
  ledger: { title: 'Ledger', show: (place, _, signal) => ledgerView(place, signal) },
};

const main = document.querySelector<HTMLElement>('#main')!;
let current = new AbortController();
let isFirst = true;

/** Shows the page named after `#/`. Leaving a page ends what it was waiting for. */
async function navigate(): Promise<void> {
  takeToken();
  if (location.hash === '#main') return;
  const [name = '', argument] = location.hash.replace(/^#\/?/, '').split('/');
  const key = Object.hasOwn(views, name) ? name : 'try';
  const view = views[key]!;
  current.abort();
  current = new AbortController();
  const { signal } = current;
  document.title = `${view.title} · Hushrec`;
  for (const link of document.querySelectorAll('.top nav a')) {
    if (link.getAttribute('href') === `#/${key}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  const place = element('div');
  main.replaceChildren(place);
  if (!isFirst) main.focus();
  isFirst = false;
  try {
    await view.show(place, argument === undefined ? undefined : decodeURIComponent(argument), signal);
  } catch (error) {
    if (!signal.aborted) place.append(failure(error, () => void navigate()));
  }
}

/** `#token=…` is how the command line hands the operator's token over: kept for this tab, removed from the address. */
function takeToken(): void {
  const given = /^#token=([A-Za-z0-9._~+/=-]+)$/.exec(location.hash)?.[1];
  if (given === undefined) return;
  rememberToken(given);
  history.replaceState(null, '', '#/try');
}

addEventListener('hashchange', () => void navigate());
void navigate();
