import { Icon, Picture } from '../parts/drawn.js';
import { fittedChart } from '../parts/fitted-chart.js';
import { standOutStrip } from '../pictures/measures.js';
import { signalChart } from '../pictures/signal-chart.js';
import { releaseWords } from '../release-words.js';
import type { LiveSignal, Run } from '../server-interface.js';

const count = new Intl.NumberFormat('en');

/** What follows the last release. */
const stepsAfter = ['Repeated without people, compared', 'Certificate'];

/**
 * A run while it goes on: time left, what was released so far, and how much of it is more than noise. All
 * from released numbers, so looking costs nothing.
 */
export function Running({ run: { request, startedAt, progress } }: { run: Run }) {
  const share = progress === null ? 0 : progress.done / Math.max(1, progress.total);
  const time = timeLeft(startedAt, share);
  const isCharged = request.epsilon !== undefined;
  return (
    <div class="grid form running">
      <div>
        <section class="card" aria-label={`Training ${request.model}`}>
          <p class="row spread">
            <span>
              <span class="figure-big">{time}</span>
              {time === undefined ? 'Under way' : ' left'}
            </span>
            <strong>{share > 0 ? `${Math.round(100 * share)}%` : ''}</strong>
          </p>
          <progress
            max={1}
            value={progress === null ? undefined : share}
            aria-label={`Progress of ${request.model}`}
          />
          <p class="small quiet stage" role="status">
            {progress === null ? 'Starting' : `${progress.stage} (${progress.done} of ${progress.total})`}
          </p>
          <ul class="steps">
            {isCharged ? <Step name={`Paid: ε = ${request.epsilon} is booked`} /> : null}
            {[...releasedSteps(progress?.live)].map(([name, { times, seconds }]) => (
              <Step key={name} name={times === 1 ? name : `${name} ×${times}`} seconds={seconds} />
            ))}
            <li class="now">
              <i />
              <strong>Going on</strong>
              <span>now</span>
            </li>
            {stepsAfter.map((name) => (
              <li key={name} class="later">
                <i />
                <span>{name}</span>
              </li>
            ))}
          </ul>
        </section>
        <p class="notice row small">
          <Icon name="lock" />
          <span>
            {isCharged
              ? 'Stopping keeps the charge: the noise has been spent on what was already released. You can repeat the run without a second charge.'
              : 'You can leave this page. The run goes on, and the list of runs keeps it.'}
          </span>
        </p>
      </div>
      <div>
        <Live live={progress?.live} />
      </div>
    </div>
  );
}

function Step({ name, seconds }: { name: string; seconds?: number | undefined }) {
  return (
    <li>
      <Icon name="check" />
      <span>{name}</span>
      {seconds === undefined ? null : <span class="seconds">{`${seconds.toFixed(1)} s`}</span>}
    </li>
  );
}

/** Signal beside noise by popularity of titles, and how many stand out, once there is something to tell. */
function Live({ live = { releases: [] } }: { live: LiveSignal | undefined }) {
  const { fifths, items, itemsAboveNoise } = live;
  return (
    <>
      {fifths === undefined ? null : (
        <section class="card">
          <h2>Signal against noise</h2>
          <p class="small quiet">
            Taste, title by title, by popularity. Worked out from released numbers, so looking costs nothing.
          </p>
          <Picture draw={() => fittedChart(signalChart(fifths), 260)} of={fifths} />
        </section>
      )}
      {items === undefined || itemsAboveNoise === undefined ? null : (
        <section class="card">
          <div class="head">
            <h2>Titles that stand out</h2>
            <strong>{`${count.format(itemsAboveNoise)} of ${count.format(items)}`}</strong>
          </div>
          <Picture draw={() => standOutStrip(itemsAboveNoise / items)} of={[itemsAboveNoise, items]} />
          <p class="small quiet">How often they were rated is more than noise.</p>
        </section>
      )}
    </>
  );
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
