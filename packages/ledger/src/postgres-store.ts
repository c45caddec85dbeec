import { canonicalJson } from '@hushrec/model';
import pg from 'pg';
import { emptyHead, type LedgerEntry } from './entry.js';
import { LedgerLockedError, LedgerUnavailableError } from './ledger-errors.js';
import { parsedEvent } from './sqlite-store.js';
import { type Decision, defaultPatience, type LedgerContent, type LedgerStore } from './store.js';

const schema = `
  CREATE TABLE IF NOT EXISTS hushrec_ledger_entry (
    number   bigint PRIMARY KEY,
    at       text NOT NULL,
    account  text NOT NULL,
    event    text NOT NULL,
    previous text NOT NULL UNIQUE,
    hash     text NOT NULL UNIQUE
  );
  CREATE TABLE IF NOT EXISTS hushrec_ledger_head (
    id     integer PRIMARY KEY CHECK (id = 1),
    number bigint NOT NULL,
    hash   text NOT NULL
  );
  CREATE OR REPLACE FUNCTION hushrec_ledger_is_append_only() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$;
  CREATE OR REPLACE TRIGGER hushrec_ledger_entries_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON hushrec_ledger_entry
    FOR EACH STATEMENT EXECUTE FUNCTION hushrec_ledger_is_append_only();`;

/** Any number will do, as long as every version of this code takes the same one. */
const advisoryLock = 0x68757368;

/**
 * A ledger in PostgreSQL, for data sets that several machines train on. Writers queue on an advisory lock that the
 * server drops with the connection of a killed process; `synchronous_commit = on` makes a commit durable before it
 * returns.
 */
export class PostgresStore implements LedgerStore {
  readonly location: string;
  readonly #client: pg.Client;
  readonly #patience: number;
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(location: string, client: pg.Client, patience: number) {
    this.location = location;
    this.#client = client;
    this.#patience = patience;
  }

  static async open(url: string, patience = defaultPatience): Promise<PostgresStore> {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: patience });
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
    await store.#transaction(() => client.query(schema));
    return store;
  }

  read(): Promise<LedgerContent> {
    return this.#transaction(() => this.#content(), 'READ ONLY');
  }

  append<Result>(decide: Decision<Result>): Promise<Result> {
    return this.#transaction(async () => {
      const { append, result } = decide(await this.#content());
      for (const entry of append) await this.#insert(entry);
      return result;
    });
  }

  async close(): Promise<void> {
    await this.#queue;
    await this.#client.end();
  }

  async #content(): Promise<LedgerContent> {
    const { rows } = await this.#client.query(
      'SELECT number, at, account, event, previous, hash FROM hushrec_ledger_entry ORDER BY number',
    );
    const heads = await this.#client.query('SELECT number, hash FROM hushrec_ledger_head');
    const head = heads.rows[0];
    return {
      entries: rows.map((row) => ({ ...row, number: Number(row.number), event: parsedEvent(row.event) })),
      head: head === undefined ? emptyHead : { number: Number(head.number), hash: head.hash },
    };
  }

  async #insert({ number, at, account, event, previous, hash }: LedgerEntry): Promise<void> {
    await this.#client.query(
      'INSERT INTO hushrec_ledger_entry (number, at, account, event, previous, hash) VALUES ($1, $2, $3, $4, $5, $6)',
      [number, at, account, canonicalJson(event), previous, hash],
    );
    await this.#client.query(
      'INSERT INTO hushrec_ledger_head (id, number, hash) VALUES (1, $1, $2) ON CONFLICT (id) DO UPDATE SET number = excluded.number, hash = excluded.hash',
      [number, hash],
    );
  }

  /** One at a time on this connection, and one writer at a time among all. Serialisable reads see one moment. */
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
