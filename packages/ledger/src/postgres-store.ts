import { randomBytes } from 'node:crypto';
import pg from 'pg';
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
  CREATE TABLE hushrec_ledger_format (
    id     integer PRIMARY KEY CHECK (id = 1),
    format bytea NOT NULL,
    key    bytea NOT NULL
  );
  CREATE TABLE hushrec_ledger_entry (
    number  bigint PRIMARY KEY,
    spend   bytea UNIQUE,
    content bytea NOT NULL,
    hash    bytea NOT NULL
  );
  CREATE TABLE hushrec_ledger_head (
    id     integer PRIMARY KEY CHECK (id = 1),
    number bigint NOT NULL,
    hash   bytea NOT NULL
  );
  CREATE TABLE hushrec_ledger_job (
    number   bigint PRIMARY KEY,
    entry    bytea NOT NULL,
    job      bytea NOT NULL UNIQUE,
    snapshot bytea,
    seal     bytea NOT NULL
  );
  CREATE TABLE hushrec_ledger_checkpoint (
    number bigint PRIMARY KEY,
    hash   bytea NOT NULL,
    state  bytea NOT NULL,
    seal   bytea NOT NULL
  );
  CREATE TABLE hushrec_ledger_people (
    account bytea PRIMARY KEY,
    sketch  bytea NOT NULL,
    seal    bytea NOT NULL
  );
  CREATE OR REPLACE FUNCTION hushrec_ledger_is_append_only() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$;
  CREATE TRIGGER hushrec_ledger_entries_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON hushrec_ledger_entry
    FOR EACH STATEMENT EXECUTE FUNCTION hushrec_ledger_is_append_only();`;

/** Any number will do, as long as every version of this code takes the same one. */
const advisoryLock = 0x68757368;
/** Patience is with others who hold the ledger; a busy machine or a far one is given this much to answer. */
const leastConnectingMs = 5000;
const selectEntries = 'SELECT number, content, hash FROM hushrec_ledger_entry';
const selectJobs = 'SELECT number, entry, job, snapshot, seal FROM hushrec_ledger_job';

/**
 * A ledger in PostgreSQL, for accounts that several machines train on. Writers queue, in the order of their
 * coming, on an advisory lock that the server drops with the connection of a killed process;
 * `synchronous_commit = on` makes a commit durable before it returns.
 */
export class PostgresStore implements LedgerStore {
  readonly location: string;
  readonly #client: pg.Client;
  readonly #patience: number;
  #key: LedgerKey = new Uint8Array();
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(location: string, client: pg.Client, patience: number) {
    this.location = location;
    this.#client = client;
    this.#patience = patience;
  }

  /** Opens the ledger of a database; makes an empty one where there is none, if told to. */
  static async open(
    url: string,
    options: { readonly patience?: number; readonly create?: boolean } = {},
  ): Promise<PostgresStore> {
    const { patience = defaultPatience, create = false } = options;
    const connectionTimeoutMillis = Math.max(patience, leastConnectingMs);
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis });
    const location = withoutPassword(url);
    // A broken connection rejects the query under way; without a listener it would end the process besides.
    client.on('error', () => undefined);
    try {
      await client.connect();
    } catch (error) {
      await client.end().catch(() => undefined);
      throw new LedgerUnavailableError(location, (error as Error).message, { cause: error });
    }
    const store = new PostgresStore(location, client, patience);
    try {
      await store.#open(create);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    return store;
  }

  get key(): LedgerKey {
    return this.#key;
  }

  read(lookup: Lookup): Promise<LedgerContent> {
    return this.#transaction(() => this.#content(lookup), 'READ ONLY');
  }

  entry(number: number): Promise<StoredEntry | undefined> {
    return this.#transaction(() => this.#entry(number), 'READ ONLY');
  }

  append(head: ChainHead, rows: NewRows): Promise<boolean> {
    return this.#transaction(async () => {
      const now = await this.#head();
      if (now.number !== head.number || now.hash !== head.hash) return false;
      await this.#insert(rows);
      return true;
    });
  }

  appendDeciding<Result>(
    lookup: Lookup,
    decide: (content: LedgerContent) => { readonly rows: NewRows; readonly result: Result },
  ): Promise<Result> {
    return this.#transaction(async () => {
      const { rows, result } = decide(await this.#content(lookup));
      await this.#insert(rows);
      return result;
    });
  }

  jobs(): Promise<readonly JobRow[]> {
    return this.#transaction(async () => (await this.#all(selectJobs)).map(jobOf), 'READ ONLY');
  }

  people(): Promise<readonly PeopleRow[]> {
    return this.#transaction(
      async () => (await this.#all('SELECT account, sketch, seal FROM hushrec_ledger_people')).map(peopleOf),
      'READ ONLY',
    );
  }

  updatePeople(account: string, merge: (before: PeopleRow | undefined) => PeopleRow): Promise<void> {
    return this.#transaction(async () => {
      const [before] = await this.#all(
        'SELECT account, sketch, seal FROM hushrec_ledger_people WHERE account = $1',
        hexBytes(account),
      );
      const { sketch, seal } = merge(before && peopleOf(before));
      await this.#client.query(
        'INSERT INTO hushrec_ledger_people (account, sketch, seal) VALUES ($1, $2, $3) ON CONFLICT (account) DO UPDATE SET sketch = excluded.sketch, seal = excluded.seal',
        [hexBytes(account), Buffer.from(sketch), hexBytes(seal)],
      );
    });
  }

  async close(): Promise<void> {
    await this.#queue;
    await this.#client.end();
  }

  async #open(create: boolean): Promise<void> {
    const found = await this.#tables();
    if (!found.has('hushrec_ledger_format')) {
      if (found.has('hushrec_ledger_entry')) throw new LedgerFormatError(this.location, 'an earlier format');
      if (!create) throw new LedgerMissingError(this.location);
      await this.#transaction(async () => {
        if ((await this.#tables()).has('hushrec_ledger_format')) return;
        const key = randomBytes(32);
        await this.#client.query(schema);
        await this.#client.query('INSERT INTO hushrec_ledger_format (id, format, key) VALUES (1, $1, $2)', [
          Buffer.from(ledgerFormat),
          key,
        ]);
        await this.#client.query('INSERT INTO hushrec_ledger_head (id, number, hash) VALUES (1, 0, $1)', [
          hexBytes(chainStart(key)),
        ]);
      });
    }
    const [row] = await this.#all('SELECT format, key FROM hushrec_ledger_format');
    const format = Buffer.from(bytesOf(row?.['format'])).toString('utf8');
    const key = bytesOf(row?.['key']);
    if (format !== ledgerFormat) throw new LedgerFormatError(this.location, `format "${format}"`);
    if (key.length !== 32)
      throw new LedgerCorruptError(this.location, 'its beginning', 'its key cannot be read');
    this.#key = Uint8Array.from(key);
  }

  async #tables(): Promise<ReadonlySet<string>> {
    const { rows } = await this.#client.query(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = ANY (current_schemas(false)) AND table_name LIKE 'hushrec\\_ledger\\_%'",
    );
    return new Set(rows.map(({ name }: { name: string }) => name));
  }

  async #content({ job, completionOf, whole = false }: Lookup): Promise<LedgerContent> {
    const head = await this.#head();
    const [checkpoint] = whole
      ? []
      : await this.#all(
          'SELECT number, hash, state, seal FROM hushrec_ledger_checkpoint WHERE number <= $1 ORDER BY number DESC LIMIT 1',
          head.number - alwaysChecked,
        );
    const after = checkpoint === undefined ? 0 : Number(checkpoint['number']);
    const [jobRow] = job === undefined ? [] : await this.#all(`${selectJobs} WHERE job = $1`, hexBytes(job));
    return {
      head,
      checkpoint: checkpoint && checkpointOf(checkpoint),
      entries: (await this.#all(`${selectEntries} WHERE number > $1 ORDER BY number`, after)).map(entryOf),
      job: jobRow && { row: jobOf(jobRow), entry: await this.#entry(Number(jobRow['number'])) },
      isCompleted:
        completionOf !== undefined &&
        (
          await this.#all(
            'SELECT 1 AS found FROM hushrec_ledger_entry WHERE spend = $1',
            hexBytes(completionOf),
          )
        ).length > 0,
    };
  }

  async #head(): Promise<ChainHead> {
    const [row] = await this.#all('SELECT number, hash FROM hushrec_ledger_head');
    if (row === undefined)
      throw new LedgerCorruptError(this.location, 'its head', 'the row that says where it ends is gone');
    return { number: Number(row['number']), hash: hexOf(row['hash']) };
  }

  async #entry(number: number): Promise<StoredEntry | undefined> {
    const [row] = await this.#all(`${selectEntries} WHERE number = $1`, number);
    return row && entryOf(row);
  }

  async #insert({ entries, jobs, checkpoint }: NewRows): Promise<void> {
    for (const entry of entries) {
      const spend = entry.event.kind === 'completion' ? hexBytes(entry.event.spend) : null;
      await this.#client.query(
        'INSERT INTO hushrec_ledger_entry (number, spend, content, hash) VALUES ($1, $2, $3, $4)',
        [entry.number, spend, Buffer.from(entryContent(entry)), hexBytes(entry.hash)],
      );
      await this.#client.query('UPDATE hushrec_ledger_head SET number = $1, hash = $2 WHERE id = 1', [
        entry.number,
        hexBytes(entry.hash),
      ]);
    }
    for (const { number, entry, job, snapshot, seal } of jobs)
      await this.#client.query(
        'INSERT INTO hushrec_ledger_job (number, entry, job, snapshot, seal) VALUES ($1, $2, $3, $4, $5)',
        [number, hexBytes(entry), hexBytes(job), hexBytesOrNull(snapshot), hexBytes(seal)],
      );
    if (checkpoint === undefined) return;
    const { number, hash, state, seal } = checkpoint;
    await this.#client.query(
      'INSERT INTO hushrec_ledger_checkpoint (number, hash, state, seal) VALUES ($1, $2, $3, $4)',
      [number, hexBytes(hash), Buffer.from(state), hexBytes(seal)],
    );
    await this.#client.query(
      'DELETE FROM hushrec_ledger_checkpoint WHERE number NOT IN (SELECT number FROM hushrec_ledger_checkpoint ORDER BY number DESC LIMIT $1)',
      [checkpointsKept],
    );
  }

  async #all(sql: string, ...parameters: unknown[]): Promise<ByteRow[]> {
    return (await this.#client.query(sql, parameters)).rows as ByteRow[];
  }

  /**
   * One at a time on this connection, and one writer at a time among all. Serialisable reads see one moment.
   */
  #transaction<Result>(
    work: () => Promise<Result>,
    mode: 'READ ONLY' | 'READ WRITE' = 'READ WRITE',
  ): Promise<Result> {
    const turn = this.#queue.then(async () => {
      try {
        await this.#client.query(
          `BEGIN ISOLATION LEVEL ${mode === 'READ ONLY' ? 'REPEATABLE READ' : 'READ COMMITTED'} ${mode}`,
        );
        if (mode === 'READ WRITE') {
          await this.#client.query(`SET LOCAL synchronous_commit = on`);
          await this.#client.query(`SET LOCAL lock_timeout = ${Math.ceil(this.#patience)}`);
          await this.#client.query('SELECT pg_advisory_xact_lock($1)', [advisoryLock]);
        }
        const result = await work();
        await this.#client.query('COMMIT');
        return result;
      } catch (error) {
        await this.#client.query('ROLLBACK').catch(() => undefined);
        throw this.#translated(error);
      }
    });
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  #translated(error: unknown): unknown {
    if (!(error instanceof Error)) return error;
    const lockNotAvailable = '55P03';
    if ((error as { code?: string }).code === lockNotAvailable)
      return new LedgerLockedError(this.location, this.#patience / 1000, { cause: error });
    const fromPostgres = error instanceof pg.DatabaseError || /[Cc]onnection|ECONN|EPIPE/.test(error.message);
    return fromPostgres ? new LedgerUnavailableError(this.location, error.message, { cause: error }) : error;
  }
}

/** The address as it may stand in messages. */
export function withoutPassword(url: string): string {
  try {
    const parsed = new URL(url);
    parsed.password = '';
    parsed.search = '';
    return parsed.href;
  } catch {
    return 'postgres://…';
  }
}
