import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, type TestPostgres, whyNoPostgres } from '@hushrec/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../run-command.test.data.js';

const reason = whyNoPostgres();

describe.skipIf(reason !== undefined)(`lists in PostgreSQL${reason ? ` (${reason})` : ''}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-lists-in-database-'));
  const at = (name: string) => join(folder, name);
  const schema = `lists_${process.pid}`;
  const role = `writer_${process.pid}`;
  let server: TestPostgres;
  let client: pg.Client;
  const addressOf = (user?: string) => {
    const address = new URL(server.url);
    if (user !== undefined) [address.username, address.password] = [user, 'secret'];
    return address.href;
  };
  const lists = (out: string, ...flags: string[]) =>
    runCommand('recommend', at('model'), '--histories', at('shop.csv'), '-k', '4', '--out', out, ...flags);
  const rowsOf = async (table: string) => (await client.query(`SELECT * FROM ${table}`)).rows;

  beforeAll(async () => {
    server = await startPostgres();
    client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query(`CREATE SCHEMA ${schema}`);
    await client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
    const rows = Array.from(
      { length: 600 },
      (_, k) => `p${k % 60},i${(k * 7 + (k % 13)) % 20},${1 + (k % 5)}`,
    );
    writeFileSync(at('shop.csv'), `user,item,rating\n${rows.join('\n')}\n`);
    writeFileSync(at('items.csv'), 'item,title\ni1,"Tea, green"\n');
    const place = ['--ledger', at('ledger.sqlite'), '--new-ledger'];
    await runCommand(
      ...['import', at('shop.csv'), at('shop'), '--scale', '1:5:1', '--items', at('items.csv'), ...place],
    );
    const trained = await runCommand(
      ...['train', at('shop'), '--method', 'als'],
      ...['--set', 'rank=3', '--epsilon', 'inf', '--out', at('model')],
      ...place,
    );
    expect(trained.code, trained.errors).toBe(0);
  });
  afterAll(async () => {
    await client?.query(`DROP SCHEMA ${schema} CASCADE`);
    await client?.query(`DROP ROLE ${role}`);
    await client?.end();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('makes a table with the rows of the file, and shows no password', async () => {
    const table = `${schema}.first`;
    const { code, text, errors } = await lists(`${addressOf()}?table=${table}`);
    expect(code, errors).toBe(0);
    expect(text).toContain('no certificate covers them');
    expect(text + errors).not.toContain(new URL(server.url).password);
    expect((await lists(at('lists.tsv'))).code).toBe(0);
    const [, ...lines] = readFileSync(at('lists.tsv'), 'utf8').replace(/\n$/, '').split('\n');
    const found = await rowsOf(table);
    expect(found).toHaveLength(240);
    expect(
      found.map(({ person, rank, item, score, title }) => [person, rank, item, score, title].join('\t')),
    ).toEqual(lines);
  });

  it('replaces rows only when asked, all or none', async () => {
    const out = `${addressOf()}?table=${schema}.second`;
    expect((await lists(out)).code).toBe(0);
    const again = await lists(out);
    expect(again).toMatchObject({ code: 2, errors: expect.stringContaining('--overwrite') });
    writeFileSync(at('bad.csv'), 'user,item,rating\n1,i1,4\n1,i2,9\n');
    const bad = await runCommand(
      ...['recommend', at('model'), '--histories', at('bad.csv'), '--out', out, '--overwrite'],
    );
    expect(bad.code).toBe(3);
    expect(await rowsOf(`${schema}.second`)).toHaveLength(240);
    expect((await lists(out, '--overwrite', '-k', '2')).code).toBe(0);
    expect(await rowsOf(`${schema}.second`)).toHaveLength(120);
  });

  it('names missing rights and columns', async () => {
    const other = (name?: string) => `${addressOf(name)}?table=${schema}.third`;
    const noSchema = await lists(other(role));
    expect(noSchema.code).toBe(2);
    expect(noSchema.errors).toContain(`GRANT USAGE, CREATE ON its schema TO "${role}"`);
    await client.query(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`);
    await client.query(
      `CREATE TABLE ${schema}.third (person text, rank int, item text, score real, title text)`,
    );
    const noTable = await lists(other(role));
    expect(noTable.code).toBe(2);
    expect(noTable.errors).toContain(`GRANT SELECT, INSERT, DELETE ON "${schema}"."third" TO "${role}"`);
    await client.query(`GRANT SELECT, INSERT ON ${schema}.third TO ${role}`);
    expect((await lists(other(role))).code).toBe(0);
    await client.query(`CREATE TABLE ${schema}.fourth (person text)`);
    const columns = await lists(`${addressOf()}?table=${schema}.fourth`);
    expect(columns).toMatchObject({ code: 2, errors: expect.stringContaining('person text, rank integer') });
    const nobody = await lists(other('nobody_known'));
    expect(nobody).toMatchObject({ code: 3, errors: expect.stringContaining('user name or password') });
  });
});
