/** Where a training run stands. `interrupted`: the server ended while it ran; it can be resumed. */
export const runStatuses = ['queued', 'running', 'done', 'failed', 'stopped', 'interrupted'] as const;
export type RunStatus = (typeof runStatuses)[number];

/** What was asked for. Holds settings only, nothing about people. */
export interface RunRequest {
  /** Name of a data set folder. */
  readonly dataset: string;
  readonly method: string;
  /** Absent for methods without privacy. */
  readonly epsilon?: number;
  readonly delta?: number;
  readonly settings: Readonly<Record<string, string | number | boolean>>;
  /** Name of the model folder that will be written. */
  readonly model: string;
  /** Measure quality afterwards: trains once more on a part of the data, as a simulation. */
  readonly evaluate?: boolean;
}

export interface RunProgress {
  readonly stage: string;
  readonly done: number;
  readonly total: number;
}

/** One training run, as stored and as the interface shows it. */
export interface Run {
  readonly id: string;
  readonly request: RunRequest;
  readonly status: RunStatus;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly progress: RunProgress | null;
  /** What `train --json` printed. */
  readonly result: Readonly<Record<string, unknown>> | null;
  /** What `evaluate --json` printed. Exact numbers about people: for operators, never published. */
  readonly quality: Readonly<Record<string, unknown>> | null;
  /** One message for people; null unless the run failed. */
  readonly error: string | null;
}

/** No later change is possible, except by resuming it. */
export function hasEnded(run: Run): boolean {
  return run.status !== 'queued' && run.status !== 'running';
}
