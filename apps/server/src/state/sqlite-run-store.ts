import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { disk } from '@hushrec/ratings';
import Database from 'libsql';
import type { Run } from './run.js';
import { type RunStore, StateDamagedError, StateInUseError } from './run-store.js';

/** Documents are blobs: libsql ends the whole process when a text in a damaged file is not UTF-8. */
const schema = `
  CREATE TABLE IF NOT EXISTS run (
    id BLOB PRIMARY KEY, created_at BLOB NOT NULL, status BLOB NOT NULL, document BLOB NOT NULL, digest BLOB NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS run_by_time ON run (created_at);`;
const patienceMs = 1000;
const smallestPage = 512;

interface Row {
  readonly id: ArrayBuffer;
  readonly created_at: ArrayBuffer;
  readonly status: ArrayBuffer;
  readonly document: ArrayBuffer;
  readonly digest: ArrayBuffer;
}

/**
 * Runs in one SQLite file: rollback journal, synced to disk on every commit.
 *
 * The owner is known by SQLite's own lock on the file (`locking_mode = EXCLUSIVE`: fcntl on Linux and macOS,
 * LockFileEx on Windows), held from opening to closing. The operating system drops it with the process,
 * however that ends, and no process id is compared: in a container every server is process 1, the one before
 * it too.
 *
 * Every row carries its SHA-256, and all are checked when the file is opened: a damaged one is refused then,
 * and not shown as something that never was.
 */
export class SqliteRunStore implements RunStore {
  readonly kind = 'sqlite';
  readonly #database: Database.Database;
  readonly #file: string;
  #isClosed = false;

  private constructor(database: Database.Database, file: string) {
    this.#database = database;
    this.#file = file;
  }

  static async open(file: string): Promise<SqliteRunStore> {
    await disk.makeFolder(dirname(file));
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    // SQLite takes what is shorter than its smallest page for a new file.
    if (size > 0 && size < smallestPage) throw new StateDamagedError(file, `it was cut to ${size} bytes`);
    const database = translating(file, () => new Database(file, { timeout: patienceMs }));
    const store = new SqliteRunStore(database, file);
    try {
      translating(file, () => store.#takeOver());
      store.#runs('ORDER BY id');
    } catch (error) {
      await released(database);
      throw error;
    }
    return store;
  }

  async put(run: Run): Promise<void> {
    this.#requireOpen();
    translating(this.#file, () => this.#write(run));
  }

  async get(id: string): Promise<Run | undefined> {
    return this.#runs('WHERE id = ?', Buffer.from(id))[0];
  }

  async list(limit: number): Promise<readonly Run[]> {
    return this.#runs('ORDER BY created_at DESC, id DESC LIMIT ?', limit);
  }

  async unfinished(): Promise<readonly Run[]> {
    return this.#runs(
      "WHERE status IN (CAST('queued' AS BLOB), CAST('running' AS BLOB)) ORDER BY created_at, id",
    );
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await released(this.#database);
  }

  /** Takes the lock with the first write. */
  #takeOver(): void {
    const database = this.#database;
    database.exec(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA; PRAGMA fullfsync = ON; BEGIN IMMEDIATE;',
    );
    const faults = "SELECT count(*) AS n FROM pragma_quick_check WHERE quick_check <> 'ok'";
    if (Number((database.prepare(faults).get() as { n: number }).n) > 0)
      throw new StateDamagedError(this.#file, 'its pages do not fit together');
    database.exec(schema);
    database.exec('COMMIT');
  }

  /** libsql ends the process when a closed database is used. */
  #requireOpen(): void {
    if (this.#isClosed) throw new Error('The list of training runs was closed.');
  }

  #write(run: Run): void {
    const columns = [run.id, run.createdAt, run.status, JSON.stringify(run)].map((text) => Buffer.from(text));
    this.#database
      .prepare(
        `INSERT INTO run (id, created_at, status, document, digest) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET status = excluded.status, document = excluded.document, digest = excluded.digest`,
      )
      .run([...columns, digestOf(columns)]);
  }

  #runs(condition: string, ...values: readonly unknown[]): Run[] {
    const rows = translating(this.#file, () =>
      this.#database
        .prepare(`SELECT id, created_at, status, document, digest FROM run ${condition}`)
        .all([...values]),
    ) as Row[];
    return rows.map(({ id, created_at, status, document, digest }) => {
      const columns = [id, created_at, status, document, digest];
      if (columns.some((each) => each?.byteLength === undefined))
        throw new StateDamagedError(this.#file, 'its table is not as it was made');
      const bytes = columns.map((each) => Buffer.from(each));
      if (!digestOf(bytes.slice(0, 4)).equals(bytes[4]))
        throw new StateDamagedError(this.#file, 'a run is not as it was written');
      return parsed(this.#file, document);
    });
  }
}

/**
 * The lock goes with the first access in the normal mode; `close` alone keeps it until every statement was
 * collected. Memory goes then, and native objects are collected only in a turn of the event loop.
 */
async function released(database: Database.Database): Promise<void> {
  try {
    if (database.inTransaction) database.exec('ROLLBACK');
    database.exec('PRAGMA locking_mode = NORMAL; SELECT 1 FROM sqlite_schema;');
  } catch {
    // A damaged file cannot even be read for this; its lock ends with the process.
  } finally {
    database.close();
  }
  await turn();
}

/** Of the columns in their order, each with its length before it. */
function digestOf(columns: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const column of columns) hash.update(`${column.length}:`).update(column);
  return hash.digest();
}

function parsed(file: string, document: ArrayBuffer): Run {
  try {
    return JSON.parse(Buffer.from(document).toString('utf8')) as Run;
  } catch (error) {
    throw new StateDamagedError(file, 'a run is not as it was written', { cause: error });
  }
}

/** What SQLite says, in the words of this server. */
function translating<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const code = String((error as { code?: unknown }).code ?? '');
    if (/^SQLITE_(?:BUSY|LOCKED)/.test(code)) throw new StateInUseError(file, { cause: error });
    if (/^SQLITE_(?:CORRUPT|NOTADB|FORMAT|ERROR|SCHEMA|MISMATCH|CONSTRAINT)/.test(code))
      throw new StateDamagedError(file, (error as Error).message, { cause: error });
    throw error;
  }
}
