import { shownEpsilon } from '@hushrec/model/words';
import { formatNumber } from '@hushrec/report';
import { button, element } from '../build-element.js';
import { metricsOf } from '../model-metrics.js';
import { followRun, type Run, send } from '../server-interface.js';
import { runningRun } from './running-run.js';
import { failure } from './states.js';

const statusChips: Readonly<Record<Run['status'], readonly [string, string]>> = {
  queued: ['waiting', ''],
  running: ['training', 'warn'],
  done: ['done', 'good'],
  failed: ['failed', 'bad'],
  stopped: ['stopped', ''],
  interrupted: ['interrupted', 'warn'],
};

/** Runs of this tab after which the new model is to be tried. */
export const opensTryIt = new Set<string>();

/** Runs with live progress. Active ones are followed by server-sent events until they end. */
export function runList(
  runs: readonly Run[],
  mayOperate: boolean,
  signal: AbortSignal,
): { readonly element: HTMLElement; add(run: Run): void } {
  const list = element('ul', { class: 'items', 'aria-label': 'Runs' });
  const nothing = element('p', { class: 'quiet' }, 'No runs yet.');
  const place = element('div', {}, runs.length === 0 ? nothing : null, list);
  const add = (run: Run) => {
    nothing.remove();
    const entry = element('li', { 'data-run': run.id });
    list.prepend(entry);
    show(entry, run, mayOperate, signal);
  };
  for (const run of runs.toReversed()) add(run);
  return { element: place, add };
}

function show(entry: HTMLElement, run: Run, mayOperate: boolean, signal: AbortSignal): void {
  drawRun(entry, run, mayOperate, signal);
  if (run.status !== 'queued' && run.status !== 'running') return;
  followRun(run.id, (changed) => drawRun(entry, changed, mayOperate, signal), signal).catch((error) => {
    if (!signal.aborted) entry.append(failure(error));
  });
}

const running = new WeakMap<HTMLElement, ReturnType<typeof runningRun>>();

function drawRun(entry: HTMLElement, run: Run, mayOperate: boolean, signal: AbortSignal): void {
  // A run that goes on only fills its parts: buttons stay where the finger is.
  const known = running.get(entry);
  if (run.status === 'running' && entry.dataset['status'] === 'running' && known !== undefined) {
    known.draw(run);
    return;
  }
  if (run.status === 'done' && opensTryIt.delete(run.id) && run.published !== false)
    location.assign(`#/try/${encodeURIComponent(run.request.model)}`);
  const live = run.status === 'running' ? runningRun(run) : undefined;
  if (live === undefined) running.delete(entry);
  else {
    running.set(entry, live);
    live.draw(run);
  }
  entry.dataset['status'] = run.status;
  const isHeld = run.status === 'done' && run.published === false;
  entry.replaceChildren(
    element(
      'div',
      { class: 'row spread' },
      runHead(run, isHeld),
      runActions(run, isHeld, mayOperate, async (what) => {
        try {
          const changed = await send(`/api/runs/${run.id}/${what}`, undefined);
          if (what !== 'stop') show(entry, changed, mayOperate, signal);
        } catch (error) {
          entry.append(failure(error));
        }
      }),
    ),
    live?.element ?? '',
    run.error === null ? '' : element('p', { class: 'notice bad' }, run.error),
    ...(isHeld
      ? [
          element(
            'p',
            { class: 'small' },
            `Held back: fewer than ${count.format(run.request.publishFrom ?? 0)} titles stand out from the noise.`,
          ),
        ]
      : []),
    ...finishedParts(run),
    ...qualityParts(run),
  );
}

/** Which run it is, and where it stands. */
function runHead({ id, request, status, startedBy }: Run, isHeld: boolean): HTMLElement {
  const [word, kind] = statusChips[status];
  const epsilon = request.epsilon === undefined ? '' : `, ε = ${shownEpsilon(request.epsilon)}`;
  const who = startedBy === null ? '' : `, started by ${startedBy}`;
  return element(
    'span',
    { class: 'row' },
    element('a', { class: 'item-title', href: `#/train/${encodeURIComponent(id)}` }, request.model),
    element('span', { class: `chip ${kind}`, role: 'status' }, word),
    element('span', { class: 'small quiet' }, `${request.method} on ${request.dataset}${epsilon}${who}`),
    isHeld ? element('span', { class: 'chip warn' }, 'not published') : null,
  );
}

/** What can be done with it now. */
function runActions(
  { request: { model }, status }: Run,
  isHeld: boolean,
  mayOperate: boolean,
  act: (what: 'stop' | 'resume' | 'publish') => Promise<void>,
): HTMLElement {
  const isOut = status === 'done' && !isHeld;
  const action = (word: string, what: 'stop' | 'resume' | 'publish', isOffered: boolean) =>
    mayOperate && isOffered ? button(word, () => void act(what), { 'aria-label': `${word} ${model}` }) : null;
  return element(
    'span',
    { class: 'row' },
    isOut
      ? element('a', { class: 'button primary', href: `#/try/${encodeURIComponent(model)}` }, 'Try it')
      : null,
    action('Publish', 'publish', isHeld),
    isOut
      ? element('a', { class: 'button', href: `#/certificate/${encodeURIComponent(model)}` }, 'Certificate')
      : null,
    action('Stop', 'stop', status === 'queued' || status === 'running'),
    action('Resume', 'resume', status === 'interrupted' || status === 'stopped'),
  );
}

/** What came of it, from released numbers. */
function finishedParts({ status, result, startedAt, endedAt }: Run): HTMLElement[] {
  const { itemsAboveNoise, items } = (result?.['usefulness'] ?? {}) as Record<string, unknown>;
  if (status !== 'done' || typeof itemsAboveNoise !== 'number' || typeof items !== 'number') return [];
  const seconds =
    startedAt === null || endedAt === null
      ? ''
      : ` ${Math.round((Date.parse(endedAt) - Date.parse(startedAt)) / 1000)} seconds.`;
  return [
    element(
      'p',
      { class: 'small' },
      `${count.format(itemsAboveNoise)} of ${count.format(items)} titles stand out from the noise.${seconds}`,
    ),
  ];
}

const count = new Intl.NumberFormat('en');

/** What the evaluation of the finished run measured, when it was asked for. */
function qualityParts(run: Run): HTMLElement[] {
  const measured = metricsOf({ metrics: run.quality });
  if (measured.length === 0) return [];
  const words = measured
    .map(
      ({ name, value, low, high }) =>
        `${name} ${formatNumber(value)} (${formatNumber(low)} to ${formatNumber(high)})`,
    )
    .join(' · ');
  const found = measured.find(({ name }) => name === 'recall@20');
  if (found === undefined) return [element('p', { class: 'small' }, `Quality: ${words}`)];
  const [value, low, high] = [found.value, found.low, found.high].map((share) => Math.round(100 * share));
  return [
    element(
      'p',
      { class: 'small' },
      `Quality: ${value} of 100 held-out favourites are in its top 20 (${low} to ${high}).`,
    ),
    element(
      'details',
      {},
      element('summary', { class: 'small' }, 'Everything measured'),
      element('p', { class: 'small' }, words),
    ),
  ];
}
