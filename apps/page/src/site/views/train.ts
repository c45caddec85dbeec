import { element } from '../build-element.js';
import { listModels } from '../model-list.js';
import { runList } from '../parts/run-list.js';
import { signIn } from '../parts/sign-in.js';
import { empty, failure, loading } from '../parts/states.js';
import { trainForm } from '../parts/train-form.js';
import { askJson, type Run } from '../server-interface.js';

/** Start a run: the guarantee before, progress during, quality and what is left of the budget after. */
export async function trainView(
  place: HTMLElement,
  asked: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  place.append(
    element('h1', {}, asked === undefined ? 'Train a model' : 'A run'),
    element(
      'p',
      { class: 'lead' },
      'The promise comes first. It follows from the settings alone, before any rating is read.',
    ),
  );
  const body = element('div');
  place.append(body);
  const show = async () => {
    body.replaceChildren(loading('Loading'));
    try {
      const { role } = await askJson('/api/whoami');
      if (signal.aborted) return;
      if (asked !== undefined) {
        const { runs } = await askJson('/api/runs');
        if (!signal.aborted) body.replaceChildren(...oneRun(runs, asked, role === 'operator', signal));
        return;
      }
      if (role !== 'operator') {
        const { runs } = await askJson('/api/runs');
        body.replaceChildren(
          signIn(() => void show()),
          runSection(runs, false, signal),
        );
        return;
      }
      const [{ datasets }, { methods }, { runs }, models] = await Promise.all([
        askJson('/api/datasets'),
        askJson('/api/methods'),
        askJson('/api/runs'),
        listModels(),
      ]);
      const taken = [...models.map(({ id }) => id), ...runs.map(({ request }) => request.model)];
      if (signal.aborted) return;
      const list = runSection(runs, true, signal);
      const form =
        datasets.length === 0
          ? noDatasets()
          : trainForm(datasets, methods, taken, runs, signal, (run) => showStarted(run, list, body));
      // What goes on now is what an operator looks for.
      const isTraining = runs.some(({ status }) => status === 'running' || status === 'queued');
      body.replaceChildren(...(isTraining ? [list, form] : [form, list]));
    } catch (error) {
      if (!signal.aborted) body.replaceChildren(failure(error, show));
    }
  };
  await show();
}

function showStarted(run: Run, list: HTMLElement, body: HTMLElement): void {
  // The run has an address: loading the page again shows it.
  history.replaceState(null, '', `#/train/${encodeURIComponent(run.id)}`);
  list.dispatchEvent(new CustomEvent('started', { detail: run }));
  body.prepend(list);
  list.scrollIntoView({ block: 'nearest' });
}

function noDatasets(): HTMLElement {
  return empty(
    'No data sets here',
    'Start the server with ',
    element('code', {}, '--data'),
    ' and a folder made by ',
    element('code', {}, 'hushrec import'),
    ' or ',
    element('code', {}, 'hushrec generate'),
    '.',
  );
}

/** One run by its address, and the way to all of them. */
function oneRun(
  runs: readonly Run[],
  asked: string,
  mayOperate: boolean,
  signal: AbortSignal,
): HTMLElement[] {
  const run = runs.find(({ id }) => id === asked);
  const all = element('a', { class: 'button', href: '#/train' }, 'To all runs');
  return run === undefined
    ? [empty('There is no such run', 'Its address may be mistyped, or from another server. ', all)]
    : [runSection([run], mayOperate, signal), element('p', {}, all)];
}

function runSection(runs: readonly Run[], mayOperate: boolean, signal: AbortSignal): HTMLElement {
  const list = runList(runs, mayOperate, signal);
  const section = element(
    'section',
    { class: 'card', 'aria-labelledby': 'runs' },
    element('h2', { id: 'runs' }, 'Runs'),
    list.element,
  );
  section.addEventListener('started', (event) => list.add((event as CustomEvent<Run>).detail));
  return section;
}
