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
const leastAnsweringMs = 5000;
const selectEntries = 'SELECT number, content, hash FROM hushrec_ledger_entry';
const selectJobs = 'SELECT number, entry, job, snapshot, seal FROM hushrec_ledger_job';

/** A table of a ledger, as the database's catalogue lists it. */
interface LedgerTable {
  readonly schema: string;
  readonly name: string;
  readonly role: string;
  readonly isOnPath: boolean;
  readonly isReadable: boolean;
}

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

  /**
   * Opens the ledger of a database; makes an empty one where there is none, if told to. With `onlyOne` a
   * second ledger in another schema is an error: it may be the one that is missed.
   *
   * @throws LedgerUnavailableError also where a ledger is there and the role has no rights to it: its budgets
   * hold all the same, and a second ledger beside it would be a second budget
   */
  static async open(
    url: string,
    options: { readonly patience?: number; readonly create?: boolean; readonly onlyOne?: boolean } = {},
  ): Promise<PostgresStore> {
    const { patience = defaultPatience } = options;
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: Math.max(patience, leastAnsweringMs),
      // A database that vanished must not hold a command for ever. The longest query waits for the lock.
      query_timeout: patience + leastAnsweringMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
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
      await store.#open(options);
    } catch (error) {
      await store.close();
      throw store.#translated(error);
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
    await this.#end();
  }

  /** A connection over which no answer comes is cut, without waiting for its goodbye. */
  async #end(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const waited = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, leastAnsweringMs);
      timer.unref();
    });
    await Promise.race([this.#client.end().catch(() => undefined), waited]);
    clearTimeout(timer);
  }

  async #open({ create = false, onlyOne = false }: { create?: boolean; onlyOne?: boolean }): Promise<void> {
    const found = await this.#tables();
    const used = found.find(({ isOnPath }) => isOnPath)?.schema;
    const elsewhere = [...new Set(found.map(({ schema }) => schema))].filter((schema) => schema !== used);
    if (used === undefined || onlyOne) this.#refuseElsewhere(elsewhere, found);
    const tables = found.filter(({ schema }) => schema === used);
    if (!tables.some(({ name }) => name === 'hushrec_ledger_format')) {
      if (tables.length > 0) throw new LedgerFormatError(this.location, 'an earlier format');
      if (!create) throw new LedgerMissingError(this.location);
      await this.#transaction(async () => {
        if ((await this.#tables()).length > 0) return;
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
    const unreadable = tables.filter(({ isReadable }) => !isReadable).map(({ name }) => `${used}.${name}`);
    if (unreadable.length > 0)
      throw new LedgerUnavailableError(
        this.location,
        `role "${tables[0].role}" has no right to read ${unreadable.join(', ')}. ${rightsWords(tables)}`,
      );
    const [row] = await this.#all('SELECT format, key FROM hushrec_ledger_format');
    const format = Buffer.from(bytesOf(row?.['format'])).toString('utf8');
    const key = bytesOf(row?.['key']);
    if (format !== ledgerFormat) throw new LedgerFormatError(this.location, `format "${format}"`);
    if (key.length !== 32)
      throw new LedgerCorruptError(this.location, 'its beginning', 'its key cannot be read');
    this.#key = Uint8Array.from(key);
  }

  #refuseElsewhere(schemas: readonly string[], found: readonly LedgerTable[]): void {
    if (schemas.length === 0) return;
    const { role } = found[0];
    throw new LedgerUnavailableError(
      this.location,
      `there is a ledger in ${schemas.map((each) => `schema "${each}"`).join(' and ')} of this database, which role "${role}" does not use: ` +
        'it has no rights there, or the schema is not in its search_path. The budgets of that ledger hold, so no other one is made or taken in its place. ' +
        rightsWords(found.filter(({ schema }) => schema === schemas[0])),
    );
  }

  /**
   * Tables of ledgers in any schema, those on the search path first and in its order. The catalogue lists
   * them also where the role may not use them, which `information_schema` hides.
   */
  async #tables(): Promise<readonly LedgerTable[]> {
    const { rows } = await this.#client.query(
      `SELECT n.nspname AS schema, c.relname AS name, current_user AS role,
              array_position(current_schemas(false), n.nspname) IS NOT NULL AS "isOnPath",
              has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT') AS "isReadable"
         FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'p') AND c.relname IN ('hushrec_ledger_format', 'hushrec_ledger_entry',
              'hushrec_ledger_head', 'hushrec_ledger_job', 'hushrec_ledger_checkpoint', 'hushrec_ledger_people')
        ORDER BY array_position(current_schemas(false), n.nspname) NULLS LAST, n.nspname, c.relname`,
    );
    return rows as LedgerTable[];
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
        // A machine that loses power or its network here holds the lock no longer than others wait for it.
        await this.#client.query(
          `SET LOCAL idle_in_transaction_session_timeout = ${Math.ceil(Math.max(this.#patience / 2, leastAnsweringMs))}`,
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
        // After a query that was never answered nothing else will be.
        if (isUnanswered(error)) await this.#end();
        else await this.#client.query('ROLLBACK').catch(() => undefined);
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
    if (isUnanswered(error))
      return new LedgerUnavailableError(
        this.location,
        `the database did not answer within ${(this.#patience + leastAnsweringMs) / 1000} s.`,
        { cause: error },
      );
    const insufficientPrivilege = '42501';
    if ((error as { code?: string }).code === insufficientPrivilege)
      return new LedgerUnavailableError(
        this.location,
        `${error.message}. Reading needs SELECT on all tables hushrec_ledger_…, writing also INSERT, UPDATE and DELETE: ask the owner of the database to grant them.`,
        { cause: error },
      );
    const fromPostgres =
      error instanceof pg.DatabaseError || /[Cc]onnection|ECONN|EPIPE|not queryable/.test(error.message);
    return fromPostgres ? new LedgerUnavailableError(this.location, error.message, { cause: error }) : error;
  }
}

/** pg gave up waiting for an answer (`query_timeout`). */
function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

/** What the owner of a ledger types so that a role can use it. */
function rightsWords(tables: readonly LedgerTable[]): string {
  const { schema, role } = tables[0];
  const all = tables.map(({ name }) => `"${schema}".${name}`).join(', ');
  return (
    `Ask its owner: GRANT USAGE ON SCHEMA "${schema}" TO "${role}"; GRANT SELECT, INSERT, UPDATE, DELETE ON ${all} TO "${role}"; ` +
    `ALTER ROLE "${role}" SET search_path = "${schema}".`
  );
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
