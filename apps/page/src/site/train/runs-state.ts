import { type Signal, signal } from '@preact/signals';
import { followRun, type Run, send } from '../server-interface.js';

/** Runs of this tab after which the new model is to be tried. */
export const opensTryIt = new Set<string>();

export function isGoingOn({ status }: Run): boolean {
  return status === 'queued' || status === 'running';
}

/** Runs with live progress: active ones are followed by server-sent events until they end. */
export class RunsState {
  /** The newest first. */
  readonly runs: Signal<readonly Run[]>;
  /** What went wrong with a run's own buttons, or on the way to its events. */
  readonly problems = signal<Readonly<Record<string, unknown>>>({});
  readonly mayOperate: boolean;
  readonly #signal: AbortSignal;

  constructor(runs: readonly Run[], mayOperate: boolean, signal_: AbortSignal) {
    this.runs = signal(runs);
    this.mayOperate = mayOperate;
    this.#signal = signal_;
    for (const run of runs) this.#follow(run);
  }

  add(run: Run): void {
    this.runs.value = [run, ...this.runs.value];
    this.#follow(run);
  }

  async act({ id }: Run, what: 'stop' | 'resume' | 'publish'): Promise<void> {
    try {
      const changed = await send(`/api/runs/${id}/${what}`, undefined);
      // A run that stops says so itself.
      if (what !== 'stop') this.#follow(changed);
    } catch (error) {
      this.#fail(id, error);
    }
  }

  #follow(run: Run): void {
    this.#replace(run);
    if (!isGoingOn(run)) return;
    followRun(run.id, (changed) => this.#replace(changed), this.#signal).catch((error) => {
      if (!this.#signal.aborted) this.#fail(run.id, error);
    });
  }

  #fail(id: string, error: unknown): void {
    this.problems.value = { ...this.problems.value, [id]: error };
  }

  #replace(run: Run): void {
    this.runs.value = this.runs.value.map((each) => (each.id === run.id ? run : each));
    if (run.status === 'done' && opensTryIt.delete(run.id) && run.published !== false)
      location.assign(`#/try/${encodeURIComponent(run.request.model)}`);
  }
}
