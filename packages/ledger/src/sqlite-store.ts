import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import Database from 'libsql';
import { alwaysChecked, checkpointsKept } from './checkpoint.js';
import { type ChainHead, entryContent, type StoredEntry } from './entry.js';
import type { JobRow } from './job-row.js';
import { LedgerCorruptError, LedgerMissingError } from './ledger-errors.js';
import type { LedgerKey } from './ledger-key.js';
import type { PeopleRow } from './people-sketch.js';
import { bytes, exclusively, makeLedger, openedKey, reading, translating, waiting } from './sqlite-file.js';
import { defaultPatience, type LedgerContent, type LedgerStore, type Lookup, type NewRows } from './store.js';
import {
  type ByteRow,
  checkpointOf,
  entryOf,
  hexBytes,
  hexBytesOrNull,
  hexOf,
  jobOf,
  peopleOf,
} from './stored-rows.js';

const selectEntries = `SELECT number, ${bytes('content', 'hash')} FROM ledger_entry`;
const selectJobs = `SELECT number, ${bytes('entry', 'job', 'snapshot', 'seal')} FROM ledger_job`;

/**
 * A ledger in one SQLite file. A rollback journal with `synchronous = EXTRA` makes a commit durable before it
 * returns, also against power loss; `BEGIN IMMEDIATE` makes writers wait for one another. The operating
 * system drops the locks of a killed process, and the next one to open the file rolls its half-written pages
 * back.
 *
 * Whoever finds the file in use waits a random moment and tries again, without blocking the process, for as
 * long as anything moves in the ledger and `patience` milliseconds longer.
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
    options: { readonly patience?: number; readonly create?: boolean; readonly onlyOne?: boolean } = {},
  ): Promise<SqliteStore> {
    const { patience = defaultPatience, create = false } = options;
    const location = resolve(file);
    if (!existsSync(location)) {
      if (!create) throw new LedgerMissingError(location);
      translating(location, () => makeLedger(location));
    }
    const info = translating(location, () => statSync(location));
    if (!info.isFile()) throw new LedgerMissingError(location, 'it is a folder, or no file at all');
    if (info.size === 0)
      throw new LedgerCorruptError(location, 'its beginning', 'the file is empty, as a full disk leaves it');
    const database = translating(location, () => new Database(location, { timeout: 0 }));
    try {
      const key = await waiting(location, patience, () => openedKey(location, database));
      return new SqliteStore(location, database, key, patience);
    } catch (error) {
      await closed(database);
      throw error;
    }
  }

  read(lookup: Lookup): Promise<LedgerContent> {
    return this.#reading(() => this.#content(lookup));
  }

  entry(number: number): Promise<StoredEntry | undefined> {
    return this.#reading(() => this.#entry(number));
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
    return this.#reading(() => this.#all(selectJobs).map(jobOf));
  }

  people(): Promise<readonly PeopleRow[]> {
    return this.#reading(() =>
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

  close(): Promise<void> {
    return closed(this.#database);
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

  #reading<Result>(work: () => Result): Promise<Result> {
    return this.#waiting(() => reading(this.#database, work));
  }

  #waiting<Result>(work: () => Result): Promise<Result> {
    return waiting(this.location, this.#patience, work);
  }
}

/**
 * A closed connection keeps its memory (some 170 kB) until its statements are collected, and native objects
 * are let go only in a turn of the event loop: without one, a process that opens many ledgers in a row would
 * hold all of them.
 */
async function closed(database: Database.Database): Promise<void> {
  database.close();
  await turn();
}
