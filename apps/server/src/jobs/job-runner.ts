import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { hasEnded, type Run, type RunProgress, type RunRequest } from '../state/run.js';
import type { RunStore } from '../state/run-store.js';
import { parseProgressLine } from './progress-line.js';
import { trainArguments } from './train-arguments.js';

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
  /** Told of every run that ended, so that new models are noticed at once. */
  readonly onEnd?: (run: Run) => void;
}

const progressToDiskEveryMs = 1000;
const mostOutput = 1 << 20;

/**
 * Starts, watches and stops training runs. Every change of status is on disk before anyone is told; progress is told
 * at once and stored once a second.
 */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #queue: { run: Run; resume: boolean }[] = [];
  readonly #running = new Map<string, { child: ChildProcess; run: Run; stopping: boolean }>();
  readonly #events = new EventEmitter();
  #closing = false;

  constructor(options: JobRunnerOptions) {
    this.#options = options;
    this.#events.setMaxListeners(0);
  }

  get runningCount(): number {
    return this.#running.size;
  }

  /** Runs that the last server left behind are over; what they had written is kept, and they can be resumed. */
  async recover(): Promise<readonly Run[]> {
    const left = await this.#options.store.unfinished();
    for (const run of left) {
      await this.#options.store.put({ ...run, status: 'interrupted', endedAt: new Date().toISOString() });
    }
    return left;
  }

  async start(id: string, request: RunRequest): Promise<Run> {
    const run: Run = {
      id,
      request,
      status: 'queued',
      createdAt: new Date().toISOString(),
      startedAt: null,
      endedAt: null,
      progress: null,
      result: null,
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
    terminate(active.child, this.#options.graceMs);
    return true;
  }

  /** Whether a run of this model name is waiting or training. */
  isWriting(model: string): boolean {
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
    const ended = [...this.#running.values()].map(({ child, run }) => {
      const end = new Promise<void>((resolve) => this.#events.once(`end ${run.id}`, resolve));
      terminate(child, this.#options.graceMs);
      return end;
    });
    await Promise.all(ended);
  }

  async #enqueue(run: Run, resume: boolean): Promise<void> {
    await this.#save(run);
    this.#queue.push({ run, resume });
    void this.#startNext();
  }

  async #startNext(): Promise<void> {
    if (this.#closing || this.#running.size >= this.#options.concurrent) return;
    const next = this.#queue.shift();
    if (next === undefined) return;
    const run: Run = { ...next.run, status: 'running', startedAt: new Date().toISOString() };
    const args = trainArguments(run.request, {
      dataset: this.#options.datasetPath(run.request.dataset),
      model: this.#options.modelPath(run.request.model),
      resume: next.resume,
    });
    const child = fork(workerFile, [this.#options.commandLine, ...args], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { ...process.env, ...this.#options.environment, HUSHREC_PROGRESS: 'json' },
      execArgv: [],
    });
    this.#running.set(run.id, { child, run, stopping: false });
    await this.#save(run);
    await this.#follow(run.id, child);
    void this.#startNext();
  }

  async #follow(id: string, child: ChildProcess): Promise<void> {
    let output = '';
    let lastMessage = '';
    let storedAt = 0;
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      if (output.length < mostOutput) output += text;
    });
    createInterface({ input: child.stderr! }).on('line', (line) => {
      const progress = parseProgressLine(line);
      if (progress === undefined) {
        if (line.trim() !== '') lastMessage = line.slice(0, 1000);
        return;
      }
      const run = this.#note(id, progress);
      if (run !== undefined && Date.now() - storedAt >= progressToDiskEveryMs) {
        storedAt = Date.now();
        void this.#options.store.put(run).catch(() => {});
      }
    });
    const code = await new Promise<number | null>((resolve) => {
      child.once('error', (error) => {
        lastMessage = `The training process could not be started: ${error.message}`;
        resolve(null);
      });
      child.once('close', (exitCode) => resolve(exitCode));
    });
    const active = this.#running.get(id)!;
    const endedAt = new Date().toISOString();
    const result = parseResult(output);
    const ended: Run =
      code === 0 && result !== null
        ? { ...active.run, status: 'done', endedAt, result }
        : active.stopping
          ? { ...active.run, status: 'stopped', endedAt }
          : this.#closing
            ? { ...active.run, status: 'interrupted', endedAt }
            : {
                ...active.run,
                status: 'failed',
                endedAt,
                error: lastMessage || `Training ended with exit code ${code}.`,
              };
    this.#running.delete(id);
    await this.#save(ended);
    this.#options.onEnd?.(ended);
    this.#events.emit(`end ${id}`);
  }

  #note(id: string, progress: RunProgress): Run | undefined {
    const active = this.#running.get(id);
    if (active === undefined) return undefined;
    active.run = { ...active.run, progress };
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

/** Loaded from the build: a worker process cannot run TypeScript. */
const workerFile = fileURLToPath(new URL('../../dist/jobs/worker-process.js', import.meta.url));

function terminate(child: ChildProcess, graceMs: number): void {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  child.once('close', () => clearTimeout(timer));
}

function parseResult(output: string): Readonly<Record<string, unknown>> | null {
  try {
    const parsed: unknown = JSON.parse(output);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
