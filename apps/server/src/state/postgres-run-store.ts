import pg from 'pg';
import type { Run } from './run.js';
import { type RunStore, StateInUseError } from './run-store.js';

const schema = `
  CREATE TABLE IF NOT EXISTS hushrec_runs (id text PRIMARY KEY, created_at text NOT NULL, status text NOT NULL, document jsonb NOT NULL);
  CREATE INDEX IF NOT EXISTS hushrec_runs_by_time ON hushrec_runs (created_at);`;
/** Any fixed number: the key of the advisory lock that marks the owner. */
const ownerLock = 4_875_736_101;

/**
 * Runs in PostgreSQL. The owner holds an advisory lock, which ends with its connection, also when it is
 * killed.
 */
export class PostgresRunStore implements RunStore {
  readonly kind = 'postgresql';
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async open(url: string): Promise<PostgresRunStore> {
    const client = new pg.Client({ connectionString: url, application_name: 'hushrec-server' });
    await client.connect();
    // A lost connection fails the next query; without a listener it would end the process.
    client.on('error', () => {});
    try {
      const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS mine', [ownerLock]);
      if (rows[0].mine !== true) throw new StateInUseError('this database');
      await client.query(schema);
    } catch (error) {
      await client.end();
      throw error;
    }
    return new PostgresRunStore(client);
  }

  async put(run: Run): Promise<void> {
    await this.#client.query(
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
    await this.#client.end();
  }

  async #runs(condition: string, values: readonly unknown[]): Promise<Run[]> {
    const { rows } = await this.#client.query<{ document: Run }>(
      `SELECT document FROM hushrec_runs ${condition}`,
      [...values],
    );
    return rows.map(({ document }) => document);
  }
}
