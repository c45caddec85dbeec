import { shownEpsilon } from '@hushrec/model/words';
import { formatNumber } from '@hushrec/report';
import { metricsOf } from '../model-metrics.js';
import { Failure } from '../parts/drawn.js';
import type { Run } from '../server-interface.js';
import { Running } from './running.js';
import { isGoingOn, type RunsState } from './runs-state.js';

const statusChips: Readonly<Record<Run['status'], readonly [string, string]>> = {
  queued: ['waiting', ''],
  running: ['training', 'warn'],
  done: ['done', 'good'],
  failed: ['failed', 'bad'],
  stopped: ['stopped', ''],
  interrupted: ['interrupted', 'warn'],
};
const count = new Intl.NumberFormat('en');

export function Runs({ list }: { list: RunsState }) {
  const runs = list.runs.value;
  return (
    <section class="card" aria-labelledby="runs">
      <h2 id="runs">Runs</h2>
      {runs.length === 0 ? <p class="quiet">No runs yet.</p> : null}
      <ul class="items" aria-label="Runs">
        {runs.map((run) => (
          <Entry key={run.id} list={list} run={run} />
        ))}
      </ul>
    </section>
  );
}

function Entry({ list, run }: { list: RunsState; run: Run }) {
  const isHeld = run.status === 'done' && run.published === false;
  return (
    <li data-run={run.id}>
      <div class="row spread">
        <Head run={run} isHeld={isHeld} />
        <Actions list={list} run={run} isHeld={isHeld} />
      </div>
      {run.status === 'running' ? <Running run={run} /> : null}
      {run.error === null ? null : <p class="notice bad">{run.error}</p>}
      {isHeld ? (
        <p class="small">
          {`Held back: fewer than ${count.format(run.request.publishFrom ?? 0)} titles stand out from the noise.`}
        </p>
      ) : null}
      <Finished run={run} />
      <Quality run={run} />
      <Failure of={list.problems.value[run.id]} />
    </li>
  );
}

/** Which run it is, and where it stands. */
function Head({ run: { id, request, status, startedBy }, isHeld }: { run: Run; isHeld: boolean }) {
  const [word, kind] = statusChips[status];
  const epsilon = request.epsilon === undefined ? '' : `, ε = ${shownEpsilon(request.epsilon)}`;
  const who = startedBy === null ? '' : `, started by ${startedBy}`;
  return (
    <span class="row">
      <a class="item-title" href={`#/train/${encodeURIComponent(id)}`}>
        {request.model}
      </a>
      <span class={`chip ${kind}`} role="status">
        {word}
      </span>
      <span class="small quiet">{`${request.method} on ${request.dataset}${epsilon}${who}`}</span>
      {isHeld ? <span class="chip warn">not published</span> : null}
    </span>
  );
}

/** What can be done with it now. */
function Actions({ list, run, isHeld }: { list: RunsState; run: Run; isHeld: boolean }) {
  const { status } = run;
  const { model } = run.request;
  const isOut = status === 'done' && !isHeld;
  const offered = [
    ['Publish', 'publish', isHeld],
    ['Stop', 'stop', isGoingOn(run)],
    ['Resume', 'resume', status === 'interrupted' || status === 'stopped'],
  ] as const;
  return (
    <span class="row">
      {isOut ? (
        <>
          <a class="button primary" href={`#/try/${encodeURIComponent(model)}`}>
            Try it
          </a>
          <a class="button" href={`#/certificate/${encodeURIComponent(model)}`}>
            Certificate
          </a>
        </>
      ) : null}
      {offered.map(([word, what, isOffered]) =>
        isOffered && list.mayOperate ? (
          <button
            key={what}
            type="button"
            aria-label={`${word} ${model}`}
            onClick={() => void list.act(run, what)}
          >
            {word}
          </button>
        ) : null,
      )}
    </span>
  );
}

/** What came of it, from released numbers. */
function Finished({ run: { status, result, startedAt, endedAt } }: { run: Run }) {
  const { itemsAboveNoise, items } = (result?.['usefulness'] ?? {}) as Record<string, unknown>;
  if (status !== 'done' || typeof itemsAboveNoise !== 'number' || typeof items !== 'number') return null;
  const seconds =
    startedAt === null || endedAt === null
      ? ''
      : ` ${Math.round((Date.parse(endedAt) - Date.parse(startedAt)) / 1000)} seconds.`;
  return (
    <p class="small">
      {`${count.format(itemsAboveNoise)} of ${count.format(items)} titles stand out from the noise.${seconds}`}
    </p>
  );
}

/** What the evaluation of the finished run measured, when it was asked for. */
function Quality({ run }: { run: Run }) {
  const measured = metricsOf({ metrics: run.quality });
  if (measured.length === 0) return null;
  const words = measured
    .map(
      ({ name, value, low, high }) =>
        `${name} ${formatNumber(value)} (${formatNumber(low)} to ${formatNumber(high)})`,
    )
    .join(' · ');
  const found = measured.find(({ name }) => name === 'recall@20');
  if (found === undefined) return <p class="small">{`Quality: ${words}`}</p>;
  const [value, low, high] = [found.value, found.low, found.high].map((share) => Math.round(100 * share));
  return (
    <>
      <p class="small">
        {`Quality: ${value} of 100 held-out favourites are in its top 20 (${low} to ${high}).`}
      </p>
      <details>
        <summary class="small">Everything measured</summary>
        <p class="small">{words}</p>
      </details>
    </>
  );
}
