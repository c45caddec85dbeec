import { PostgresRunStore } from './postgres-run-store.js';
import type { RunStore, StoreEvents } from './run-store.js';
import { SqliteRunStore } from './sqlite-run-store.js';

/** Opens `postgres://…` as PostgreSQL and anything else as a SQLite file, made when it is not there. */
export async function openRunStore(place: string, events: StoreEvents = {}): Promise<RunStore> {
  return /^postgres(ql)?:\/\//.test(place)
    ? PostgresRunStore.open(place, events)
    : SqliteRunStore.open(place);
}
