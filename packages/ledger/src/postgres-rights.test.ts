import { connect, createServer, type Server, type Socket } from 'node:net';
import { startPostgres, type TestPostgres, whyNoPostgres } from '@hushrec/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gaussianAccountant } from './example-accountant.test.data.js';
import { LedgerMissingError, LedgerUnavailableError } from './ledger-errors.js';
import { openLedger } from './open-ledger.js';

const reason = whyNoPostgres();
const account = 'a'.repeat(32);
const protection = { unit: 'user', relation: 'add-remove' } as const;
const charge = { kind: 'event', event: { kind: 'gaussian', sensitivity: 1, noise: 5 } } as const;
const spend = (jobKey: string) => ({ account, jobKey, method: 'dpals', protection, charge });

describe.skipIf(reason !== undefined)(`PostgreSQL around the ledger${reason ? ` (${reason})` : ''}`, () => {
  let server: TestPostgres;
  let admin: pg.Client;
  let owner: string;
  const addressOf = (role?: string) => {
    const address = new URL(owner);
    if (role !== undefined) [address.username, address.password] = [role, 'secret'];
    return address.href;
  };
  const opened = (url: string, options: Parameters<typeof openLedger>[1] = {}) =>
    openLedger(url, { accountant: gaussianAccountant, patience: 500, ...options });
  const schemas = async () =>
    (
      await admin.query<{ schemaname: string }>(
        "SELECT schemaname FROM pg_catalog.pg_tables WHERE tablename = 'hushrec_ledger_format'",
      )
    ).rows.map(({ schemaname }) => schemaname);

  beforeAll(async () => {
    server = await startPostgres();
    const name = `rights_${process.pid}`;
    const first = new pg.Client({ connectionString: server.url });
    await first.connect();
    await first.query(`CREATE DATABASE ${name}`);
    await first.end();
    const address = new URL(server.url);
    address.pathname = `/${name}`;
    owner = address.href;
    admin = new pg.Client({ connectionString: owner });
    await admin.connect();
    const ledger = await opened(owner, { create: true });
    await ledger.spend(spend('first'));
    await ledger.close();
    // `guest` may connect and make a schema of its own name, which PostgreSQL puts before all others.
    for (const role of ['guest', 'reader']) await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
    await admin.query('REVOKE ALL ON SCHEMA public FROM PUBLIC');
    await admin.query('CREATE SCHEMA guest AUTHORIZATION guest');
  });
  afterAll(async () => {
    await admin?.query(`DROP OWNED BY guest, reader`);
    await admin?.query('DROP ROLE guest, reader');
    await admin?.end();
    await server?.stop();
  });

  it('names missing rights, and makes no second ledger in the same database', async () => {
    for (const options of [{}, { create: true }, { create: true, acceptingLoss: true }]) {
      const refused = opened(addressOf('guest'), options);
      await expect(refused).rejects.toThrow(LedgerUnavailableError);
      await expect(refused).rejects.toThrow(/schema "public".*role "guest".*GRANT USAGE ON SCHEMA "public"/);
    }
    expect(await schemas()).toEqual(['public']);
  });

  it('names the tables that a role may not read', async () => {
    await admin.query('GRANT USAGE ON SCHEMA public TO reader');
    await admin.query('GRANT SELECT ON hushrec_ledger_format TO reader');
    const refused = opened(addressOf('reader'), { create: true });
    await expect(refused).rejects.toThrow(LedgerUnavailableError);
    await expect(refused).rejects.toThrow(/no right to read public\.hushrec_ledger_checkpoint/);
    await admin.query('GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader');
    const ledger = await opened(addressOf('reader'));
    expect((await ledger.balance(account, 1e-6)).runs).toBe(1);
    await expect(ledger.spend(spend('written'))).rejects.toThrow(/permission denied.*INSERT, UPDATE/);
    await ledger.close();
  });

  it('takes no ledger for the one that is missed while another schema has one', async () => {
    await admin.query('CREATE SCHEMA second');
    const address = new URL(owner);
    address.searchParams.set('options', '-c search_path=second');
    await expect(opened(address.href, { create: true })).rejects.toThrow(/schema "public"/);
    await admin.query('CREATE DATABASE apart');
    const apart = new URL(owner);
    apart.pathname = '/apart';
    await expect(opened(apart.href)).rejects.toThrow(LedgerMissingError);
    // Two ledgers that are there already: each role goes on with its own, but nobody accepts a loss.
    await admin.query('CREATE TABLE second.hushrec_ledger_entry (number bigint)');
    await (await opened(owner)).close();
    await expect(opened(owner, { acceptingLoss: true })).rejects.toThrow(/schema "second"/);
    await admin.query('DROP SCHEMA second CASCADE');
    await admin.query('DROP DATABASE apart');
  });

  it('gives up on a database that does not answer, and frees the lock of a machine that is gone', async () => {
    const line = await cutLine(Number(new URL(owner).port));
    const address = new URL(owner);
    address.port = String(line.port);
    const cut = await opened(address.href);
    // Everything after the lock is lost on the way, as when a cable is pulled inside a transaction.
    line.cutAfter('pg_advisory_xact_lock');
    await expect(cut.spend(spend('cut'))).rejects.toThrow(/did not answer within/);
    await expect(cut.head()).rejects.toThrow(LedgerUnavailableError);
    await cut.close();
    const other = await opened(owner, { patience: 30_000 });
    expect((await other.spend(spend('after'))).resumed).toBe(false);
    await other.close();
    line.close();
  });
});

/** Forwards to a port until a text was sent; then the line is dead, and neither side is told. */
async function cutLine(port: number) {
  let last: string | undefined;
  let isCut = false;
  const sockets: Socket[] = [];
  const server: Server = createServer({ allowHalfOpen: true }, (client) => {
    const database = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    sockets.push(client, database);
    for (const socket of [client, database]) socket.on('error', () => undefined);
    client.on('data', (bytes) => {
      if (isCut) return;
      database.write(bytes);
      if (last !== undefined && bytes.includes(last)) isCut = true;
    });
    database.on('data', (bytes) => {
      if (!isCut) client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    cutAfter: (text: string) => {
      last = text;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
