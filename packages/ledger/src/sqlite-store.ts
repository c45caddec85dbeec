import { randomBytes, randomInt } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'libsql';
import { alwaysChecked, checkpointsKept } from './checkpoint.js';
import { type ChainHead, entryContent, type StoredEntry } from './entry.js';
import type { JobRow } from './job-row.js';
import {
  LedgerCorruptError,
  LedgerFormatError,
  LedgerLockedError,
  LedgerMissingError,
  LedgerUnavailableError,
} from './ledger-errors.js';
import { chainStart, type LedgerKey, ledgerFormat } from './ledger-key.js';
import type { PeopleRow } from './people-sketch.js';
import { defaultPatience, type LedgerContent, type LedgerStore, type Lookup, type NewRows } from './store.js';
import {
  type ByteRow,
  bytesOf,
  checkpointOf,
  entryOf,
  hexBytes,
  hexBytesOrNull,
  hexOf,
  jobOf,
  peopleOf,
} from './stored-rows.js';

const schema = `
  CREATE TABLE ledger_format (
    id     INTEGER PRIMARY KEY CHECK (id = 1),
    format BLOB NOT NULL,
    key    BLOB NOT NULL
  ) STRICT;
  CREATE TABLE ledger_entry (
    number  INTEGER PRIMARY KEY,
    spend   BLOB UNIQUE,
    content BLOB NOT NULL,
    hash    BLOB NOT NULL
  ) STRICT;
  CREATE TABLE ledger_head (
    id     INTEGER PRIMARY KEY CHECK (id = 1),
    number INTEGER NOT NULL,
    hash   BLOB NOT NULL
  ) STRICT;
  CREATE TABLE ledger_job (
    number   INTEGER PRIMARY KEY,
    entry    BLOB NOT NULL,
    job      BLOB NOT NULL UNIQUE,
    snapshot BLOB,
    seal     BLOB NOT NULL
  ) STRICT;
  CREATE TABLE ledger_checkpoint (
    number INTEGER PRIMARY KEY,
    hash   BLOB NOT NULL,
    state  BLOB NOT NULL,
    seal   BLOB NOT NULL
  ) STRICT;
  CREATE TABLE ledger_people (
    account BLOB NOT NULL UNIQUE,
    sketch  BLOB NOT NULL,
    seal    BLOB NOT NULL
  ) STRICT;
  CREATE TRIGGER entries_stay_as_they_are BEFORE UPDATE ON ledger_entry
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
  CREATE TRIGGER entries_stay BEFORE DELETE ON ledger_entry
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;`;

/**
 * Every column is read as bytes, also where the file says that it is text: libsql ends the process when text is not UTF-8,
 * which one flipped bit can bring about.
 */
const bytes = (...columns: string[]) => columns.map((name) => `CAST(${name} AS BLOB) AS ${name}`).join(', ');
const selectEntries = `SELECT number, ${bytes('content', 'hash')} FROM ledger_entry`;
const selectJobs = `SELECT number, ${bytes('entry', 'job', 'snapshot', 'seal')} FROM ledger_job`;

/**
 * A ledger in one SQLite file. A rollback journal with `synchronous = EXTRA` makes a commit durable before it
 * returns, also against power loss; `BEGIN IMMEDIATE` makes writers wait for one another. The operating system
 * drops the locks of a killed process, and the next one to open the file rolls its half-written pages back.
 *
 * Whoever finds the file in use waits a random moment and tries again, without blocking the process, for as long as
 * anything moves in the ledger and `patience` milliseconds longer.
 */
export class SqliteStore implements LedgerStore {
  readonly location: string;
  readonly key: LedgerKey;
  readonly #database: Database.Database;
  readonly #patience: number;

  private constructor(location: string, database: Database.Database, key: LedgerKey, patience: number) {
    this.location = location;
    this.key = key;
    this.#database = database;
    this.#patience = patience;
  }

  /** Opens a ledger; makes an empty one where there is none, if told to. */
  static async open(
    file: string,
    options: { readonly patience?: number; readonly create?: boolean } = {},
  ): Promise<SqliteStore> {
    const { patience = defaultPatience, create = false } = options;
    const location = resolve(file);
    if (!existsSync(location)) {
      if (!create) throw new LedgerMissingError(location);
      translating(location, () => makeLedger(location));
    }
    if (statSync(location).size === 0)
      throw new LedgerCorruptError(location, 'its beginning', 'the file is empty, as a full disk leaves it');
    const database = translating(location, () => new Database(location, { timeout: 0 }));
    try {
      const key = await waiting(location, patience, () => openedKey(location, database));
      return new SqliteStore(location, database, key, patience);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  read(lookup: Lookup): Promise<LedgerContent> {
    return this.#waiting(() => {
      this.#database.exec('BEGIN');
      try {
        return this.#content(lookup);
      } finally {
        if (this.#database.inTransaction) this.#database.exec('COMMIT');
      }
    });
  }

  entry(number: number): Promise<StoredEntry | undefined> {
    return this.#waiting(() => this.#entry(number));
  }

  append(head: ChainHead, rows: NewRows): Promise<boolean> {
    return this.#waiting(() =>
      this.#exclusively(() => {
        const now = this.#head();
        if (now.number !== head.number || now.hash !== head.hash) return false;
        this.#insert(rows);
        return true;
      }),
    );
  }

  appendDeciding<Result>(
    lookup: Lookup,
    decide: (content: LedgerContent) => { readonly rows: NewRows; readonly result: Result },
  ): Promise<Result> {
    return this.#waiting(() =>
      this.#exclusively(() => {
        const { rows, result } = decide(this.#content(lookup));
        this.#insert(rows);
        return result;
      }),
    );
  }

  jobs(): Promise<readonly JobRow[]> {
    return this.#waiting(() => this.#all(selectJobs).map(jobOf));
  }

  people(): Promise<readonly PeopleRow[]> {
    return this.#waiting(() =>
      this.#all(`SELECT ${bytes('account', 'sketch', 'seal')} FROM ledger_people`).map(peopleOf),
    );
  }

  updatePeople(account: string, merge: (before: PeopleRow | undefined) => PeopleRow): Promise<void> {
    return this.#waiting(() =>
      this.#exclusively(() => {
        const [before] = this.#all(
          `SELECT ${bytes('account', 'sketch', 'seal')} FROM ledger_people WHERE account = ?`,
          hexBytes(account),
        );
        const { sketch, seal } = merge(before && peopleOf(before));
        this.#database
          .prepare(
            'INSERT INTO ledger_people (account, sketch, seal) VALUES (?, ?, ?) ON CONFLICT (account) DO UPDATE SET sketch = excluded.sketch, seal = excluded.seal',
          )
          .run([hexBytes(account), Buffer.from(sketch), hexBytes(seal)]);
      }),
    );
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  #content({ job, completionOf, whole = false }: Lookup): LedgerContent {
    const head = this.#head();
    const [checkpoint] = whole
      ? []
      : this.#all(
          `SELECT number, ${bytes('hash', 'state', 'seal')} FROM ledger_checkpoint WHERE number <= ? ORDER BY number DESC LIMIT 1`,
          head.number - alwaysChecked,
        );
    const after = checkpoint === undefined ? 0 : Number(checkpoint['number']);
    const [jobRow] = job === undefined ? [] : this.#all(`${selectJobs} WHERE job = ?`, hexBytes(job));
    return {
      head,
      checkpoint: checkpoint && checkpointOf(checkpoint),
      entries: this.#all(`${selectEntries} WHERE number > ? ORDER BY number`, after).map(entryOf),
      job: jobRow && { row: jobOf(jobRow), entry: this.#entry(Number(jobRow['number'])) },
      isCompleted:
        completionOf !== undefined &&
        this.#all('SELECT 1 AS found FROM ledger_entry WHERE spend = ?', hexBytes(completionOf)).length > 0,
    };
  }

  #head(): ChainHead {
    const [row] = this.#all(`SELECT CAST(number AS INTEGER) AS number, ${bytes('hash')} FROM ledger_head`);
    if (row === undefined)
      throw new LedgerCorruptError(this.location, 'its head', 'the row that says where it ends is gone');
    return { number: Number(row['number']), hash: hexOf(row['hash']) };
  }

  #entry(number: number): StoredEntry | undefined {
    const [row] = this.#all(`${selectEntries} WHERE number = ?`, number);
    return row && entryOf(row);
  }

  #insert({ entries, jobs, checkpoint }: NewRows): void {
    const insertEntry = this.#database.prepare(
      'INSERT INTO ledger_entry (number, spend, content, hash) VALUES (?, ?, ?, ?)',
    );
    for (const entry of entries) {
      const spend = entry.event.kind === 'completion' ? hexBytes(entry.event.spend) : null;
      insertEntry.run([entry.number, spend, Buffer.from(entryContent(entry)), hexBytes(entry.hash)]);
    }
    const last = entries.at(-1);
    if (last !== undefined)
      this.#database
        .prepare('UPDATE ledger_head SET number = ?, hash = ? WHERE id = 1')
        .run([last.number, hexBytes(last.hash)]);
    const insertJob = this.#database.prepare(
      'INSERT INTO ledger_job (number, entry, job, snapshot, seal) VALUES (?, ?, ?, ?, ?)',
    );
    for (const { number, entry, job, snapshot, seal } of jobs)
      insertJob.run([number, hexBytes(entry), hexBytes(job), hexBytesOrNull(snapshot), hexBytes(seal)]);
    if (checkpoint === undefined) return;
    const { number, hash, state, seal } = checkpoint;
    this.#database
      .prepare('INSERT INTO ledger_checkpoint (number, hash, state, seal) VALUES (?, ?, ?, ?)')
      .run([number, hexBytes(hash), Buffer.from(state), hexBytes(seal)]);
    this.#database
      .prepare(
        'DELETE FROM ledger_checkpoint WHERE number NOT IN (SELECT number FROM ledger_checkpoint ORDER BY number DESC LIMIT ?)',
      )
      .run([checkpointsKept]);
  }

  /** Parameters go as a list: libsql takes a single buffer for named parameters, and ends the process. */
  #all(sql: string, ...parameters: unknown[]): ByteRow[] {
    return this.#database.prepare(sql).all(parameters) as ByteRow[];
  }

  #exclusively<Result>(work: () => Result): Result {
    return exclusively(this.#database, work);
  }

  #waiting<Result>(work: () => Result): Promise<Result> {
    return waiting(this.location, this.#patience, work);
  }
}

/** Makes a whole ledger under another name first: a file that was cut off half-way never has the ledger's name. */
function makeLedger(location: string): void {
  mkdirSync(dirname(location), { recursive: true, mode: 0o700 });
  const partial = `${location}.new-${randomBytes(6).toString('hex')}`;
  const database = new Database(partial);
  try {
    chmodSync(partial, 0o600);
    database.pragma('synchronous = EXTRA');
    exclusively(database, () => {
      database.exec(schema);
      const key = randomBytes(32);
      database
        .prepare('INSERT INTO ledger_format (id, format, key) VALUES (1, ?, ?)')
        .run([Buffer.from(ledgerFormat), key]);
      database
        .prepare('INSERT INTO ledger_head (id, number, hash) VALUES (1, 0, ?)')
        .run([hexBytes(chainStart(key))]);
    });
    database.close();
    try {
      linkSync(partial, location);
    } catch (error) {
      // Somebody else made one in the meantime: that is the ledger.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const folder = openSync(dirname(location), 'r');
    fsyncSync(folder);
    closeSync(folder);
  } finally {
    if (database.open) database.close();
    for (const end of ['', '-journal']) rmSync(partial + end, { force: true });
  }
}

/** The key of an opened ledger, after checking that it is one. */
function openedKey(location: string, database: Database.Database): LedgerKey {
  database.pragma('journal_mode = DELETE');
  database.pragma('synchronous = EXTRA');
  const tables = new Set(
    database
      .prepare(`SELECT ${bytes('name')} FROM sqlite_master`)
      .all()
      .map((row) => Buffer.from(bytesOf((row as ByteRow)['name'])).toString('utf8')),
  );
  if (!tables.has('ledger_format')) {
    if (tables.has('ledger_entry')) throw new LedgerFormatError(location, 'an earlier format');
    throw new LedgerCorruptError(location, 'its beginning', 'it is no ledger');
  }
  const row = database.prepare(`SELECT ${bytes('format', 'key')} FROM ledger_format`).get() as
    | ByteRow
    | undefined;
  const format = Buffer.from(bytesOf(row?.['format'])).toString('utf8');
  const key = bytesOf(row?.['key']);
  if (format !== ledgerFormat && /^hushrec-ledger-\d+$/.test(format))
    throw new LedgerFormatError(location, `format ${format}`);
  if (format !== ledgerFormat || key.length !== 32)
    throw new LedgerCorruptError(location, 'its beginning', 'format or key cannot be read');
  return Uint8Array.from(key);
}

function exclusively<Result>(database: Database.Database, work: () => Result): Result {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    // Readers are given time to finish: none can start any more, so that this ends.
    database.pragma('busy_timeout = 10000');
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK');
    throw error;
  } finally {
    database.pragma('busy_timeout = 0');
  }
}

/** Tries until the file is free; gives up when it was in use for `patience` milliseconds and nothing moved. */
async function waiting<Result>(location: string, patience: number, work: () => Result): Promise<Result> {
  let moved = '';
  let since = performance.now();
  for (;;) {
    try {
      return translating(location, work);
    } catch (error) {
      if (!isBusy(error)) throw error;
      const { mtimeMs, size } = statSync(location);
      if (`${mtimeMs} ${size}` !== moved) {
        moved = `${mtimeMs} ${size}`;
        since = performance.now();
      } else if (performance.now() - since >= patience)
        throw new LedgerLockedError(location, patience / 1000, { cause: error });
    }
    await sleep(randomInt(1, 20));
  }
}

function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test((error as { code?: string }).code ?? '');
}

function translating<Result>(location: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const code = String((error as { code?: unknown }).code ?? '');
    if (isBusy(error)) throw error;
    const message = (error as Error).message;
    // Statements name tables and columns that are in every ledger: where one is missing, the schema was damaged.
    if (/^SQLITE_(CORRUPT|NOTADB|ERROR|MISMATCH|CONSTRAINT|FORMAT)/.test(code))
      throw new LedgerCorruptError(location, 'its pages', `${message} (${code})`, { cause: error });
    if (code.startsWith('SQLITE_') || /^E[A-Z]+$/.test(code))
      throw new LedgerUnavailableError(location, `${message} (${code}).`, { cause: error });
    throw error;
  }
}
