import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { disk } from '@hushrec/ratings';
import { isFullDisk } from '../problem.js';
import type { LiveSignal, Run, RunProgress } from '../state/run.js';
import type { RunStore } from '../state/run-store.js';
import { type CommandEnd, type CommandProcess, startCommand } from './command-process.js';
import { finishedTraining } from './finished-training.js';
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
const storeAgainAfterMs = 1000;

interface WaitingRun {
  readonly run: Run;
  readonly resume: boolean;
  /** Only then may it start: nobody is told of a run that is not on disk. */
  isStored: boolean;
}

interface ActiveRun {
  run: Run;
  /** Undefined until the first process is started. */
  process: CommandProcess | undefined;
  /** A person asked for it to stop. */
  stopping: boolean;
}

/**
 * Starts, watches and stops training runs. Every change of status is on disk before anyone is told; progress
 * is told at once and stored once a second.
 */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #queue: WaitingRun[] = [];
  readonly #running = new Map<string, ActiveRun>();
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

  /** Undefined where the name of the model is taken by another run. */
  async start(
    id: string,
    request: Run['request'],
    startedBy: string | null = null,
  ): Promise<Run | undefined> {
    if (this.isWriting(request.model)) return undefined;
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

  /** Goes on with a run that was interrupted or stopped; undefined where it has been resumed already. */
  async resume(run: Run): Promise<Run | undefined> {
    if (this.#active().some(({ id }) => id === run.id)) return undefined;
    const again: Run = { ...run, status: 'queued', endedAt: null, progress: null, error: null };
    await this.#enqueue(again, true);
    return again;
  }

  /** Asks a run to stop; resolves when the request is on its way. False when it is not active. */
  async stop(id: string): Promise<boolean> {
    const waiting = this.#queue.find(({ run }) => run.id === id);
    if (waiting !== undefined) {
      this.#dequeue(waiting);
      await this.#save({ ...waiting.run, status: 'stopped', endedAt: new Date().toISOString() });
      return true;
    }
    const active = this.#running.get(id);
    if (active === undefined) return false;
    active.stopping = true;
    active.process?.stop(this.#options.graceMs);
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
    const published: Run = { ...run, status: 'done', published: true, error: null };
    await this.#save(published);
    this.#options.onEnd?.(published);
    return published;
  }

  /** Whether a run of this model name is waiting or training, or its model is held back. */
  isWriting(model: string): boolean {
    if (existsSync(this.#options.heldPath(model))) return true;
    return this.#active().some(({ request }) => request.model === model);
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
      active.process?.stop(this.#options.graceMs);
      return end;
    });
    await Promise.all(ended);
  }

  /** Those that wait or train. */
  #active(): Run[] {
    return [...this.#running.values(), ...this.#queue].map(({ run }) => run);
  }

  /** In the queue before the first await, so that two requests at once cannot ask for the same. */
  async #enqueue(run: Run, resume: boolean): Promise<void> {
    const waiting: WaitingRun = { run, resume, isStored: false };
    this.#queue.push(waiting);
    try {
      await this.#save(run);
    } catch (error) {
      this.#dequeue(waiting);
      throw error;
    }
    waiting.isStored = true;
    this.#startNext();
  }

  #dequeue(waiting: WaitingRun): void {
    const at = this.#queue.indexOf(waiting);
    if (at >= 0) this.#queue.splice(at, 1);
  }

  #startNext(): void {
    if (this.#closing || this.#running.size >= this.#options.concurrent) return;
    const next = this.#queue.find(({ isStored }) => isStored);
    if (next === undefined) return;
    this.#dequeue(next);
    const active: ActiveRun = { run: next.run, process: undefined, stopping: false };
    const { id } = next.run;
    this.#running.set(id, active);
    this.#train(active, next.resume)
      .catch((error: Error) => {
        this.#options.onError?.(error);
        return { ...active.run, status: 'failed', error: notWritten(error) } as const;
      })
      .then((ended) => this.#end(ended))
      .finally(() => {
        this.#events.emit(`end ${id}`);
        this.#startNext();
      });
  }

  /** Trains, publishes or holds back, and measures; resolves to the run as it ended. */
  async #train(active: ActiveRun, resume: boolean): Promise<Run> {
    const run: Run = { ...active.run, status: 'running', startedAt: new Date().toISOString() };
    const { datasetPath, modelPath, heldPath } = this.#options;
    const { publishFrom, model } = run.request;
    const place = modelPath(model);
    const isMoved = resume && !existsSync(heldPath(model)) && existsSync(place);
    const places = {
      dataset: datasetPath(run.request.dataset),
      model: publishFrom === undefined || isMoved ? place : heldPath(model),
    };
    if (publishFrom !== undefined) await disk.makeFolder(dirname(places.model));
    await this.#save(run);
    if (this.#isToEnd(active)) return { ...active.run, status: this.#statusOfStopped(active) };
    active.process = this.#command(
      run.id,
      trainArguments(run.request, { ...places, resume }, run.startedBy ?? null),
    );
    const { exitCode, result: told, message } = await active.process.ended;
    const result =
      exitCode === 0 && told !== null
        ? told
        : resume && !this.#isToEnd(active)
          ? await finishedTraining(run, places.model, this.#options.store)
          : undefined;
    if (result === undefined) {
      if (this.#isToEnd(active)) return { ...active.run, status: this.#statusOfStopped(active) };
      const said = withoutPlaces(message, run, places);
      return {
        ...active.run,
        status: 'failed',
        error: said || `Training ended with exit code ${exitCode}.`,
      };
    }
    const trained = { ...result, model };
    // By released numbers alone, before anything is measured on people.
    const published = publishFrom === undefined || titlesThatStandOut(result) >= publishFrom;
    if (published && places.model !== place) {
      try {
        await moved(places.model, place);
      } catch (error) {
        this.#options.onError?.(error as Error);
        // It is trained and paid for: an operator can publish it when there is room.
        return {
          ...active.run,
          status: 'failed',
          published: false,
          result: trained,
          error: notWritten(error),
        };
      }
      places.model = place;
    }
    let quality: Run['quality'] = null;
    if (run.request.evaluate === true && !this.#isToEnd(active)) {
      active.process = this.#command(run.id, evaluateArguments(run.request, places));
      quality = (await active.process.ended).result;
    }
    return { ...active.run, status: 'done', published, result: trained, quality };
  }

  #isToEnd({ stopping }: ActiveRun): boolean {
    return stopping || this.#closing;
  }

  #statusOfStopped({ stopping }: ActiveRun): 'stopped' | 'interrupted' {
    return stopping ? 'stopped' : 'interrupted';
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

  /** What cannot be stored (a full disk) is tried again for as long as the server runs. */
  async #end(run: Run): Promise<void> {
    const ended: Run = { ...run, endedAt: new Date().toISOString() };
    while (!(await this.#isStored(ended)) && !this.#closing) await sleep(storeAgainAfterMs);
    this.#running.delete(run.id);
    this.#events.emit(run.id, ended);
    this.#options.onEnd?.(ended);
  }

  async #isStored(run: Run): Promise<boolean> {
    try {
      await this.#options.store.put(run);
      return true;
    } catch (error) {
      this.#options.onError?.(error as Error);
      return false;
    }
  }

  #note(id: string, progress: RunProgress): Run | undefined {
    const active = this.#running.get(id);
    if (active === undefined) return undefined;
    // What was heard last stays until something newer is.
    const { startedAt, progress: last } = active.run;
    const live = progress.live ? withSeconds(progress.live, last?.live, startedAt) : last?.live;
    active.run = { ...active.run, progress: { ...progress, ...(live && { live }) } };
    this.#events.emit(id, active.run);
    return active.run;
  }

  async #save(run: Run): Promise<void> {
    await this.#options.store.put(run);
    const active = this.#running.get(run.id);
    if (active !== undefined) active.run = run;
    this.#events.emit(run.id, run);
  }
}

/** With the seconds since the start at which each release was first heard of; for operators alone. */
function withSeconds(live: LiveSignal, before: LiveSignal | undefined, startedAt: string | null): LiveSignal {
  if (startedAt === null) return live;
  const now = Math.round((Date.now() - Date.parse(startedAt)) / 100) / 10;
  return { ...live, seconds: live.releases.map((_, at) => before?.seconds?.[at] ?? now) };
}

/** How many titles stand out from the noise, as the command line printed it; none where that is not known. */
function titlesThatStandOut(result: Readonly<Record<string, unknown>>): number {
  const { itemsAboveNoise } = (result['usefulness'] ?? {}) as { itemsAboveNoise?: unknown };
  return typeof itemsAboveNoise === 'number' ? itemsAboveNoise : 0;
}

/** Without places on this machine. */
function notWritten(error: unknown): string {
  return isFullDisk(error)
    ? 'The disk of this server is full.'
    : 'The server could not write what this run needs; its log has the kind of error.';
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
