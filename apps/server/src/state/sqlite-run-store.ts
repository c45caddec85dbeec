import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'libsql';
import type { Run } from './run.js';
import { type RunStore, StateInUseError } from './run-store.js';

const schema = `
  CREATE TABLE IF NOT EXISTS runs (id TEXT PRIMARY KEY, created_at TEXT NOT NULL, status TEXT NOT NULL, document TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS runs_by_time ON runs (created_at);
  CREATE TABLE IF NOT EXISTS owner (one INTEGER PRIMARY KEY CHECK (one = 1), pid INTEGER NOT NULL);`;

/** Runs in one SQLite file: write-ahead log, synced to disk on every commit. */
export class SqliteRunStore implements RunStore {
  readonly kind = 'sqlite';
  readonly #database: Database.Database;

  private constructor(database: Database.Database) {
    this.#database = database;
  }

  static open(file: string): SqliteRunStore {
    mkdirSync(dirname(file), { recursive: true });
    const database = new Database(file);
    try {
      database.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
      database.exec(schema);
      takeOwnership(database, file);
    } catch (error) {
      database.close();
      throw error;
    }
    return new SqliteRunStore(database);
  }

  async put(run: Run): Promise<void> {
    this.#database
      .prepare(
        `INSERT INTO runs (id, created_at, status, document) VALUES (?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET status = excluded.status, document = excluded.document`,
      )
      .run(run.id, run.createdAt, run.status, JSON.stringify(run));
  }

  async get(id: string): Promise<Run | undefined> {
    const row = this.#database.prepare('SELECT document FROM runs WHERE id = ?').get(id);
    return row === undefined ? undefined : runOf(row);
  }

  async list(limit: number): Promise<readonly Run[]> {
    return this.#database
      .prepare('SELECT document FROM runs ORDER BY created_at DESC, id DESC LIMIT ?')
      .all(limit)
      .map(runOf);
  }

  async unfinished(): Promise<readonly Run[]> {
    return this.#database
      .prepare("SELECT document FROM runs WHERE status IN ('queued', 'running') ORDER BY created_at, id")
      .all()
      .map(runOf);
  }

  async close(): Promise<void> {
    this.#database.prepare('DELETE FROM owner WHERE pid = ?').run(process.pid);
    this.#database.close();
  }
}

function runOf(row: unknown): Run {
  return JSON.parse((row as { document: string }).document) as Run;
}

/** A killed server leaves its process id behind; it does not count once that process is gone. */
function takeOwnership(database: Database.Database, file: string): void {
  database.transaction(() => {
    const row = database.prepare('SELECT pid FROM owner').get() as { pid: number } | undefined;
    if (row !== undefined && isAlive(row.pid)) throw new StateInUseError(file);
    database.prepare('INSERT OR REPLACE INTO owner (one, pid) VALUES (1, ?)').run(process.pid);
  })();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
