import { PostgresRunStore } from './postgres-run-store.js';
import type { Run } from './run.js';
import { SqliteRunStore } from './sqlite-run-store.js';

/**
 * The server's memory: its training runs. A write has reached the disk when its promise resolves. One server owns a
 * store at a time; opening a store that a living server owns fails with `StateInUseError`.
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
  constructor(where: string) {
    super(`Another server uses ${where}. Stop it, or give this one its own --state.`);
  }
}

/** Opens `postgres://…` as PostgreSQL and anything else as a SQLite file, made when it is not there. */
export async function openRunStore(place: string): Promise<RunStore> {
  return /^postgres(ql)?:\/\//.test(place) ? PostgresRunStore.open(place) : SqliteRunStore.open(place);
}
