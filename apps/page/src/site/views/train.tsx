import { render } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { element } from '../build-element.js';
import { listModels } from '../model-list.js';
import { failure, loading } from '../parts/states.js';
import { askJson } from '../server-interface.js';
import { Runs } from '../train/runs.js';
import { isGoingOn, RunsState } from '../train/runs-state.js';
import { SignIn } from '../train/sign-in.js';
import { TrainForm } from '../train/train-form.js';
import { TrainState } from '../train/train-state.js';

/** Start a run: the guarantee before, progress during, quality and what is left of the budget after. */
export async function trainView(
  place: HTMLElement,
  asked: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const body = element('div');
  place.append(
    element('h1', {}, asked === undefined ? 'Train a model' : 'A run'),
    element(
      'p',
      { class: 'lead' },
      'The promise comes first. It follows from the settings alone, before any rating is read.',
    ),
    body,
  );
  signal.addEventListener('abort', () => render(null, body));
  const show = async () => {
    render(null, body);
    body.replaceChildren(loading('Loading'));
    try {
      const [{ role }, { runs }] = await Promise.all([askJson('/api/whoami'), askJson('/api/runs')]);
      const mayOperate = role === 'operator';
      if (signal.aborted) return;
      if (asked !== undefined) {
        const own = runs.filter(({ id }) => id === asked);
        body.replaceChildren();
        return render(<OneRun list={new RunsState(own, mayOperate, signal)} />, body);
      }
      const list = new RunsState(runs, mayOperate, signal);
      const state = mayOperate ? await stateOf(list) : undefined;
      if (signal.aborted) return;
      state?.follow(signal);
      body.replaceChildren();
      render(mayOperate ? <Train list={list} state={state} /> : <SignedOut list={list} done={show} />, body);
    } catch (error) {
      if (!signal.aborted) body.replaceChildren(failure(error, show));
    }
  };
  await show();
}

/** Nothing where there is no data to train on. */
async function stateOf(list: RunsState): Promise<TrainState | undefined> {
  const [{ datasets }, { methods }, models] = await Promise.all([
    askJson('/api/datasets'),
    askJson('/api/methods'),
    listModels(),
  ]);
  if (datasets.length === 0) return undefined;
  return new TrainState(
    datasets,
    methods,
    models.map(({ id }) => id),
    list,
  );
}

function Train({ list, state }: { list: RunsState; state: TrainState | undefined }) {
  const place = useRef<HTMLDivElement>(null);
  const started = state?.started.value.run;
  useLayoutEffect(() => {
    if (started === undefined) return;
    // The run has an address: loading the page again shows it.
    history.replaceState(null, '', `#/train/${encodeURIComponent(started.id)}`);
    place.current?.scrollIntoView({ block: 'nearest' });
  }, [started]);
  const isTraining = useMemo(() => list.runs.peek().some(isGoingOn), [list]);
  const parts = [
    state === undefined ? <NoDatasets key="form" /> : <TrainForm key="form" state={state} />,
    <div key="runs" ref={place}>
      <Runs list={list} />
    </div>,
  ];
  // What goes on now is what an operator looks for.
  return <>{isTraining || started !== undefined ? parts.toReversed() : parts}</>;
}

function NoDatasets() {
  return (
    <div class="card empty">
      <h2>No data sets here</h2>
      <p>
        Start the server with <code>--data</code> and a folder made by <code>hushrec import</code> or{' '}
        <code>hushrec generate</code>.
      </p>
    </div>
  );
}

function SignedOut({ list, done }: { list: RunsState; done: () => void }) {
  return (
    <>
      <SignIn done={done} />
      <Runs list={list} />
    </>
  );
}

/** One run by its address, and the way to all of them. */
function OneRun({ list }: { list: RunsState }) {
  const all = (
    <a class="button" href="#/train">
      To all runs
    </a>
  );
  return list.runs.value.length === 0 ? (
    <div class="card empty">
      <h2>There is no such run</h2>
      <p>Its address may be mistyped, or from another server. {all}</p>
    </div>
  ) : (
    <>
      <Runs list={list} />
      <p>{all}</p>
    </>
  );
}
