// Columns beside user and item that say what a row means: a vote against must never become a like.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, describe, expect, it } from 'vitest';
import {
  ImportOptionError,
  importSource,
  namedColumns,
  openDataset,
  parseEvents,
  parseScale,
} from '../index.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-unused-columns-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;

type Options = Parameters<typeof importSource>[2];

async function imported(name: string, content: string | Uint8Array, options: Options = {}) {
  const source = join(folder, name);
  writeFileSync(source, content);
  const directory = join(folder, `set-${++count}`);
  const report = await importSource(source, directory, options);
  const { ratings, itemIds, userIds } = await openDataset(directory);
  const { offsets, indices, values } = ratings.byUser;
  const triples = userIds.flatMap((user, at) =>
    Array.from(
      indices.subarray(offsets[at], offsets[at + 1]),
      (item, k) => `${user} ${itemIds[item]} ${values[offsets[at] + k]}`,
    ),
  );
  return { report, triples };
}

/** The same table as text and as Parquet. */
function tables(column: string, values: readonly (string | number | boolean)[]) {
  const users = values.map((_, k) => `u${k}`);
  const items = values.map((_, k) => (k % 2 === 0 ? 'hated' : 'loved'));
  const rows = values.map((value, k) => `${users[k]},${items[k]},${value}`);
  const type =
    typeof values[0] === 'boolean' ? 'BOOLEAN' : typeof values[0] === 'number' ? 'INT32' : 'STRING';
  return [
    ['table.csv', `user,item,${column}\n${rows.join('\n')}\n`],
    [
      'table.parquet',
      Buffer.from(
        parquetWriteBuffer({
          columnData: [
            { name: 'user', data: users, type: 'STRING' },
            { name: 'item', data: items, type: 'STRING' },
            { name: column, data: [...values], type },
          ],
        }),
      ),
    ],
  ] as const;
}

const thumbs = [-1, 1, -1, 1];

describe('a column that says for or against', () => {
  it.each([
    ['thumb', thumbs],
    ['Thumbs_Up', [0, 1, 0, 1]],
    ['clicked', [0, 1, 1, 0]],
    ['liked', [false, true, false, true]],
    ['gefaellt', ['no', 'yes', 'no', 'yes']],
    ['rated', ['dislike', 'like', 'like', 'like']],
    ['vote', [1, 9, 4, 7]],
  ] as const)('%s is not dropped in silence', async (column, values) => {
    for (const [name, content] of tables(column, values)) {
      const refusal = imported(name, content);
      await expect(refusal).rejects.toBeInstanceOf(ImportOptionError);
      await expect(refusal).rejects.toThrow(
        new RegExp(
          `"${column}" says for or against.*--columns user,item,${column} --scale .* reads it as votes.*--events ${column}=`,
        ),
      );
    }
  });

  it('is votes on the scale that the message names', async () => {
    for (const [name, content] of tables('thumb', thumbs)) {
      await expect(imported(name, content)).rejects.toThrow('--scale -1:1:2 reads');
      const options = { columns: ['user', 'item', 'thumb'], scale: parseScale('-1:1:2') };
      const { triples, report } = await imported(name, content, options);
      expect(triples).toEqual(['u0 hated -1', 'u1 loved 1', 'u2 hated -1', 'u3 loved 1']);
      expect(report).toMatchObject({ columns: { user: 'user', item: 'item', rating: 'thumb' } });
    }
  });

  it('may be in words, on a scale of two grades alone', async () => {
    for (const values of [
      [false, true, false, true],
      ['No', 'YES', 'down', 'up'],
    ] as const)
      for (const [name, content] of tables('liked', values)) {
        const columns = ['user', 'item', 'liked'];
        const { triples } = await imported(name, content, { columns, scale: parseScale('0:1:1') });
        expect(triples).toEqual(['u0 hated 0', 'u1 loved 1', 'u2 hated 0', 'u3 loved 1']);
        await expect(imported(name, content, { columns, scale: parseScale('1:5:1') })).rejects.toThrow(
          'vote in words). Declare --scale 0:1:1',
        );
      }
  });

  it('may choose the rows that are likes, or be left out in so many words', async () => {
    for (const [name, content] of tables('thumb', thumbs)) {
      const { triples, report } = await imported(name, content, { events: parseEvents('thumb=1') });
      expect(triples).toEqual(['u1 loved 1', 'u3 loved 1']);
      expect(report).toMatchObject({
        columns: { user: 'user', item: 'item', event: 'thumb' },
        events: { leftOut: 2, unmet: [] },
        unusedColumns: [],
      });
      const all = await imported(name, content, { columns: ['user', 'item', '-'] });
      expect(all.report).toMatchObject({ ratings: 4, unusedColumns: ['thumb'] });
    }
  });

  it('is no concern where there is a rating', async () => {
    const { report } = await imported('rated.csv', 'user,item,rating,verified\na,x,5,true\nb,x,4,false\n', {
      scale: parseScale('1:5:1'),
    });
    expect(report).toMatchObject({ ratings: 2, unusedColumns: ['verified'] });
  });
});

describe('a column that says what happened', () => {
  const kinds = ['view', 'cart', 'buy', 'view'];

  it.each(['event', 'event_type', 'action', 'behavior', 'was'])(
    '%s is not dropped in silence',
    async (column) => {
      for (const [name, content] of tables(column, kinds)) {
        const refusal = imported(name, content);
        await expect(refusal).rejects.toBeInstanceOf(ImportOptionError);
        await expect(refusal).rejects.toThrow(`"${column}" says what happened (view, cart, buy). Say which`);
        await expect(refusal).rejects.toThrow(`--events ${column}=buy keeps`);
      }
    },
  );

  it('chooses the rows, by its name or without it', async () => {
    for (const [name, content] of tables('event', kinds))
      for (const events of ['buy,cart', 'event=buy,cart', '3=buy,cart']) {
        const { triples, report } = await imported(name, content, { events: parseEvents(events) });
        expect(triples).toEqual(['u1 loved 1', 'u2 hated 1']);
        expect(report).toMatchObject({ events: { leftOut: 2, unmet: [] } });
      }
  });

  it('names events that are not there, and columns', async () => {
    for (const [name, content] of tables('event', kinds)) {
      const { report } = await imported(name, content, { events: parseEvents('buy,bui') });
      expect(report.events).toEqual({ leftOut: 3, unmet: ['bui'] });
      await expect(imported(name, content, { events: parseEvents('Buy') })).rejects.toThrow(
        'no row has "Buy" in the column of events, to the letter',
      );
      await expect(imported(name, content, { events: parseEvents('type=buy') })).rejects.toThrow(
        'There is no column "type" of events; there are "user", "item", "event"',
      );
    }
    for (const wrong of ['', '=buy', 'event=', 'buy,,cart'])
      expect(() => parseEvents(wrong)).toThrow(/cannot be read/);
  });

  it('is found in lists without a header, by its position', async () => {
    const text = 'a,x,view,1600000000\na,y,buy,1600000001\nb,x,buy,1600000002\n';
    const { triples, report } = await imported('log.csv', text, { events: parseEvents('3=buy') });
    expect(triples).toEqual(['a y 1', 'b x 1']);
    expect(report).toMatchObject({ columns: { user: '1', item: '2', time: '4', event: '3' } });
  });

  it('is refused where a format has none', async () => {
    const events = parseEvents('buy');
    await expect(imported('lists.txt', '1 10 20\n2 10\n', { events })).rejects.toThrow(
      'The format adjacency has no column of events',
    );
  });
});

it('where no value can be looked at, names tell', () => {
  const named = (...columns: string[]) => namedColumns('s3a://shop/log.parquet', columns, undefined);
  for (const name of ['thumb', 'clicked', 'liked', 'event_type', 'plays'])
    expect(() => named('user', 'item', name)).toThrow(ImportOptionError);
  expect(named('user', 'item', 'rating', 'liked')).toEqual({ user: 'user', item: 'item', rating: 'rating' });
  expect(named('user', 'item', 'comment')).toEqual({ user: 'user', item: 'item' });
  expect(namedColumns('s3a://shop', ['user', 'item', 'liked'], ['user', 'item', '-'])).toEqual({
    user: 'user',
    item: 'item',
  });
});

describe('a declared scale', () => {
  it('needs a rating column', async () => {
    const scale = parseScale('1:5:1');
    const message = /There is no column with ratings, so nothing can be on the scale 1 to 5 in steps of 1/;
    for (const [name, content] of [
      ['pairs.csv', 'user,item\na,x\nb,y\n'],
      ['pairs.csv', 'user,item,thumb\na,x,1\n'],
      ['lists.txt', '1 10 20\n2 10\n'],
      tables('comment', ['x', 'y', 'z'])[1],
    ] as const)
      await expect(
        imported(name, content, { scale, ...(name === 'pairs.csv' && { columns: ['user', 'item', '-'] }) }),
      ).rejects.toThrow(message);
  });
});
