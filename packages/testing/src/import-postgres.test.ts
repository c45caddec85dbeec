import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BadDataError, importSource, openDataset } from '@hushrec/ratings';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres, type TestPostgres, whyNoPostgres } from './postgres.js';

const reason = whyNoPostgres();
const scale = { min: 1, max: 5, step: 1 };

describe.skipIf(reason !== undefined)(`import from PostgreSQL${reason ? ` (${reason})` : ''}`, () => {
  let server: TestPostgres;
  let base: string;
  let out: string;
  beforeAll(async () => {
    server = await startPostgres();
    base = await mkdtemp(join(tmpdir(), 'hushrec-postgres-import-'));
    out = join(base, 'set');
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    // More rows than one fetch of the cursor; big ids that a double cannot hold; one pair rated twice.
    await client.query(`
      DROP TABLE IF EXISTS hushrec_import;
      CREATE TABLE hushrec_import (person bigint, item text, stars numeric(2,1), at timestamptz);
      INSERT INTO hushrec_import
        SELECT 9007199254740993 + g % 500, 'i' || g % 90, 1 + g % 5, to_timestamp(1500000000 + g)
        FROM generate_series(0, 44999) AS g WHERE g % 90 <> 7;
      INSERT INTO hushrec_import VALUES (9007199254740993, 'i0', 5, '2030-01-01 00:00:00.5+02')`);
    await client.end();
  });
  afterAll(async () => {
    await server.stop();
    await rm(base, { recursive: true, force: true });
  });

  const query = 'SELECT person AS user_id, item AS item_id, stars AS rating, at AS time FROM hushrec_import;';

  it('reads a query through a cursor', async () => {
    const report = await importSource(server.url, out, { query, scale, overwrite: true });
    const dataset = await openDataset(out);
    expect(report).toMatchObject({ people: 500, items: 89, badRows: 0, format: 'postgres' });
    expect(report.ratings + report.duplicates).toBe(44_500 + 1);
    expect(dataset.userIds[0]).toBe('9007199254740993');
    const first = dataset.ratings.byUser.offsets[0];
    expect(dataset.itemIds[dataset.ratings.byUser.indices[first]]).toBe('i0');
    expect(dataset.ratings.byUser.values[first]).toBe(5);
    expect(dataset.ratings.times![first]).toBe(Date.parse('2029-12-31T22:00:00.5Z') / 1000);
    expect(JSON.stringify(dataset.manifest), 'no password in the folder').not.toContain('test-password');
  });

  it.each<[string, (url: string) => string, string, RegExp]>([
    [
      'a wrong password',
      (url) => url.replace(/:[^:@/]+@/, ':wrong@'),
      query,
      /refused the user name or password/,
    ],
    ['no such database', (url) => `${url}_none`, query, /there is no such database/],
    ['nobody listening', (url) => url.replace(/:\d+\//, ':1/'), query, /no connection/],
    ['a wrong query', (url) => url, 'SELECT nonsense FROM hushrec_import', /refused the query/],
    ['a query that writes', (url) => url, 'DELETE FROM hushrec_import RETURNING *', /refused the query/],
    [
      'a missing column',
      (url) => url,
      'SELECT item AS item_id FROM hushrec_import',
      /no column for the user/,
    ],
    [
      'a bad row',
      (url) => url,
      `${query.slice(0, -1)} UNION ALL SELECT 1, 'x', 9.9, now()`,
      /not on the scale/,
    ],
    ['nothing', (url) => url, `${query.slice(0, -1)} WHERE false`, /gives no rows/],
  ])('refuses %s with one clear error', async (_, url, text, message) => {
    await rm(out, { recursive: true, force: true });
    const importing = importSource(url(server.url), out, { query: text, scale });
    await expect(importing).rejects.toThrow(message);
    await expect(importing).rejects.toBeInstanceOf(BadDataError);
    await expect(importing).rejects.not.toThrow(/test-password|wrong@/);
    expect(await readdir(base)).toEqual([]);
  });

  it('asks what columns mean, and lists those it does not read', async () => {
    await rm(out, { recursive: true, force: true });
    const rows = "(VALUES ('a', 'x', true, 'view', now()), ('b', 'x', false, 'buy', now()))";
    const log = `SELECT * FROM ${rows} AS log (customer, product, thumb, event, ordered_at)`;
    const thumbs = log.replace('*', 'customer, product, thumb, ordered_at');
    await expect(importSource(server.url, out, { query: thumbs })).rejects.toThrow(
      /"thumb" says for or against.*--columns customer,product,thumb,ordered_at --scale 0:1:1/,
    );
    const kinds = log.replace('*', 'customer, product, event, ordered_at');
    await expect(importSource(server.url, out, { query: kinds })).rejects.toThrow(
      /"event" says what happened/,
    );
    await expect(importSource(server.url, out, { query: kinds, scale, columns: ['1', '2'] })).rejects.toThrow(
      /no column with ratings/,
    );
    const votes = {
      query: thumbs,
      columns: ['customer', 'product', 'thumb'],
      scale: { min: 0, max: 1, step: 1 },
    };
    expect(await importSource(server.url, out, votes)).toMatchObject({
      ratings: 2,
      columns: { user: 'customer', item: 'product', rating: 'thumb' },
      unusedColumns: ['ordered_at'],
    });
    expect([...(await openDataset(out)).ratings.byUser.values]).toEqual([1, 0]);
    const bought = { query: kinds, events: { keep: ['buy'] }, overwrite: true };
    expect(await importSource(server.url, out, bought)).toMatchObject({
      people: 1,
      events: { leftOut: 1, unmet: [] },
      // The only column of times is the time, whatever its name.
      columns: { time: 'ordered_at' },
      unusedColumns: [],
    });
    expect((await openDataset(out)).ratings.times?.[0]).toBeGreaterThan(1.7e9);
    await rm(out, { recursive: true, force: true });
  });

  it('takes titles from a query', async () => {
    const itemsQuery = "SELECT 'i' || g AS item, 'Book ' || g AS title FROM generate_series(0, 89) AS g";
    await importSource(server.url, out, { query, scale, itemsQuery });
    const { itemIds, itemTitles } = await openDataset(out);
    expect(itemTitles?.[itemIds.indexOf('i30')]).toBe('Book 30');
    await rm(out, { recursive: true, force: true });
    const wrong = importSource(server.url, out, { query, scale, itemsQuery: 'SELECT nonsense' });
    await expect(wrong).rejects.toThrow(/refused the query/);
    expect(await readdir(base)).toEqual([]);
  });

  it('needs a query and a scale', async () => {
    await expect(importSource(server.url, out, { scale })).rejects.toMatchObject({ option: 'query' });
    await expect(importSource(server.url, out, { query })).rejects.toMatchObject({ option: 'scale' });
  });
});
