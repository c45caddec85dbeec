import type { Run } from './run.js';

/**
 * The server's memory: its training runs. A write has reached the disk when its promise resolves. One server
 * owns a store at a time; opening a store that a living server owns fails with `StateInUseError`.
 */
export interface RunStore {
  readonly kind: 'sqlite' | 'postgresql';
  /** Adds the run, or replaces the stored one of the same id. */
  put(run: Run): Promise<void>;
  get(id: string): Promise<Run | undefined>;
  /** Newest first. */
  list(limit: number): Promise<readonly Run[]>;
  /** Those that a previous server left queued or running. */
  unfinished(): Promise<readonly Run[]>;
  close(): Promise<void>;
}

/** Another living server uses this state. */
export class StateInUseError extends Error {
  override readonly name = 'StateInUseError';
  readonly kind = 'usage';
  constructor(where: string, options?: ErrorOptions) {
    super(`Another server uses ${where}. Stop it, or give this one its own --state.`, options);
  }
}

/** The database of the state was away, and another server owns it now: this one must end. */
export class StateLostError extends Error {
  override readonly name = 'StateLostError';
  constructor() {
    super(
      'Another server took over the list of runs while its database was away. This one ends, so that no run is trained twice.',
    );
  }
}

/** The database of the state does not answer now; it is tried again. */
export class StateUnavailableError extends Error {
  override readonly name = 'StateUnavailableError';
  constructor() {
    super('The database with the list of runs does not answer. It is tried again.');
  }
}

/** What whoever opens a store is told. */
export interface StoreEvents {
  /** The connection was lost, or could not be made again yet. */
  readonly failed?: (error: Error) => void;
  /** Another server owns the store: nothing is read or written any more. */
  readonly lost?: (error: StateLostError) => void;
}

/** The state is not what was written to it. Models, data sets and budgets are elsewhere and not concerned. */
export class StateDamagedError extends Error {
  override readonly name = 'StateDamagedError';
  readonly kind = 'data';
  constructor(where: string, reason: string, options?: ErrorOptions) {
    super(
      `${where}, the list of training runs, is damaged: ${reason}. Put a copy in its place, or move it away to begin with an empty list; models and budgets are elsewhere.`,
      options,
    );
  }
}
