import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Run } from './run.js';
import {
  type RunStore,
  StateInUseError,
  StateLostError,
  StateUnavailableError,
  type StoreEvents,
} from './run-store.js';

const schema = `
  CREATE TABLE IF NOT EXISTS hushrec_runs (id text PRIMARY KEY, created_at text NOT NULL, status text NOT NULL, document jsonb NOT NULL);
  CREATE INDEX IF NOT EXISTS hushrec_runs_by_time ON hushrec_runs (created_at);`;
/** Any fixed number: the key of the advisory lock that marks the owner. */
const ownerLock = 4_875_736_101;
/** Between attempts to connect again: from the first on twice as long, up to the last. */
const pausesMs = { first: 100, last: 5000 } as const;
/** A caller waits so long for the database to be back. */
const patienceMs = 1500;
/** For a database that takes connections and questions, and answers none. */
const limitsMs = { connect: 5000, query: 10_000 } as const;

/**
 * Runs in PostgreSQL. The owner holds an advisory lock, which ends with its connection, also when it is
 * killed. A connection that is lost (the database was restarted) is made again, with the lock before anything
 * else; where another server has taken it meanwhile, this one owns nothing any more and says so
 * (`StoreEvents.lost`).
 */
export class PostgresRunStore implements RunStore {
  readonly kind = 'postgresql';
  readonly #url: string;
  readonly #name: string;
  readonly #events: StoreEvents;
  #client: pg.Client | undefined;
  #connecting: Promise<void> | undefined;
  /** Why nothing is read or written any more: closed, or owned by another server. */
  #ended: Error | undefined;

  private constructor(url: string, name: string, events: StoreEvents) {
    this.#url = url;
    this.#name = name;
    this.#events = events;
  }

  static async open(url: string, events: StoreEvents = {}): Promise<PostgresRunStore> {
    // Tells this server's own connections from those of another one.
    const name = `hushrec-server ${randomUUID()}`;
    const store = new PostgresRunStore(url, name, events);
    store.#use(await owningClient(url, name));
    return store;
  }

  async put(run: Run): Promise<void> {
    await this.#query(
      `INSERT INTO hushrec_runs (id, created_at, status, document) VALUES ($1, $2, $3, $4)
       ON CONFLICT (id) DO UPDATE SET status = excluded.status, document = excluded.document`,
      [run.id, run.createdAt, run.status, JSON.stringify(run)],
    );
  }

  async get(id: string): Promise<Run | undefined> {
    return (await this.#runs('WHERE id = $1', [id]))[0];
  }

  list(limit: number): Promise<readonly Run[]> {
    return this.#runs('ORDER BY created_at DESC, id DESC LIMIT $1', [limit]);
  }

  unfinished(): Promise<readonly Run[]> {
    return this.#runs("WHERE status IN ('queued', 'running') ORDER BY created_at, id", []);
  }

  async close(): Promise<void> {
    this.#ended ??= new Error('The list of runs is closed.');
    const client = this.#client;
    this.#client = undefined;
    await client?.end();
  }

  async #runs(condition: string, values: readonly unknown[]): Promise<Run[]> {
    const { rows } = await this.#query<{ document: Run }>(
      `SELECT document FROM hushrec_runs ${condition}`,
      values,
    );
    return rows.map(({ document }) => document);
  }

  /** Asked again where the connection was lost meanwhile: no statement here changes more when repeated. */
  async #query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]) {
    const until = performance.now() + patienceMs;
    for (;;) {
      const client = await this.#connected(until);
      try {
        return await client.query<Row>(text, [...values]);
      } catch (error) {
        if (!isLost(error)) throw error;
        this.#lose(client, error as Error);
      }
    }
  }

  async #connected(until: number): Promise<pg.Client> {
    const waited = new AbortController();
    const late = sleep(Math.max(0, until - performance.now()), undefined, {
      signal: waited.signal,
      ref: false,
    }).catch(() => {});
    while (this.#client === undefined && this.#ended === undefined && performance.now() < until)
      await Promise.race([this.#connecting, late]);
    waited.abort();
    if (this.#ended !== undefined) throw this.#ended;
    if (this.#client === undefined) throw new StateUnavailableError();
    return this.#client;
  }

  #use(client: pg.Client): void {
    this.#client = client;
    // Also without a question under way: whoever takes the lock meanwhile is noticed soon.
    client.on('error', (error) => this.#lose(client, error));
    client.on('end', () => this.#lose(client, new Error('The connection ended.')));
  }

  #lose(client: pg.Client, error: Error): void {
    if (client !== this.#client) return;
    this.#client = undefined;
    client.end().catch(() => {});
    this.#events.failed?.(error);
    this.#connecting = this.#connectAgain();
  }

  async #connectAgain(): Promise<void> {
    for (let pause: number = pausesMs.first; this.#ended === undefined; pause *= 2) {
      try {
        const client = await owningClient(this.#url, this.#name);
        if (this.#ended !== undefined) await client.end();
        else this.#use(client);
        return;
      } catch (error) {
        if (error instanceof StateInUseError) {
          const lost = new StateLostError();
          this.#ended ??= lost;
          this.#events.lost?.(lost);
          return;
        }
        this.#events.failed?.(error as Error);
      }
      await sleep(Math.min(pause, pausesMs.last), undefined, { ref: false });
    }
  }
}

/** A connection that holds the owner's lock; `name` is that of the server, on all its connections. */
async function owningClient(url: string, name: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: name,
    keepAlive: true,
    connectionTimeoutMillis: limitsMs.connect,
    query_timeout: limitsMs.query,
  });
  // A lost connection fails the next query; without a listener it would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    if (!(await takesLock(client, name))) throw new StateInUseError('this database');
    await client.query(schema);
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
  return client;
}

/**
 * Takes the owner's lock. Where the network was lost, and not the database, an earlier connection of this
 * same server may still hold it: that one is ended.
 */
async function takesLock(client: pg.Client, name: string): Promise<boolean> {
  const isMine = async () =>
    (await client.query('SELECT pg_try_advisory_lock($1) AS mine', [ownerLock])).rows[0].mine === true;
  if (await isMine()) return true;
  const { rowCount } = await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name = $1 AND pid <> pg_backend_pid() AND datname = current_database()`,
    [name],
  );
  if (!rowCount) return false;
  for (let attempt = 0; attempt < 20; attempt++) {
    await sleep(50);
    if (await isMine()) return true;
  }
  return false;
}

/** The connection is gone, or the server is going: 08… and 57P0…; all else is an answer to the question. */
function isLost(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || /^(08|57P0)/.test(error.code ?? '');
}
