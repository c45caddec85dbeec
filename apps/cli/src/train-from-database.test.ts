import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, type TestPostgres, whyNoPostgres } from '@hushrec/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importedFolder } from './imported-folder.js';
import { runCommand } from './run-command.test.data.js';

const reason = whyNoPostgres();

describe.skipIf(reason !== undefined)(`train postgres://… --query${reason ? ` (${reason})` : ''}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-from-database-'));
  const before = process.cwd();
  let server: TestPostgres;
  let client: pg.Client;
  beforeAll(async () => {
    server = await startPostgres();
    client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query(`
      DROP TABLE IF EXISTS hushrec_train;
      CREATE TABLE hushrec_train (customer int, product text, stars int);
      INSERT INTO hushrec_train
        SELECT g % 80, 'p' || (g * 7) % 30, 1 + g % 5 FROM generate_series(0, 1999) AS g`);
    process.chdir(folder);
  });
  afterAll(async () => {
    process.chdir(before);
    await client?.query('DROP TABLE IF EXISTS hushrec_train');
    await client?.end();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('imports into the current folder each time, and the account stays', async () => {
    const query = 'SELECT customer AS user, product AS item, stars AS rating FROM hushrec_train';
    const options = ['--query', query, '--scale', '1:5:1', '--people', '80', '--overwrite', '--out', 'model'];
    const set = join(folder, importedFolder(server.url), 'dataset.json');
    const first = await runCommand('train', server.url, '--epsilon', '1', ...options);
    expect(first.code, first.errors).toBe(0);
    const { account, people } = JSON.parse(readFileSync(set, 'utf8'));
    expect(people).toBe(80);
    expect(readFileSync(set, 'utf8')).not.toContain(new URL(server.url).password);
    await client.query("INSERT INTO hushrec_train VALUES (1000, 'p1', 4)");
    const second = await runCommand('train', server.url, '--epsilon', '1', ...options);
    expect(second.code, second.errors).toBe(0);
    expect(JSON.parse(readFileSync(set, 'utf8'))).toMatchObject({ people: 81, account });
    expect(existsSync(join(folder, 'model/certificate.json'))).toBe(true);
  });
});
