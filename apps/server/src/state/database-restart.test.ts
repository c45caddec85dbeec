import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { whyNoPostgres } from '@hushrec/testing';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase } from '../testing/fresh-database.test.data.js';
import { queuedRun } from '../testing/queued-run.test.data.js';
import { startTestServer, type TestServer } from '../testing/test-server.test.data.js';
import { openRunStore } from './open-run-store.js';
import type { RunStore } from './run-store.js';

const whyNot =
  whyNoPostgres() ??
  (process.env['DATABASE_URL'] === undefined ? undefined : 'the database of DATABASE_URL is not restarted');

describe.skipIf(whyNot !== undefined)(`a database that is restarted${whyNot ? ` (${whyNot})` : ''}`, () => {
  let postgres: Awaited<ReturnType<typeof freshDatabase>>;
  const stores: RunStore[] = [];
  let server: TestServer | undefined;
  beforeAll(async () => {
    postgres = await freshDatabase();
  });
  afterEach(async () => {
    await server?.close();
    server = undefined;
    for (const store of stores.splice(0)) await store.close();
  });
  afterAll(() => postgres?.stop());

  const opened = async (events: Parameters<typeof openRunStore>[1] = {}) => {
    const store = await openRunStore(postgres.url, events);
    stores.push(store);
    return store;
  };
  /** Until it does not throw. */
  const inTime = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        expect((error as Error).name).toBe('StateUnavailableError');
      }
    }
  };

  it('is connected to again, with the lock first, and what was written is there', async () => {
    const failures: Error[] = [];
    const store = await opened({ failed: (error) => failures.push(error) });
    await store.put(queuedRun('before'));
    await postgres.restart!(async () => {
      // While it is away: refused in time, and in words.
      await expect(store.list(1)).rejects.toThrow('does not answer. It is tried again.');
    });
    await inTime(() => store.put(queuedRun('after')));
    expect((await store.unfinished()).map(({ id }) => id)).toEqual(['after', 'before']);
    await expect(openRunStore(postgres.url)).rejects.toThrow('Another server uses');
    expect(failures.length).toBeGreaterThan(0);
  });

  /** Ends the owner's session while another one waits for its lock: as a server that was faster. */
  async function takeOver(): Promise<() => Promise<void>> {
    const [other, client] = [0, 1].map(() => new pg.Client({ connectionString: postgres.url }));
    other.on('error', () => {});
    await client.connect();
    await other.connect();
    const waiting = other.query('SELECT pg_advisory_lock($1)', [4_875_736_101]);
    for (let waits = 0; waits === 0; )
      waits = (await client.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")).rows
        .length;
    await client.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'hushrec-server %'",
    );
    await waiting;
    return async () => {
      await other.end();
      await client.end();
    };
  }

  it('that another server took over meanwhile is given up at once', async () => {
    let tell = (_: Error) => {};
    const told = new Promise<Error>((resolve) => (tell = resolve));
    const store = await opened({ lost: (error) => tell(error) });
    const giveBack = await takeOver();
    expect((await told).message).toContain('Another server took over');
    await expect(store.put(queuedRun('late'))).rejects.toMatchObject({ name: 'StateLostError' });
    await giveBack();
  });

  it('that another server took over ends the command with 1, so that whoever watches it starts it again', async () => {
    const models = mkdtempSync(join(tmpdir(), 'hushrec-lost-'));
    const program = fileURLToPath(new URL('../../../cli/bin/hushrec.js', import.meta.url));
    const args = [program, 'serve', '--models', models, '--state', postgres.url, '--port', '0'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    try {
      let said = '';
      const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
      await new Promise<void>((resolve) => {
        child.stderr.on('data', (text) => {
          said += text;
          if (said.includes('Serving on')) resolve();
        });
        child.once('exit', () => resolve());
      });
      const giveBack = await takeOver();
      expect(await ended, said).toBe(1);
      expect(said).toContain('Another server took over the list of runs');
      await giveBack();
    } finally {
      child.kill('SIGKILL');
      rmSync(models, { recursive: true, force: true });
    }
  });

  it('that only the network was lost to is taken back from the server’s own old connection', async () => {
    let isLost = false;
    const store = await opened({ lost: () => (isLost = true) });
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    const { rows } = await client.query<{ application_name: string }>(
      "SELECT application_name FROM pg_stat_activity WHERE application_name LIKE 'hushrec-server %'",
    );
    expect(rows).toHaveLength(1);
    // As after a cut line: a session of the same name holds the lock, and the server knows nothing of it.
    const old = new pg.Client({
      connectionString: postgres.url,
      application_name: rows[0].application_name,
    });
    old.on('error', () => {});
    await old.connect();
    // It is granted the lock when the server's own session ends; the server may end it before it can answer.
    const waiting = old.query('SELECT pg_advisory_lock($1)', [4_875_736_101]).catch((error) => error);
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted`,
    );
    const granted = await waiting;
    if (granted instanceof Error) expect(granted).toMatchObject({ code: '57P01' });
    await inTime(() => store.put(queuedRun('again')));
    expect(isLost).toBe(false);
    await client.end();
  });

  it('does not end the server: it is not ready meanwhile, logs why, and answers afterwards', async () => {
    server = await startTestServer({ state: postgres.url });
    const status = async (path: string) => (await server!.asOperator(path)).status;
    expect(await status('/api/runs')).toBe(200);
    await postgres.restart!(async () => {
      expect(await status('/api/runs')).toBe(503);
      expect(await status('/readyz')).toBe(503);
      expect(await status('/healthz')).toBe(200);
    });
    while ((await status('/readyz')) !== 200) await new Promise((done) => setTimeout(done, 50));
    expect(await status('/api/runs')).toBe(200);
    const failures = server.log
      .join('')
      .split('\n')
      .filter((line) => line.includes('state-failure'));
    expect(failures.join('\n')).toMatch(/"code":"(ECONNREFUSED|57P0\d)","message":"/);
  });
});
