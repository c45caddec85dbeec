import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { disk } from '@hushrec/ratings';
import { hasEnded, type Run, type RunProgress, type RunRequest } from '../state/run.js';
import type { RunStore } from '../state/run-store.js';
import { type CommandEnd, type CommandProcess, startCommand } from './command-process.js';
import { evaluateArguments, trainArguments } from './train-arguments.js';

export interface JobRunnerOptions {
  readonly store: RunStore;
  /** File URL or path of the module whose `main(args)` is the command line. */
  readonly commandLine: string;
  /** How many runs may train at once; the others wait. */
  readonly concurrent: number;
  /** How long a stopped run may take to clean up before it is killed. */
  readonly graceMs: number;
  /** Added to the environment of training processes. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly datasetPath: (name: string) => string;
  readonly modelPath: (name: string) => string;
  /**
   * Where a model lies that is not published: on the same disk, and out of sight of whoever serves models.
   */
  readonly heldPath: (name: string) => string;
  /** Told of every run that ended, so that new models are noticed at once. */
  readonly onEnd?: (run: Run) => void;
  /** Told when the state of a run could not be stored. */
  readonly onError?: (error: Error) => void;
}

const progressToDiskEveryMs = 1000;

/**
 * Starts, watches and stops training runs. Every change of status is on disk before anyone is told; progress
 * is told at once and stored once a second.
 */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #queue: { run: Run; resume: boolean }[] = [];
  readonly #running = new Map<string, { process: CommandProcess; run: Run; stopping: boolean }>();
  readonly #events = new EventEmitter();
  #closing = false;

  constructor(options: JobRunnerOptions) {
    this.#options = options;
    this.#events.setMaxListeners(0);
  }

  get runningCount(): number {
    return this.#running.size;
  }

  /**
   * Runs that the last server left behind are over; what they had written is kept, and they can be resumed.
   */
  async recover(): Promise<readonly Run[]> {
    const left = await this.#options.store.unfinished();
    for (const run of left) {
      await this.#options.store.put({ ...run, status: 'interrupted', endedAt: new Date().toISOString() });
    }
    return left;
  }

  async start(id: string, request: RunRequest, startedBy: string | null = null): Promise<Run> {
    const run: Run = {
      id,
      request,
      status: 'queued',
      startedBy,
      published: null,
      createdAt: new Date().toISOString(),
      startedAt: null,
      endedAt: null,
      progress: null,
      result: null,
      quality: null,
      error: null,
    };
    await this.#enqueue(run, false);
    return run;
  }

  /** Goes on with a run that was interrupted or stopped. */
  async resume(run: Run): Promise<Run> {
    const again: Run = { ...run, status: 'queued', endedAt: null, error: null };
    await this.#enqueue(again, true);
    return again;
  }

  /** Asks a run to stop; resolves when the request is on its way. False when it is not active. */
  async stop(id: string): Promise<boolean> {
    const waiting = this.#queue.find(({ run }) => run.id === id);
    if (waiting !== undefined) {
      this.#queue.splice(this.#queue.indexOf(waiting), 1);
      await this.#save({ ...waiting.run, status: 'stopped', endedAt: new Date().toISOString() });
      return true;
    }
    const active = this.#running.get(id);
    if (active === undefined) return false;
    active.stopping = true;
    active.process.stop(this.#options.graceMs);
    return true;
  }

  /** A command that is no run, such as a grant, in a process of its own. */
  command(args: readonly string[]): Promise<CommandEnd> {
    return startCommand(this.#options.commandLine, args, this.#options.environment ?? {}, () => {}).ended;
  }

  /** Publishes the model of a finished run that was held back; false where there is none to publish. */
  async publish(run: Run): Promise<Run | undefined> {
    const { heldPath, modelPath } = this.#options;
    const [held, place] = [heldPath(run.request.model), modelPath(run.request.model)];
    if (!existsSync(held) || existsSync(place)) return undefined;
    await moved(held, place);
    const published: Run = { ...run, published: true };
    await this.#save(published);
    this.#options.onEnd?.(published);
    return published;
  }

  /** Whether a run of this model name is waiting or training, or its model is held back. */
  isWriting(model: string): boolean {
    if (existsSync(this.#options.heldPath(model))) return true;
    const active = [...this.#running.values(), ...this.#queue].map(({ run }) => run);
    return active.some(({ request }) => request.model === model);
  }

  /** Calls back on every change of the run until the returned function is called. */
  watch(id: string, listener: (run: Run) => void): () => void {
    this.#events.on(id, listener);
    return () => this.#events.off(id, listener);
  }

  /** The run with its newest progress, which may not be on disk yet. */
  async current(id: string): Promise<Run | undefined> {
    return this.#running.get(id)?.run ?? this.#options.store.get(id);
  }

  /** Stops everything and waits for it. Runs end as `interrupted`: they were not stopped by a person. */
  async close(): Promise<void> {
    this.#closing = true;
    const waiting = this.#queue.splice(0);
    for (const { run } of waiting)
      await this.#save({ ...run, status: 'interrupted', endedAt: new Date().toISOString() });
    const ended = [...this.#running.values()].map((active) => {
      const end = new Promise<void>((resolve) => this.#events.once(`end ${active.run.id}`, resolve));
      active.process.stop(this.#options.graceMs);
      return end;
    });
    await Promise.all(ended);
  }

  async #enqueue(run: Run, resume: boolean): Promise<void> {
    await this.#save(run);
    this.#queue.push({ run, resume });
    this.#startNext();
  }

  #startNext(): void {
    if (this.#closing || this.#running.size >= this.#options.concurrent) return;
    const next = this.#queue.shift();
    if (next === undefined) return;
    const run: Run = { ...next.run, status: 'running', startedAt: new Date().toISOString() };
    this.#train(run, next.resume)
      .catch((error: Error) => this.#options.onError?.(error))
      .finally(() => {
        this.#running.delete(run.id);
        this.#events.emit(`end ${run.id}`);
        this.#startNext();
      });
  }

  async #train(run: Run, resume: boolean): Promise<void> {
    const { datasetPath, modelPath, heldPath } = this.#options;
    const { publishFrom, model } = run.request;
    const place = modelPath(model);
    const places = {
      dataset: datasetPath(run.request.dataset),
      model: publishFrom === undefined ? place : heldPath(model),
    };
    if (publishFrom !== undefined) await disk.makeFolder(dirname(places.model));
    const training = this.#command(
      run.id,
      trainArguments(run.request, { ...places, resume }, run.startedBy ?? null),
    );
    const active = { run, process: training, stopping: false };
    this.#running.set(run.id, active);
    await this.#save(run);
    const { exitCode, result, message } = await training.ended;
    if (exitCode !== 0 || result === null) {
      const status = active.stopping ? 'stopped' : this.#closing ? 'interrupted' : 'failed';
      const error =
        status === 'failed'
          ? withoutPlaces(message, run, places) || `Training ended with exit code ${exitCode}.`
          : null;
      await this.#end({ ...active.run, status, error });
      return;
    }
    // By released numbers alone, before anything is measured on people.
    const published = publishFrom === undefined || titlesThatStandOut(result) >= publishFrom;
    if (publishFrom !== undefined && published) {
      await moved(places.model, place);
      places.model = place;
    }
    let quality: Run['quality'] = null;
    if (run.request.evaluate === true && !active.stopping && !this.#closing) {
      active.process = this.#command(run.id, evaluateArguments(run.request, places));
      quality = (await active.process.ended).result;
    }
    await this.#end({
      ...active.run,
      status: 'done',
      published,
      result: { ...result, model: run.request.model },
      quality,
    });
  }

  #command(id: string, args: readonly string[]): CommandProcess {
    let storedAt = 0;
    return startCommand(this.#options.commandLine, args, this.#options.environment ?? {}, (progress) => {
      const run = this.#note(id, progress);
      if (run === undefined || Date.now() - storedAt < progressToDiskEveryMs) return;
      storedAt = Date.now();
      this.#options.store.put(run).catch((error: Error) => this.#options.onError?.(error));
    });
  }

  async #end(run: Run): Promise<void> {
    const ended: Run = { ...run, endedAt: new Date().toISOString() };
    this.#running.delete(run.id);
    await this.#save(ended);
    this.#options.onEnd?.(ended);
  }

  #note(id: string, progress: RunProgress): Run | undefined {
    const active = this.#running.get(id);
    if (active === undefined) return undefined;
    // What was heard last stays until something newer is.
    const live = progress.live ?? active.run.progress?.live;
    active.run = { ...active.run, progress: { ...progress, ...(live && { live }) } };
    this.#events.emit(id, active.run);
    return active.run;
  }

  async #save(run: Run): Promise<void> {
    await this.#options.store.put(run);
    const active = this.#running.get(run.id);
    if (active !== undefined && !hasEnded(run)) active.run = run;
    this.#events.emit(run.id, run);
  }
}

/** How many titles stand out of the noise, as the command line printed it; none where that is not known. */
function titlesThatStandOut(result: Readonly<Record<string, unknown>>): number {
  const { itemsAboveNoise } = (result['usefulness'] ?? {}) as { itemsAboveNoise?: unknown };
  return typeof itemsAboveNoise === 'number' ? itemsAboveNoise : 0;
}

/** A whole folder to another name on the same disk, durably. */
async function moved(from: string, to: string): Promise<void> {
  await disk.rename(from, to);
  await disk.syncFolder(dirname(to));
  await disk.syncFolder(dirname(from));
}

/** Where folders are on this machine is not for readers of the page: their names stand for them. */
function withoutPlaces(
  message: string,
  { request }: Run,
  places: { readonly dataset: string; readonly model: string },
): string {
  return message.replaceAll(places.model, request.model).replaceAll(places.dataset, request.dataset);
}
