import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { canonicalJson } from '@hushrec/model';
import Database from 'libsql';
import type { LedgerEntry, LedgerEvent } from './entry.js';
import { emptyHead } from './entry.js';
import { LedgerCorruptError, LedgerLockedError, LedgerUnavailableError } from './ledger-errors.js';
import { type Decision, defaultPatience, type LedgerContent, type LedgerStore } from './store.js';

const schema = `
  CREATE TABLE IF NOT EXISTS ledger_entry (
    number   INTEGER PRIMARY KEY,
    at       TEXT NOT NULL,
    account  TEXT NOT NULL,
    event    TEXT NOT NULL,
    previous TEXT NOT NULL UNIQUE,
    hash     TEXT NOT NULL UNIQUE
  ) STRICT;
  CREATE TABLE IF NOT EXISTS ledger_head (
    id     INTEGER PRIMARY KEY CHECK (id = 1),
    number INTEGER NOT NULL,
    hash   TEXT NOT NULL
  ) STRICT;
  CREATE TRIGGER IF NOT EXISTS entries_stay_as_they_are BEFORE UPDATE ON ledger_entry
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
  CREATE TRIGGER IF NOT EXISTS entries_stay BEFORE DELETE ON ledger_entry
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;`;

interface Row {
  readonly number: number;
  readonly at: string;
  readonly account: string;
  readonly event: string;
  readonly previous: string;
  readonly hash: string;
}

/**
 * A ledger in one SQLite file. A rollback journal with `synchronous = EXTRA` makes a commit durable before it
 * returns, also against power loss; `BEGIN IMMEDIATE` makes writers wait for one another. The operating system
 * drops the locks of a killed process, and the next one to open the file rolls its half-written pages back.
 */
export class SqliteStore implements LedgerStore {
  readonly location: string;
  readonly #database: Database.Database;
  readonly #patience: number;

  constructor(file: string, patience = defaultPatience) {
    this.location = resolve(file);
    this.#patience = patience;
    try {
      mkdirSync(dirname(this.location), { recursive: true });
      this.#database = new Database(this.location, { timeout: patience });
    } catch (error) {
      throw new LedgerUnavailableError(this.location, (error as Error).message, { cause: error });
    }
    this.#translating(() => {
      this.#database.pragma('journal_mode = DELETE');
      this.#database.pragma('synchronous = EXTRA');
      this.#exclusively(() => this.#database.exec(schema));
    });
  }

  async read(): Promise<LedgerContent> {
    return this.#translating(() => {
      this.#database.exec('BEGIN');
      try {
        return this.#content();
      } finally {
        this.#database.exec('COMMIT');
      }
    });
  }

  async append<Result>(decide: Decision<Result>): Promise<Result> {
    return this.#translating(() =>
      this.#exclusively(() => {
        const { append, result } = decide(this.#content());
        for (const entry of append) this.#insert(entry);
        return result;
      }),
    );
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  #content(): LedgerContent {
    const rows = this.#database
      .prepare('SELECT number, at, account, event, previous, hash FROM ledger_entry ORDER BY number')
      .all() as Row[];
    const head = this.#database.prepare('SELECT number, hash FROM ledger_head').get() as
      | { number: number; hash: string }
      | undefined;
    return {
      entries: rows.map(({ number, at, account, event, previous, hash }) => ({
        number,
        at,
        account,
        event: parsedEvent(event),
        previous,
        hash,
      })),
      head: head === undefined ? emptyHead : { number: head.number, hash: head.hash },
    };
  }

  #insert({ number, at, account, event, previous, hash }: LedgerEntry): void {
    this.#database
      .prepare(
        'INSERT INTO ledger_entry (number, at, account, event, previous, hash) VALUES (?, ?, ?, ?, ?, ?)',
      )
      .run(number, at, account, canonicalJson(event), previous, hash);
    this.#database
      .prepare(
        'INSERT INTO ledger_head (id, number, hash) VALUES (1, ?, ?) ON CONFLICT (id) DO UPDATE SET number = excluded.number, hash = excluded.hash',
      )
      .run(number, hash);
  }

  #exclusively<Result>(work: () => Result): Result {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  #translating<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      const code = (error as { code?: string }).code ?? '';
      if (/^SQLITE_(BUSY|LOCKED)/.test(code))
        throw new LedgerLockedError(this.location, this.#patience / 1000, { cause: error });
      if (/^SQLITE_(CORRUPT|NOTADB)/.test(code))
        throw new LedgerCorruptError(1, `${this.location} is no database.`);
      if (code.startsWith('SQLITE_'))
        throw new LedgerUnavailableError(this.location, `${(error as Error).message} (${code}).`, {
          cause: error,
        });
      throw error;
    }
  }
}

/** What does not parse cannot hash to what was recorded, so the chain's check reports it where it stands. */
export function parsedEvent(text: string): LedgerEvent {
  try {
    return JSON.parse(text) as LedgerEvent;
  } catch {
    return { kind: 'refusal', note: `unreadable: ${text}` };
  }
}
