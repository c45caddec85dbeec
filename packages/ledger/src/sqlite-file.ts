import { randomBytes, randomInt } from 'node:crypto';
import { chmodSync, linkSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'libsql';
import {
  LedgerCorruptError,
  LedgerFormatError,
  LedgerLockedError,
  LedgerUnavailableError,
} from './ledger-errors.js';
import { chainStart, type LedgerKey, ledgerFormat } from './ledger-key.js';
import { type ByteRow, bytesOf, hexBytes } from './stored-rows.js';
import { makeFolder, syncFolder } from './synced-folder.js';

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

/** A commit returns when it is on the disk; macOS leaves it in the drive's cache unless told (fullfsync). */
const untilOnDisk = 'PRAGMA synchronous = EXTRA; PRAGMA fullfsync = ON';

/**
 * Every column is read as bytes, also where the file says that it is text: libsql ends the process when text
 * is not UTF-8, which one flipped bit can bring about.
 */
export const bytes = (...columns: string[]) =>
  columns.map((name) => `CAST(${name} AS BLOB) AS ${name}`).join(', ');
/**
 * Makes a whole ledger under another name first: a file that was cut off half-way never has the ledger's
 * name.
 */
export function makeLedger(location: string): void {
  makeFolder(dirname(location));
  const partial = `${location}.new-${randomBytes(6).toString('hex')}`;
  const database = new Database(partial);
  try {
    chmodSync(partial, 0o600);
    database.exec(untilOnDisk);
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
    syncFolder(dirname(location));
  } finally {
    if (database.open) database.close();
    for (const end of ['', '-journal']) rmSync(partial + end, { force: true });
  }
}

/** The key of an opened ledger, after checking that it is one. */
export function openedKey(location: string, database: Database.Database): LedgerKey {
  database.exec('PRAGMA journal_mode = DELETE');
  database.exec(untilOnDisk);
  return reading(database, () => keyIn(location, database));
}

function keyIn(location: string, database: Database.Database): LedgerKey {
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

/**
 * Reads in one transaction. Its lock is taken by `exec`: a prepared statement that finds the file in use
 * stays begun until it is collected as garbage, and while one is, no lock of its connection is given back, so
 * that nobody could write for minutes.
 */
export function reading<Result>(database: Database.Database, work: () => Result): Result {
  database.exec('BEGIN');
  try {
    database.exec('SELECT 1 FROM sqlite_master LIMIT 1');
    return work();
  } finally {
    if (database.inTransaction) database.exec('COMMIT');
  }
}

export function exclusively<Result>(database: Database.Database, work: () => Result): Result {
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

/**
 * Tries until the file is free; gives up when it was in use for `patience` milliseconds and nothing moved.
 */
export async function waiting<Result>(
  location: string,
  patience: number,
  work: () => Result,
): Promise<Result> {
  let moved = '';
  let since = performance.now();
  for (;;) {
    try {
      return translating(location, work);
    } catch (error) {
      if (!isBusy(error)) throw error;
      const info = statSync(location, { throwIfNoEntry: false });
      const state = `${info?.mtimeMs} ${info?.size}`;
      if (state !== moved) {
        moved = state;
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

export function translating<Result>(location: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const code = String((error as { code?: unknown }).code ?? '');
    if (isBusy(error)) throw error;
    const message = (error as Error).message;
    // Statements name tables and columns that are in every ledger: where one is missing, the schema was
    // damaged.
    if (/^SQLITE_(CORRUPT|NOTADB|ERROR|MISMATCH|CONSTRAINT|FORMAT)/.test(code))
      throw new LedgerCorruptError(location, 'its pages', `${message} (${code})`, { cause: error });
    // libsql gives no code where a file cannot be opened at all (no permission, an I/O error).
    if (code.startsWith('SQLITE_') || /^E[A-Z]+$/.test(code) || message.startsWith('ConnectionFailed('))
      throw new LedgerUnavailableError(location, `${message}${code === '' ? '' : ` (${code})`}.`, {
        cause: error,
      });
    throw error;
  }
}
