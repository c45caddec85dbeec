import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readModelFolder } from '@hushrec/model/folder';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../run-command.test.data.js';
import { rankEveryone } from './rank-everyone.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-lists-'));
const at = (name: string) => join(folder, name);
const ledger = process.env['HUSHREC_LEDGER'];
afterAll(() => {
  if (ledger === undefined) delete process.env['HUSHREC_LEDGER'];
  else process.env['HUSHREC_LEDGER'] = ledger;
  rmSync(folder, { recursive: true, force: true });
});

/** Histories of 300 people: shuffled, grades such as 4.1, pairs that occur twice, quotes in ids. */
const rows: { person: string; item: string; rating: number }[] = [];
for (let k = 0; k < 3000; k++) {
  const person = (k * 7919) % 300;
  rows.push({
    person: person === 0 ? 'a "b", c' : person % 2 === 0 ? `p${person}` : String(person),
    item: `tea ${((k % 300) * 17 + (Math.floor(k / 300) % 9) * 27) % 40}`,
    rating: 1 + ((k * 31) % 41) / 10,
  });
}
const quoted = (id: string) => `"${id.replaceAll('"', '""')}"`;
const lines = (of: typeof rows) =>
  of.map(({ person, item, rating }) => `${quoted(person)},${item},${rating}`).join('\n');
const methods = ['als', 'ials', 'knn', 'popularity', 'global-effects'];

interface Listed {
  readonly person: string;
  readonly rank: number;
  readonly item: string;
  readonly score: number;
}

/** Rows of a CSV file that `recommend` wrote. */
function listed(file: string): Listed[] {
  const [header, ...rest] = readFileSync(file, 'utf8').trimEnd().split('\n');
  expect(header).toBe('person,rank,item,score');
  return rest.map((line) => {
    const [, person, rank, item, score] = /^("(?:[^"]|"")*"|[^,]*),(\d+),([^,]*),(.*)$/.exec(line) ?? [];
    return {
      person: person.startsWith('"') ? person.slice(1, -1).replaceAll('""', '"') : person,
      rank: Number(rank),
      item,
      score: Number(score),
    };
  });
}

beforeAll(async () => {
  process.env['HUSHREC_LEDGER'] = at('ledger.sqlite');
  writeFileSync(at('ratings.csv'), `user,item,rating\n${lines(rows)}\n`);
  const set = await runCommand('import', at('ratings.csv'), at('set'), '--scale', '1:5.1', '--new-ledger');
  expect(set.code, set.errors).toBe(0);
  for (const method of methods) {
    const trained = await runCommand(
      ...['train', at('set'), '--method', method, '--epsilon', 'inf', '--threads', '1', '--out', at(method)],
      ...(method === 'als' || method === 'ials' ? ['--set', 'rank=5'] : []),
    );
    expect(trained.code, trained.errors).toBe(0);
  }
});

const listsOf = (method: string, source: string, out: string, ...flags: string[]) =>
  runCommand('recommend', at(method), '--histories', at(source), '--out', at(out), '--json', ...flags);

describe('recommend --histories', () => {
  it.each(methods)(
    'gives everyone the list that they get alone, to the item and the score: %s',
    async (method) => {
      const { code, errors, json } = await listsOf(
        method,
        'ratings.csv',
        `${method}.csv`,
        '-k',
        '7',
        '--threads',
        '2',
      );
      expect(code, errors).toBe(0);
      expect(json).toMatchObject({ people: 300, withoutHistory: 0, unknown: { items: 0 }, covered: false });
      const all = new Map<string, Listed[]>();
      for (const row of listed(at(`${method}.csv`)))
        all.set(row.person, [...(all.get(row.person) ?? []), row]);
      expect(all.size).toBe(300);
      expect([...all.keys()].slice(0, 3)).toEqual(rows.slice(0, 3).map(({ person }) => person));
      for (const person of [...all.keys()].filter((_, k) => k % 12 === 0)) {
        const own = rows.filter((row) => row.person === person);
        writeFileSync(at('own.csv'), own.map(({ item, rating }) => `${item},${rating}`).join('\n'));
        const alone = await runCommand(
          'recommend',
          at(method),
          '--history',
          at('own.csv'),
          '-k',
          '7',
          '--json',
        );
        expect(all.get(person)!.map(({ rank, item, score }) => ({ rank, item, score }))).toEqual(
          alone.json.items.map(({ id, score }: { id: string; score: number }, k: number) => ({
            rank: k + 1,
            item: id,
            score,
          })),
        );
      }
    },
  );

  it('writes the same rows as Parquet, from a data set folder, for the owner alone', async () => {
    expect((await listsOf('als', 'set', 'set.csv')).code).toBe(0);
    expect((await listsOf('als', 'set', 'set.parquet', '--threads', '1')).code).toBe(0);
    const file = await asyncBufferFromFile(at('set.parquet'));
    expect(await parquetReadObjects({ file, compressors: { GZIP: (packed) => gunzipSync(packed) } })).toEqual(
      listed(at('set.csv')),
    );
    if (process.platform !== 'win32')
      for (const name of ['set.csv', 'set.parquet']) expect(statSync(at(name)).mode & 0o777).toBe(0o600);
  });

  it('says that no certificate covers them', async () => {
    const { text } = await runCommand(
      ...['recommend', at('als'), '--histories', at('ratings.csv'), '--out', at('said.tsv')],
    );
    expect(text).toContain('no certificate covers them');
    expect(readFileSync(at('said.tsv'), 'utf8')).toMatch(/^person\trank\titem\tscore\n/);
  });

  it('overwrites nothing unasked, and a failure leaves what was there and nothing else', async () => {
    writeFileSync(at('taken.csv'), 'mine');
    const taken = await listsOf('als', 'ratings.csv', 'taken.csv');
    expect(taken).toMatchObject({ code: 2, errors: expect.stringContaining('--overwrite') });
    writeFileSync(at('bad.csv'), `user,item,rating\n1,tea 1,4\n1,tea 2,9\n`);
    const before = readdirSync(folder);
    const bad = await listsOf('als', 'bad.csv', 'taken.csv', '--overwrite');
    expect(bad.code).toBe(3);
    expect(bad.errors).toContain('line 3');
    expect(readFileSync(at('taken.csv'), 'utf8')).toBe('mine');
    expect(readdirSync(folder)).toEqual(before);
    expect((await listsOf('als', 'ratings.csv', 'taken.csv', '--overwrite')).code).toBe(0);
    expect(listed(at('taken.csv'))).toHaveLength(3000);
    expect(readdirSync(folder)).toEqual(before);
  });

  it('counts and names what the model does not know; who has nothing else gets what is popular', async () => {
    const strange = Array.from({ length: 7 }, (_, k) => `new,coffee ${k},4`).join('\n');
    writeFileSync(at('strange.csv'), `user,item,rating\n${strange}\n2,tea 3,4\n2,coffee 0,5\n`);
    const { json } = await listsOf('als', 'strange.csv', 'strange-lists.csv', '-k', '3');
    expect(json).toMatchObject({
      people: 2,
      withoutHistory: 1,
      unknown: { items: 7, rows: 8, first: [0, 1, 2, 3, 4].map((k) => `coffee ${k}`) },
    });
    writeFileSync(at('none.csv'), 'coffee 1,4\n');
    const alone = await runCommand('recommend', at('als'), '--history', at('none.csv'), '-k', '3', '--json');
    expect(
      listed(at('strange-lists.csv'))
        .filter(({ person }) => person === 'new')
        .map(({ item, score }) => [item, score]),
    ).toEqual(alone.json.items.map(({ id, score }: { id: string; score: number }) => [id, score]));
  });

  it('reads likes for a model of likes, and asks for ratings where a model needs them', async () => {
    writeFileSync(at('likes.csv'), 'user,item\nann,tea 1\nann,tea 2\nbob,tea 3\n');
    expect((await listsOf('ials', 'likes.csv', 'likes-lists.csv')).json).toMatchObject({ people: 2 });
    const asked = await listsOf('als', 'likes.csv', 'no-lists.csv');
    expect(asked).toMatchObject({ code: 3, errors: expect.stringContaining('needs one per item') });
  });

  it.each([
    [['--histories', 'x.csv'], 'say where the lists go'],
    [['--histories', 'x.csv', '--history', 'x.csv', '--out', 'x.csv'], 'Say for whom'],
    [['--history', 'x.csv', '--out', 'lists.csv'], '--out is for --histories'],
    [['--histories', 'x.csv', '--out', 'lists.xls'], '.parquet, .csv or .tsv'],
    [[], 'Say for whom'],
  ])('refuses %j', async (flags, told) => {
    const { code, errors } = await runCommand('recommend', at('als'), ...flags);
    expect(code).toBe(2);
    expect(errors).toContain(told);
  });

  it('holds few blocks at a time, in order', async () => {
    const published = await readModelFolder(at('als'));
    const people = 2000;
    let asked = 0;
    const histories = {
      userIds: Array.from({ length: people }, (_, k) => String(k)),
      itemIds: ['tea 1'],
      offsets: Uint32Array.from({ length: people + 1 }, (_, k) => k),
      items: new Uint32Array(people),
      rating: () => {
        asked++;
        return 4;
      },
      badRows: 0,
    };
    const request = {
      model: { model: published.model, itemIds: published.manifest.itemIds },
      ...{ k: 2, includeSeen: false },
    };
    let next = 0;
    for await (const block of rankEveryone(histories, Int32Array.of(0), request, 1)) {
      expect(block.first).toBe(next);
      next += block.lengths.length;
      expect(asked).toBeLessThanOrEqual(next);
    }
    expect(next).toBe(people);
  });
});

describe('which items may be shown', () => {
  const idsOf = async (...flags: string[]) => {
    const { json, errors, code } = await runCommand('recommend', at('als'), '-k', '50', '--json', ...flags);
    expect(code, errors).toBe(0);
    return json.items.map(({ id }: { id: string }) => id) as string[];
  };
  beforeAll(() => {
    writeFileSync(at('one.csv'), 'tea 1,5\ntea 2,1\n');
    writeFileSync(at('stock.txt'), 'tea 1\ntea 3\ntea 4\nmilk\n');
    writeFileSync(at('denied.csv'), 'item\ntea 4\n');
    writeFileSync(
      at('items.csv'),
      'item,kind,colour\ntea 1,black,red\ntea 3,Green|black,red\ntea 5,green,blue\n',
    );
  });

  it('follows allow lists, deny lists, a table and what was bought before, also in lists for everyone', async () => {
    const one = ['--history', at('one.csv')];
    expect(await idsOf(...one)).toHaveLength(38);
    expect(await idsOf(...one, '--include-seen')).toHaveLength(40);
    expect((await idsOf(...one, '--only', at('stock.txt'))).sort()).toEqual(['tea 3', 'tea 4']);
    expect(await idsOf(...one, '--only', at('stock.txt'), '--without', at('denied.csv'))).toEqual(['tea 3']);
    expect(await idsOf(...one, '--without', at('denied.csv'))).not.toContain('tea 4');
    const items = ['--items', at('items.csv')];
    expect((await idsOf(...one, '--where', 'kind=green', ...items)).sort()).toEqual(['tea 3', 'tea 5']);
    expect(await idsOf(...one, '--where', 'kind=green', '--where', 'colour=red', ...items)).toEqual([
      'tea 3',
    ]);
    const flags = ['--only', at('stock.txt'), '--without', at('denied.csv'), '--include-seen'];
    expect((await listsOf('als', 'ratings.csv', 'few.csv', ...flags)).code).toBe(0);
    const shown = listed(at('few.csv'));
    expect(shown).toHaveLength(600);
    expect(new Set(shown.map(({ item }) => item))).toEqual(new Set(['tea 1', 'tea 3']));
  });

  it.each([
    [['--where', 'kind=green'], 2, 'no categories'],
    [['--where', 'size=1', '--items', at('items.csv')], 2, 'It has item, kind, colour'],
    [['--where', 'kind=white', '--items', at('items.csv')], 3, 'no item has white'],
    [['--only', at('denied.csv'), '--without', at('denied.csv')], 3, 'No item of the model is left'],
  ])('refuses %j', async (flags, code, told) => {
    const result = await runCommand('recommend', at('als'), '--history', at('one.csv'), ...flags);
    expect(result.code).toBe(code);
    expect(result.errors).toContain(told);
  });

  it('says which ids of a list the model does not have', async () => {
    const { errors } = await runCommand(
      ...['recommend', at('als'), '--history', at('one.csv'), '--only', at('stock.txt')],
    );
    expect(errors).toContain('1 of 4 ids are unknown to the model: milk');
  });
});

describe('recommend --similar', () => {
  it('ranks by the cosine of vectors, without the item itself', async () => {
    const { model, manifest } = await readModelFolder(at('als'));
    if (model.kind !== 'factors') throw new Error('als has vectors');
    const vector = (item: number) => model.itemFactors.subarray(item * model.rank, (item + 1) * model.rank);
    const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, k) => sum + x * b[k], 0);
    const own = manifest.itemIds.indexOf('tea 7');
    const cosine = (item: number) =>
      dot(vector(own), vector(item)) /
      Math.sqrt(dot(vector(own), vector(own)) * dot(vector(item), vector(item)));
    const expected = manifest.itemIds
      .map((id, item) => ({ id, similarity: cosine(item) }))
      .filter(({ id }) => id !== 'tea 7')
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, 5);
    const { json } = await runCommand('recommend', at('als'), '--similar', 'tea 7', '-k', '5', '--json');
    expect(json.items.map(({ id }: { id: string }) => id)).toEqual(expected.map(({ id }) => id));
    for (const [k, { similarity }] of expected.entries())
      expect(json.items[k].similarity).toBeCloseTo(similarity, 6);
  });

  it('gives the neighbours that a model publishes, and refuses where there is no likeness', async () => {
    const { json } = await runCommand('recommend', at('knn'), '--similar', 'tea 7', '-k', '3', '--json');
    const { model, manifest } = await readModelFolder(at('knn'));
    if (model.kind !== 'neighbours') throw new Error('knn has neighbours');
    const first = manifest.itemIds.indexOf('tea 7') * model.k;
    const published = new Map(
      Array.from({ length: model.k }, (_, k) => [
        manifest.itemIds[model.neighbours[first + k]],
        model.similarities[first + k],
      ]),
    );
    for (const { id, similarity } of json.items) expect(published.get(id)).toBe(similarity);
    const none = await runCommand('recommend', at('popularity'), '--similar', 'tea 7');
    expect(none).toMatchObject({
      code: 2,
      errors: expect.stringContaining('does not say which items are alike'),
    });
    const unknown = await runCommand('recommend', at('als'), '--similar', 'milk');
    expect(unknown).toMatchObject({ code: 2, errors: expect.stringContaining('no item "milk"') });
  });
});
