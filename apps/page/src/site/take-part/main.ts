import {
  chargedRuns,
  createEngine,
  IndexedDbFolder,
  openRun,
  type RunAtHand,
  UnreachableError,
} from '@hushrec/federate/browser';
import { percentWords, posteriorOf } from '@hushrec/model/words';
import { element, listening } from '../build-element.js';
import { icon } from '../icons.js';
import { howRatingsTravel } from '../parts/how-ratings-travel.js';
import { promiseLine } from '../parts/promise-line.js';
import { failure, loading } from '../parts/states.js';
import { drawShell, markPlace } from '../shell.js';
import { type DeviceChoices, keepChoices, readChoices } from './device-choices.js';
import { ownRatings, ratingsOfRun, removeCopies } from './own-ratings.js';
import { SentList, sentTable, size } from './sent-list.js';

/**
 * The document for taking part in a run. It is a document of its own because its security policy differs: it
 * may talk to the run's board and aggregators and to nobody else, this server included.
 */
const folder = new IndexedDbFolder('hushrec-taking-part');
const { content: board, dataset } = document.querySelector<HTMLMetaElement>('meta[name=hushrec-board]')!;
const main = document.querySelector<HTMLElement>('#main')!;

drawShell();
markPlace('take-part');
// The other pages are in another document.
for (const link of document.querySelectorAll<HTMLAnchorElement>('[data-key]'))
  link.href = link.dataset['key'] === 'take-part' ? location.pathname : `./${link.getAttribute('href')}`;
void show();

async function show(): Promise<void> {
  const place = element('div', { class: 'view' });
  main.replaceChildren(place);
  place.append(
    element('h1', {}, 'Teach the model, keep your ratings'),
    element(
      'p',
      { class: 'lead' },
      'This device works out numbers from what you rated, splits them into shares that are random by themselves, and sends each share to a different organisation. Only the total over everyone is ever known, with noise on it.',
    ),
  );
  const waiting = loading('Reading the charter of the run');
  place.append(waiting);
  try {
    const run = await openRun(board, undefined, dataset['run'] || undefined);
    const sent = await SentList.open(folder, run.hash);
    waiting.remove();
    new TakingPart(place, run, sent).draw();
  } catch (error) {
    waiting.remove();
    place.append(failure(error, () => void show()));
  }
}

class TakingPart {
  readonly #place: HTMLElement;
  readonly #run: RunAtHand;
  readonly #sent: SentList;
  readonly #switch = element('input', { type: 'checkbox', role: 'switch', id: 'switch' });
  readonly #state = element('p', { id: 'state', 'aria-live': 'polite' });
  readonly #bar = element('progress', { max: 1, value: 0, 'aria-label': 'Exchanges done' });
  readonly #table = element('div', { id: 'sent' });
  readonly #budget = element('p', { class: 'small', id: 'budget' });
  /** A link of the site may bring the invitation along, behind #: that part of an address is sent nowhere. */
  readonly #invitation = element('input', {
    type: 'text',
    id: 'invitation',
    autocomplete: 'off',
    value: new URLSearchParams(location.hash.slice(1)).get('invitation') ?? '',
  });
  #choices: DeviceChoices = readChoices();
  #spent = 0;
  #isCharged = false;
  #stop: AbortController | undefined;

  constructor(place: HTMLElement, run: RunAtHand, sent: SentList) {
    this.#place = place;
    this.#run = run;
    this.#sent = sent;
  }

  draw(): void {
    const { charter } = this.#run;
    listening(this.#switch, { change: () => (this.#switch.checked ? this.#begin() : this.#halt()) });
    this.#place.append(
      element(
        'div',
        { class: 'grid compared' },
        element(
          'div',
          {},
          this.#switchCard(),
          this.#belief(),
          howRatingsTravel(charter.aggregators.map(({ name }) => name)),
          element('section', { class: 'card' }, element('h2', {}, 'What was sent'), this.#table),
        ),
        element('div', {}, this.#charterCard(), this.#deviceCard()),
      ),
    );
    void removeCopies(folder, this.#choices.on ?? '');
    if (charter.admission.kind === 'parties')
      this.#place.prepend(
        element('p', { class: 'notice warn' }, 'This run is for named parties, not for single devices.'),
      );
    this.#update('Off. This device sends nothing.');
    void this.#count().then(() => {
      if (this.#choices.on === this.#run.hash && this.#mayBegin()) {
        this.#switch.checked = true;
        this.#begin();
      }
    });
  }

  #switchCard(): HTMLElement {
    const { epsilon, bytesToSend, exchanges } = this.#run;
    return element(
      'section',
      { class: 'card raised' },
      element(
        'label',
        { class: 'row spread', for: 'switch' },
        element('strong', {}, 'Take part'),
        this.#switch,
      ),
      this.#state,
      this.#bar,
      this.#run.charter.admission.kind === 'issuer' &&
        element(
          'label',
          { class: 'field' },
          `Invitation from ${this.#run.charter.admission.issuer.name} (needed once)`,
          this.#invitation,
        ),
      element(
        'p',
        { class: 'small quiet' },
        `Costs you ε = ${epsilon}, at most ${size(bytesToSend)}, in ${exchanges} exchanges. Nothing is sent before an exchange opens. Off stops at once: nothing more is sent, and the copy of your ratings that the run was begun with is removed. What was added stays in the sums, under the same noise, and stays counted.`,
      ),
      element(
        'p',
        { class: 'small quiet' },
        'What this device remembers of its runs lies in this browser. A private window, another browser or cleared storage knows nothing of it: there you would be a second participant, with half the protection and a budget that begins at zero.',
      ),
    );
  }

  /** What is agreed to, the promise first. */
  #charterCard(): HTMLElement {
    const { facts, epsilon, hash, charter } = this.#run;
    return element(
      'section',
      { class: 'card charter' },
      element('p', { class: 'micro' }, 'Charter of this run, in words'),
      promiseLine(
        [
          'Someone who is ',
          '50% sure',
          ' that you took part can become at most ',
          `${percentWords(posteriorOf(0.5, epsilon))} sure`,
          ` by studying the totals and the model, as long as at least ${charter.noise.honestNeeded} of the ${charter.aggregators.length} who add up ${charter.noise.honestNeeded === 1 ? 'is' : 'are'} honest.`,
        ],
        'promise of-plan',
      ),
      element('h2', { class: 'sub' }, 'What you agree to'),
      element(
        'dl',
        { class: 'facts' },
        facts.flatMap(({ about, words }) => [element('dt', {}, about), element('dd', {}, words)]),
        element('dt', {}, 'If all cheat'),
        element('dd', {}, 'If all who add up work together, they can read your numbers.'),
      ),
      element('p', { class: 'micro' }, `Charter ${hash.slice(0, 16)}…, signed by all who add up.`),
    );
  }

  #deviceCard(): HTMLElement {
    const rated = ownRatings(this.#run.catalogue.itemIds).length;
    return element(
      'section',
      { class: 'card' },
      element('h2', {}, 'On this device'),
      element(
        'p',
        {},
        rated === 0
          ? 'You have rated nothing that this run is about. You can take part all the same, with zeros; or '
          : `${rated} of your ratings are about things in this run. They stay in this browser; a run goes on with the ratings it was begun with. `,
        element('a', { href: './#/try' }, rated === 0 ? 'rate something first.' : 'Change them in Try it.'),
      ),
      this.#budget,
      this.#limit(),
    );
  }

  /** The people who add noise, to be believed or not: nobody is believed unless this person says so. */
  #belief(): HTMLElement {
    const { charter } = this.#run;
    const needed = charter.noise.honestNeeded;
    return element(
      'section',
      { class: 'card' },
      element(
        'fieldset',
        { id: 'believed' },
        element('legend', {}, `Whom do you believe? Choose at least ${needed}.`),
        element(
          'p',
          { class: 'small quiet' },
          `Your guarantee holds if at least ${needed} of these ${needed === 1 ? 'does' : 'do'} what they signed. Before anything is sent this device asks those you choose, at their own addresses, whether the charter tells the truth about them. Later runs must say the same of them.`,
        ),
        charter.aggregators.map((card) => {
          const { name, url, publicKey } = card;
          return element(
            'label',
            { class: 'row believed' },
            listening(
              element('input', {
                type: 'checkbox',
                value: publicKey,
                checked: this.#choices.believed.some((each) => each.publicKey === publicKey),
              }),
              {
                change: ({ target }) => {
                  const others = this.#choices.believed.filter((each) => each.publicKey !== publicKey);
                  const isChosen = (target as HTMLInputElement).checked;
                  this.#choose({ believed: isChosen ? [...others, card] : others });
                },
              },
            ),
            element('span', {}, element('strong', {}, name), ` ${new URL(url).host}`),
            element('span', { class: 'micro' }, `key ${publicKey.slice(0, 12)}…`),
          );
        }),
      ),
    );
  }

  #limit(): HTMLElement {
    const field = element('input', {
      type: 'number',
      min: 0.1,
      step: 'any',
      value: this.#choices.mostEpsilon,
      id: 'most',
    });
    listening(field, {
      change: () => {
        const most = Number(field.value);
        if (most > 0) this.#choose({ mostEpsilon: most });
      },
    });
    return element('label', { class: 'field' }, 'Most ε for all runs together', field);
  }

  #choose(change: Partial<DeviceChoices>): void {
    this.#choices = { ...this.#choices, ...change };
    keepChoices(this.#choices);
    if (this.#stop === undefined) this.#update('Off. This device sends nothing.');
  }

  /** What runs have cost on this device so far. */
  async #count(): Promise<void> {
    const charged = await chargedRuns(folder);
    this.#spent = charged.reduce((sum, { epsilon }) => sum + epsilon, 0);
    this.#isCharged = charged.some(({ charter }) => charter === this.#run.hash);
    this.#budget.textContent =
      charged.length === 0
        ? 'Runs have cost this device nothing so far.'
        : `${charged.length} ${charged.length === 1 ? 'run has' : 'runs have'} cost this device ε = ${this.#spent} so far${this.#isCharged ? ', this one included' : ''}.`;
    if (this.#stop === undefined) this.#update(this.#state.textContent ?? '');
  }

  /** Why the switch cannot be put on; undefined when it can. */
  #obstacle(): string | undefined {
    const { charter, epsilon } = this.#run;
    if (charter.admission.kind === 'parties') return 'This run is for named parties.';
    const believed = charter.aggregators.filter(({ publicKey }) =>
      this.#choices.believed.some((each) => each.publicKey === publicKey),
    );
    if (believed.length < charter.noise.honestNeeded)
      return `Off. Choose at least ${charter.noise.honestNeeded} whom you believe; then you can switch it on.`;
    if (!this.#isCharged && this.#spent + epsilon > this.#choices.mostEpsilon)
      return `Off. This run costs ε = ${epsilon} and you allow ${this.#choices.mostEpsilon} in all, of which ${this.#spent} is spent.`;
    return undefined;
  }

  #mayBegin(): boolean {
    return this.#obstacle() === undefined;
  }

  #update(words: string): void {
    const isOn = this.#stop !== undefined;
    this.#switch.disabled = !isOn && !this.#mayBegin();
    this.#state.textContent = isOn ? words : (this.#obstacle() ?? words);
    this.#bar.hidden = !isOn;
    this.#table.replaceChildren(sentTable(this.#sent.lines));
  }

  #begin(): void {
    this.#choose({ on: this.#run.hash });
    const stop = new AbortController();
    this.#stop = stop;
    this.#update('Checking the charter by running the method without data.');
    // A run may last weeks; browsers forget what they were not asked to keep.
    void navigator.storage?.persist?.().catch(() => undefined);
    // Two tabs would be two devices: whoever holds the lock takes part.
    const taking = navigator.locks.request('hushrec-take-part', { ifAvailable: true }, async (lock) => {
      if (lock === null) throw new Error('Another tab of this browser takes part already.');
      return this.#takePart(stop.signal);
    });
    void taking
      .then(
        (words) => this.#end(stop, words, false),
        (error: unknown) => {
          if (stop.signal.aborted) return;
          this.#end(stop, error instanceof Error ? error.message : String(error), true);
        },
      )
      .then(() => this.#count());
  }

  async #takePart(signal: AbortSignal): Promise<string> {
    const { charter, hash, catalogue } = this.#run;
    const engine = await createEngine({ kernel: charter.kernel, threads: 1 });
    try {
      const history = await ratingsOfRun(folder, hash, ownRatings(catalogue.itemIds));
      const took = await this.#patiently(signal, () =>
        this.#run.takePart({
          history,
          engine,
          folder,
          trusted: this.#choices.believed,
          mostEpsilon: this.#choices.mostEpsilon,
          ...(this.#invitation.value.trim() !== '' && { invitation: this.#invitation.value.trim() }),
          signal,
          progress: (done, total) => {
            this.#bar.max = total;
            this.#bar.value = done;
            this.#update(`On. Exchange ${done} of ${total} is done; the next total is awaited.`);
          },
          sent: (share) => {
            this.#sent.add(share);
            this.#countOnce();
            this.#update(
              share.isTaken
                ? `On. Handed in at exchange ${share.exchange + 1}; waiting for the total of everyone.`
                : `On. ${share.to} did not take a share of exchange ${share.exchange + 1}.`,
            );
          },
          waiting: (reason) => {
            this.#countOnce();
            this.#update(`On. Waiting: ${reason}`);
          },
        }),
      );
      const missed = took.missed === 0 ? '' : ` ${took.missed} were over when this device came.`;
      return `Done. Numbers were handed in at ${took.handedIn} exchanges.${missed} The model is worked out.`;
    } finally {
      await engine.close();
    }
  }

  /** Shows the charge as soon as it stands. */
  #countOnce(): void {
    if (!this.#isCharged) void this.#count();
  }

  /** A device is offline now and then: as long as the switch is on it tries again. */
  async #patiently<T>(signal: AbortSignal, act: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await act();
      } catch (error) {
        if (!(error instanceof UnreachableError)) throw error;
        this.#update(`On. ${error.who} does not answer; trying again in a minute.`);
        await new Promise((resolve) => setTimeout(resolve, 60_000));
        signal.throwIfAborted();
      }
    }
  }

  #end(stop: AbortController, words: string, failed: boolean): void {
    if (this.#stop !== stop) return;
    this.#stop = undefined;
    this.#switch.checked = false;
    if (!failed) {
      this.#choose({ on: '' });
      void removeCopies(folder);
    }
    this.#update(words);
    if (failed) this.#state.prepend(icon('warn'), ' ');
  }

  /** Off, at once: open requests are given up, and none follows. */
  #halt(): void {
    this.#stop?.abort(new DOMException('Switched off.', 'AbortError'));
    this.#stop = undefined;
    this.#choose({ on: '' });
    void removeCopies(folder);
    this.#update(
      'Off. Nothing more is sent, and the copy of your ratings is removed. Switch it on again to go on, as long as you rated nothing else since.',
    );
  }
}
