import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BadDataError, type ImportOptions, importSource, openDataset } from '../index.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-sqlite-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const shop = join(folder, 'shop.db');
const scale = { min: 1, max: 5, step: 1 };
let count = 0;

async function imported(address: string, options: ImportOptions = {}) {
  const directory = join(folder, `set-${++count}`);
  const report = await importSource(address, directory, options);
  return { report, dataset: await openDataset(directory) };
}

beforeAll(() => {
  const database = new Database(shop);
  database.exec(`
    CREATE TABLE orders (customer INTEGER, product TEXT, stars INTEGER, ordered_at TIMESTAMP);
    WITH RECURSIVE numbers (g) AS (SELECT 0 UNION ALL SELECT g + 1 FROM numbers WHERE g < 44999)
      INSERT INTO orders SELECT 9007199254740993 + g % 500, 'i' || (g % 90), 1 + g % 5,
        datetime(1500000000 + g, 'unixepoch') FROM numbers;
    CREATE TABLE "odd ""names""" (user TEXT, item TEXT);
    INSERT INTO "odd ""names""" VALUES ('a', 'x'), ('b', CAST(x'ff41' AS TEXT)), (NULL, 'x');
    CREATE TABLE products (id TEXT, name TEXT, genre TEXT);
    INSERT INTO products VALUES ('i0', 'Dune', 'sand|spice'), ('i1', 'Ünder', 'sea'), ('none', 'Unsold', NULL);
  `);
  database.close();
});

it('reads a query or a table; ids keep every digit, and the only column of times is the time', async () => {
  const query = 'SELECT customer, product, stars AS rating, ordered_at FROM orders -- all of them';
  const { report, dataset } = await imported(`sqlite:${shop}`, { query, scale });
  expect(report).toMatchObject({
    ...{ format: 'sqlite', people: 500, items: 90, unusedColumns: [] },
    columns: { time: 'ordered_at' },
  });
  expect(dataset.userIds[0]).toBe('9007199254740993');
  expect(dataset.ratings.times?.every((time) => time >= 1_500_000_000)).toBe(true);
  const columns = ['customer', 'product', 'stars', 'ordered_at'];
  const table = await imported(`sqlite:${shop}?table=orders`, { columns, scale });
  expect(table.dataset.manifest.contentHash).toBe(dataset.manifest.contentHash);
});

it('takes titles and features from a query of the same database', async () => {
  const { dataset, report } = await imported(`sqlite:${shop}`, {
    query: 'SELECT customer, product FROM orders',
    itemsQuery: 'SELECT id AS item, name AS title, genre FROM products;',
  });
  expect(dataset.itemTitles?.slice(0, 2)).toEqual(['Dune', 'Ünder']);
  expect(report.items).toBe(90);
  const items = join(folder, 'items.csv');
  writeFileSync(items, 'item,title\ni0,Dune\n');
  const query = 'SELECT customer, product FROM orders';
  await expect(imported(`sqlite:${shop}`, { query, items, itemsQuery: 'SELECT 1' })).rejects.toThrow(
    /one place: give --items or --items-query/,
  );
  writeFileSync(join(folder, 'r.csv'), 'user,item\na,x\n');
  await expect(imported(join(folder, 'r.csv'), { itemsQuery: 'SELECT 1' })).rejects.toThrow(
    /Only a database is asked for titles/,
  );
});

it('what is no text and what is missing are bad rows', async () => {
  const address = `sqlite:${shop}?table=${encodeURIComponent('odd "names"')}`;
  await expect(imported(address)).rejects.toThrow(BadDataError);
  expect((await imported(address, { skipBadRows: 2 })).report).toMatchObject({ ratings: 1, badRows: 2 });
});

it.each<[string, string, string | undefined, RegExp]>([
  ['no file', `sqlite:${join(folder, 'none.db')}`, 'SELECT 1', /there is no such file/],
  ['no query', `sqlite:${shop}`, undefined, /needs a query/],
  ['two ways', `sqlite:${shop}?table=orders`, 'SELECT 1', /not both/],
  ['another parameter', `sqlite:${shop}?mode=rw`, 'SELECT 1', /mode is not known/],
  ['no name', 'sqlite:', 'SELECT 1', /Name the file/],
  ['a wrong query', `sqlite:${shop}`, 'SELECT nonsense FROM orders', /SQLite refused it.*nonsense/],
  ['no such table', `sqlite:${shop}?table=none`, undefined, /SQLite refused it.*none/],
  ['a query that writes', `sqlite:${shop}`, 'DELETE FROM orders RETURNING *', /SQLite refused it/],
  ['a way out of the query', `sqlite:${shop}`, 'SELECT 1); DROP TABLE orders; --', /no column for the user/],
  ['nothing', `sqlite:${shop}`, 'SELECT customer, product FROM orders WHERE 0', /gives no rows/],
])('refuses %s, and changes nothing', async (_, address, query, message) => {
  const before = readFileSync(shop);
  await expect(imported(address, { ...(query !== undefined && { query }) })).rejects.toThrow(message);
  expect(readFileSync(shop).equals(before)).toBe(true);
});

it('a damaged database is refused or read, wherever the damage is', async () => {
  const whole = readFileSync(shop);
  const damaged = join(folder, 'damaged.db');
  const query = 'SELECT customer, product FROM orders';
  for (const change of [
    (bytes: Buffer) => bytes.subarray(0, 100),
    (bytes: Buffer) => bytes.subarray(0, bytes.length / 2),
    (bytes: Buffer) => bytes.fill(0xff, 0, 16),
    (bytes: Buffer) => bytes.fill(0xff, 4096, 8192),
    (bytes: Buffer) => bytes.fill(0xff, 20_480, 24_576),
    (bytes: Buffer) => bytes.fill(0, 16, 100),
    () => Buffer.alloc(0),
  ]) {
    writeFileSync(damaged, change(Buffer.from(whole)));
    const error = await imported(`sqlite:${damaged}`, { query, skipBadRows: 1e6 }).catch(
      (reason: unknown) => reason,
    );
    if (error instanceof Error) expect(error).toBeInstanceOf(BadDataError);
  }
});
