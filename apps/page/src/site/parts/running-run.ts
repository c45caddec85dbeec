import { element } from '../build-element.js';
import { icon } from '../icons.js';
import { standOutStrip } from '../pictures/measures.js';
import { signalChart } from '../pictures/signal-chart.js';
import { releaseWords } from '../release-words.js';
import type { LiveSignal, Run } from '../server-interface.js';
import { cardHead } from './card-head.js';
import { fittedChart } from './fitted-chart.js';

const count = new Intl.NumberFormat('en');

/**
 * A run while it goes on: time left, what was released so far, and how much of it is more than noise. All
 * from released numbers, so looking costs nothing. Parts are kept and filled anew, so that nothing jumps.
 */
export function runningRun({ request, startedAt }: Run) {
  const left = element('span', { class: 'figure-big' });
  const leftWords = element('span');
  const percent = element('strong', {});
  const bar = element('progress', { max: 1, 'aria-label': `Progress of ${request.model}` });
  const stage = element('p', { class: 'small quiet stage', role: 'status' });
  const steps = element('ul', { class: 'steps' });
  const signal = element('section', { class: 'card', hidden: true });
  const standing = element('section', { class: 'card', hidden: true });
  let shown = '';
  return {
    element: element(
      'div',
      { class: 'grid form running' },
      element(
        'div',
        {},
        element(
          'section',
          { class: 'card', 'aria-label': `Training ${request.model}` },
          element('p', { class: 'row spread' }, element('span', {}, left, leftWords), percent),
          bar,
          stage,
          steps,
        ),
        leavingNotice(request.epsilon !== undefined),
      ),
      element('div', {}, signal, standing),
    ),
    draw({ progress }: Run) {
      const released = releasedSteps(progress?.live);
      const share = progress === null ? 0 : progress.done / Math.max(1, progress.total);
      if (progress === null) bar.removeAttribute('value');
      else bar.value = share;
      const time = timeLeft(startedAt, share);
      left.textContent = time ?? '';
      leftWords.textContent = time === undefined ? 'Under way' : ' left';
      percent.textContent = share > 0 ? `${Math.round(100 * share)}%` : '';
      stage.textContent =
        progress === null ? 'Starting' : `${progress.stage} (${progress.done} of ${progress.total})`;
      const live = progress?.live;
      const state = JSON.stringify([live, progress?.done]);
      if (state === shown) return;
      shown = state;
      steps.replaceChildren(
        ...(request.epsilon === undefined ? [] : [step(`Paid: ε = ${request.epsilon} is booked`)]),
        ...[...released].map(([name, { times, seconds }]) =>
          step(times === 1 ? name : `${name} ×${times}`, seconds),
        ),
        nowStep('Going on'),
        ...stepsAfter.map(laterStep),
      );
      drawSignal(signal, live);
      drawStanding(standing, live);
    },
  };
}

/** What becomes of a run, and of what was paid for it, when nobody waits for it. */
function leavingNotice(isCharged: boolean): HTMLElement {
  return element(
    'p',
    { class: 'notice row small' },
    icon('lock'),
    element(
      'span',
      {},
      isCharged
        ? 'Stopping keeps the charge: the noise has been spent on what was already released. You can repeat the run without a second charge.'
        : 'You can leave this page. The run goes on, and the list of runs keeps it.',
    ),
  );
}

/** Signal beside noise by popularity of titles, once there is something to tell them apart by. */
function drawSignal(place: HTMLElement, live: LiveSignal | undefined): void {
  const fifths = live?.fifths;
  place.hidden = fifths === undefined;
  if (fifths === undefined) return;
  place.replaceChildren(
    element('h2', {}, 'Signal against noise'),
    element(
      'p',
      { class: 'small quiet' },
      'Taste, title by title, by popularity. Worked out from released numbers, so looking costs nothing.',
    ),
    fittedChart(signalChart(fifths), 260),
  );
}

function drawStanding(place: HTMLElement, { items, itemsAboveNoise }: Partial<LiveSignal> = {}): void {
  place.hidden = items === undefined || itemsAboveNoise === undefined;
  if (items === undefined || itemsAboveNoise === undefined) return;
  place.replaceChildren(
    cardHead(
      'Titles that stand out',
      element('strong', {}, `${count.format(itemsAboveNoise)} of ${count.format(items)}`),
    ),
    standOutStrip(itemsAboveNoise / items),
    element('p', { class: 'small quiet' }, 'How often they were rated is more than noise.'),
  );
}

/** What follows the last release. */
const stepsAfter = ['Repeated without people, compared', 'Certificate'];

function step(name: string, seconds?: number): HTMLElement {
  return element(
    'li',
    {},
    icon('check'),
    element('span', {}, name),
    seconds === undefined ? null : element('span', { class: 'seconds' }, `${seconds.toFixed(1)} s`),
  );
}

function nowStep(name: string): HTMLElement {
  return element(
    'li',
    { class: 'now' },
    element('i', {}),
    element('strong', {}, name),
    element('span', {}, 'now'),
  );
}

function laterStep(name: string): HTMLElement {
  return element('li', { class: 'later' }, element('i', {}), element('span', {}, name));
}

/** What was released by kind, how often, and the seconds it took: from the release before, or the start. */
export function releasedSteps(
  live: LiveSignal | undefined,
): ReadonlyMap<string, { readonly times: number; readonly seconds?: number }> {
  const steps = new Map<string, { times: number; seconds?: number }>();
  for (const [at, release] of (live?.releases ?? []).entries()) {
    const name = releaseWords(release);
    const before = steps.get(name);
    const heardAt = live?.seconds?.[at];
    const took =
      heardAt === undefined ? undefined : heardAt - (at === 0 ? 0 : (live?.seconds?.[at - 1] ?? 0));
    steps.set(name, {
      times: (before?.times ?? 0) + 1,
      ...(took !== undefined && { seconds: (before?.seconds ?? 0) + took }),
    });
  }
  return steps;
}

/**
 * "18 s" from how long it took so far; nothing before there is something to go by, nor after the last round,
 * when the repetition is still to come.
 */
function timeLeft(startedAt: string | null, share: number): string | undefined {
  if (startedAt === null || share < 0.05 || share >= 1) return undefined;
  const seconds = Math.ceil((((Date.now() - Date.parse(startedAt)) / 1000) * (1 - share)) / share);
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
