import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { type ImportOptions, importSource, openDataset, parseEvents, parseScale } from '../index.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-jsonl-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;

async function imported(name: string, content: string | Uint8Array, options: ImportOptions = {}) {
  writeFileSync(join(folder, name), content);
  const directory = join(folder, `set-${++count}`);
  const report = await importSource(join(folder, name), directory, options);
  return { report, dataset: await openDataset(directory) };
}

const stars = { scale: parseScale('1:5:1') };
const lines = (...entries: object[]) => `${entries.map((entry) => JSON.stringify(entry)).join('\n')}\n`;
const csv = 'user,item,rating,time\n1,x,5,1600000000\n2,"y, z",4,1600000001\n';
const json = lines(
  { time: 1600000000, user: 1, item: 'x', rating: 5, note: 'first', more: { a: 1 } },
  { user: '2', item: 'y, z', rating: '4', time: '2020-09-13T12:26:41Z' },
);

it('reads what the same table as CSV gives, packed or not, by name or content', async () => {
  const { dataset: expected } = await imported('r.csv', csv, stars);
  for (const [name, content] of [
    ['r.jsonl', json],
    ['r.ndjson', json],
    ['log.txt', json],
    ['r.jsonl.gz', gzipSync(json)],
  ] as const) {
    const { report, dataset } = await imported(name, content, stars);
    expect(report).toMatchObject({ format: 'jsonl', people: 2, unusedColumns: ['note', 'more'] });
    expect(dataset.manifest.contentHash).toBe(expected.manifest.contentHash);
  }
});

it('asks what fields mean, and keeps events', async () => {
  const log = lines(
    { user: 'a', item: 'x', event: 'view' },
    { user: 'a', item: 'y', event: 'buy' },
    { user: 'b', item: 'x', event: 'buy' },
  );
  await expect(imported('log.jsonl', log)).rejects.toThrow(/"event" says what happened \(view, buy\)/);
  expect((await imported('log.jsonl', log, { events: parseEvents('buy') })).report).toMatchObject({
    ratings: 2,
    events: { leftOut: 1, unmet: [] },
  });
  const votes = lines({ user: 'a', item: 'x', liked: false }, { user: 'b', item: 'x', liked: true });
  await expect(imported('v.jsonl', votes)).rejects.toThrow(/"liked" says for or against/);
  const options = { columns: ['user', 'item', 'liked'], scale: parseScale('0:1:1') };
  expect([...(await imported('v.jsonl', votes, options)).dataset.ratings.byUser.values]).toEqual([0, 1]);
});

it.each([
  ['a list', '[{"user": 1, "item": 2}]\n', /it is a JSON list.*jq -c/],
  [
    'a line that is cut short',
    `${lines({ user: 1, item: 2, rating: 3 })}{"user": 1,\n`,
    /line 2: it is no JSON/,
  ],
  ['no user', lines({ item: 2, rating: 3 }), /no column for the user; it has "item", "rating"/],
  [
    'an id that is missing',
    lines({ user: 1, item: 2, rating: 3 }, { item: 2, rating: 3 }),
    /line 2: the user id is empty/,
  ],
  [
    'an id that no double holds',
    '{"user": 9007199254740993, "item": 2, "rating": 3}\n',
    /line 1: an id is a number that JSON does not hold exactly/,
  ],
  [
    'a nested rating',
    lines({ user: 1, item: 2, rating: { stars: 3 } }),
    /line 1: the rating is not a number/,
  ],
])('refuses %s', async (_, content, message) => {
  await expect(imported('bad.jsonl', content, stars)).rejects.toThrow(message);
});
