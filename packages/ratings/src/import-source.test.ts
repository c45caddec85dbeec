import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { BadDataError } from './bad-data-error.js';
import { openDataset } from './dataset-folder/open-dataset.js';
import { encodeTable } from './dataset-folder/parquet-table.js';
import { type ImportOptions, importSource } from './import-source.js';

const base = await mkdtemp(join(tmpdir(), 'hushrec-import-test-'));
afterAll(() => rm(base, { recursive: true, force: true }));
let folder: string;
let out: string;
let count = 0;
beforeEach(async () => {
  folder = join(base, `case-${count++}`);
  out = join(folder, 'out', 'set');
  await mkdir(join(folder, 'out'), { recursive: true });
});

const stars = { min: 1, max: 5, step: 1 };

async function put(name: string, bytes: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}

/** Imports and gives the counts and the rows as text, or the error. */
async function imported(source: string, options: ImportOptions = {}) {
  const report = await importSource(source, out, { overwrite: true, ...options });
  const { ratings, userIds, itemIds, itemTitles } = await openDataset(out);
  const { offsets, indices, values } = ratings.byUser;
  const rows: string[] = [];
  for (let user = 0; user < ratings.userCount; user++)
    for (let k = offsets[user]; k < offsets[user + 1]; k++)
      rows.push(
        [userIds[user], itemIds[indices[k]], values[k], ...(ratings.times ? [ratings.times[k]] : [])].join(
          ' ',
        ),
      );
  const { people, items, duplicates, badRows, format, reader } = report;
  return { people, items, ratings: report.ratings, duplicates, badRows, format, reader, rows, itemTitles };
}

const counts = (people: number, items: number, ratings: number, duplicates = 0, badRows = 0) => ({
  people,
  items,
  ratings,
  duplicates,
  badRows,
});

describe('formats', () => {
  const hundredK = '196\t242\t3\t881250949\n186\t302\t3\t891717742\n196\t302\t5\t881250950\n';
  const items100K = Buffer.from(
    '242|Café Society (1997)|01-Jan-1997||http://x|0|1|0\n302|L.A. (1989)|||http://x|0|0|1\n',
    'latin1',
  );

  it('MovieLens 100K as a folder: titles in Latin-1, genres, decades', async () => {
    await put('u.data', hundredK);
    await put('u.item', items100K);
    await put('u.genre', 'unknown|0\nAction|1\nDrama|2\n');
    const result = await imported(folder);
    expect(result).toMatchObject({
      ...counts(2, 2, 3),
      format: 'movielens',
      itemTitles: ['Café Society (1997)', 'L.A. (1989)'],
    });
    expect(result.rows).toEqual(['186 302 3 891717742', '196 242 3 881250949', '196 302 5 881250950']);
    const [features] = (await openDataset(out)).features;
    if (features?.kind !== 'categorical') throw new Error('expected genres');
    expect(features.fields.map(({ name, tokens }) => [name, tokens])).toEqual([
      ['genre', ['Action', 'Drama']],
      ['decade', ['1980s', '1990s']],
    ]);
  });

  it('MovieLens 1M, with and without times, packed or not, and its whole-star scale', async () => {
    await put('users.dat', '1::F::1::10::48067\n');
    await put(
      'movies.dat',
      Buffer.from('661::James and the Giant Pêche (1996)::Animation|Musical\n', 'latin1'),
    );
    await put('ratings.dat', '1::1193::5::978300760\n1::661::3::978302109\n');
    expect(await imported(folder)).toMatchObject({
      ...counts(1, 2, 2),
      itemTitles: ['James and the Giant Pêche (1996)', ''],
    });
    await rm(join(folder, 'ratings.dat'));
    await put('ratings-3col.dat.gz', gzipSync('1::1193::5\n1::661::3\n'));
    const result = await imported(join(folder, 'ratings-3col.dat.gz'));
    expect(result.rows).toEqual(['1 661 3', '1 1193 5']);
    await put('ratings-3col.dat.gz', gzipSync('1::1193::4.5\n'));
    await expect(imported(folder)).rejects.toThrow(/scale 1 to 5 in steps of 1/);
  });

  it('MovieLens 10M has half stars; a ratings.dat alone does not say which release it is', async () => {
    await put('ratings.dat', '1::122::4.5::838985046\n');
    await expect(imported(folder)).rejects.toMatchObject({ name: 'ImportOptionError', option: 'scale' });
    await put('movies.dat', '122::Boomerang (1992)::Comedy|Romance\n');
    expect((await imported(folder)).rows).toEqual(['1 122 4.5 838985046']);
  });

  it('MovieLens CSV releases from a zip with a folder inside', async () => {
    const archive = zipSync({
      'ml-latest/README.txt': Buffer.from('read me'),
      'ml-latest/ratings.csv': Buffer.from(
        'userId,movieId,rating,timestamp\n1,296,5.0,1147880044\n2,1,0.5,1141415820\n',
      ),
      'ml-latest/movies.csv': Buffer.from(
        'movieId,title,genres\n1,"Story, A (1995)",Comedy\n296,Pulp (1994),(no genres listed)\n',
      ),
    });
    const result = await imported(await put('ml-latest.zip', archive));
    expect(result).toMatchObject({ ...counts(2, 2, 2), itemTitles: ['Story, A (1995)', 'Pulp (1994)'] });
  });

  it.each([
    ['names anyone would use', 'userId,itemId,rating\na,x,5\nb,y,1\n', {}],
    [
      'names that are given',
      'when,who,stars,what\n7,a,5,x\n8,b,1,y\n',
      { columns: ['who', 'what', 'stars'] },
    ],
    ['positions', '7,a,5,x\n8,b,1,y\n', { columns: ['2', '4', '3'] }],
    ['no header and the usual order', 'a,x,5\nb,y,1\n', {}],
    ['Windows line ends and a byte-order mark', '\ufeffuser,item,rating\r\na,x,5\r\nb,y,1\r\n', {}],
    ['blank lines and no line end', 'a;x;5\n\nb;y;1', {}],
    ['an unusual separator', 'a ~ x ~ 5\nb ~ y ~ 1\n', { separator: ' ~ ' }],
    ['quotes', '"a","x","5"\n"b","y",1\n', {}],
    ['mixed line ends', 'a,x,5\r\nb,y,1\n', {}],
  ])('CSV with %s', async (_, text, options) => {
    const result = await imported(await put('data.csv', text), { scale: stars, ...options });
    expect(result).toMatchObject({ ...counts(2, 2, 2), rows: ['a x 5', 'b y 1'], format: 'csv' });
  });

  it('gzip under another name', async () => {
    const result = await imported(await put('data.csv', gzipSync('a,x,5\nb,y,1\n')), { scale: stars });
    expect(result).toMatchObject({ ...counts(2, 2, 2), format: 'csv' });
  });

  it('pairs without ratings are implicit feedback', async () => {
    const result = await imported(await put('clicks.tsv', 'user\titem\na\tx\nb\tx\na\tx\n'));
    expect(result).toMatchObject({ ...counts(2, 1, 2, 1), rows: ['a x 1', 'b x 1'] });
    const timed = await imported(await put('clicks.csv', 'a,x,2020-01-01T00:00:00Z\n'), {
      columns: ['1', '2', '-', '3'],
    });
    expect(timed.rows).toEqual(['a x 1 1577836800']);
  });

  it('adjacency lists', async () => {
    const result = await imported(await put('train.txt', '0 5 7 9\n1 5 \n'));
    expect(result).toMatchObject({
      ...counts(2, 3, 4),
      format: 'adjacency',
      rows: ['0 5 1', '0 7 1', '0 9 1', '1 5 1'],
    });
  });

  it.each(['auto', 'typescript'] as const)('Parquet with the %s reader', async (reader) => {
    const path = await put(
      'events.parquet',
      encodeTable([
        { name: 'user_id', type: 'text', data: ['a', 'b', 'a'] },
        { name: 'item_id', type: 'index', data: Uint32Array.of(10, 9, 10) },
        { name: 'rating', type: 'float32', data: Float32Array.of(5, 4, 3) },
        { name: 'ts', type: 'float64', data: Float64Array.of(20, 10, 15) },
      ]),
    );
    const result = await imported(path, { scale: stars, reader });
    expect(result).toMatchObject({ ...counts(2, 2, 2, 1), rows: ['a 10 5 20', 'b 9 4 10'] });
    expect(result.reader).toBe(reader === 'auto' ? 'duckdb' : 'typescript');
    await expect(
      imported(path, { scale: stars, reader, columns: ['user_id', 'sku', 'rating'] }),
    ).rejects.toThrow(/no column for the item/);
    await expect(imported(path, { scale: { min: 1, max: 4, step: 1 }, reader })).rejects.toThrow(
      /line 1: the rating is not on the scale/,
    );
  });

  it.each(['auto', 'typescript'] as const)(
    'Parquet files whose ids are numbers in one and text in another (%s reader): 7 and 007 are two people',
    async (reader) => {
      const rated = (item: string) =>
        [
          { name: 'item', type: 'text', data: [item] },
          { name: 'rating', type: 'float32', data: Float32Array.of(4) },
        ] as const;
      await mkdir(join(folder, 'parts'));
      await put(
        'parts/a.parquet',
        encodeTable([{ name: 'user', type: 'index', data: Uint32Array.of(7) }, ...rated('x')]),
      );
      await put(
        'parts/b.parquet',
        encodeTable([{ name: 'user', type: 'text', data: ['007'] }, ...rated('y')]),
      );
      const result = await imported(join(folder, 'parts'), { scale: stars, reader });
      expect(result).toMatchObject({ ...counts(2, 2, 2), rows: ['007 y 4', '7 x 4'], reader: 'typescript' });
    },
  );
});

describe('duplicates', () => {
  it('keeps the last by time, or by order where there is no time', async () => {
    const timed = await imported(await put('a.csv', 'a,x,5,30\na,x,4,20\na,y,1,5\n'), { scale: stars });
    expect(timed).toMatchObject({ ...counts(1, 2, 2, 1), rows: ['a x 5 30', 'a y 1 5'] });
    const ordered = await imported(await put('b.csv', 'a,x,5\na,x,4\na,y,1\n'), { scale: stars });
    expect(ordered).toMatchObject({ ...counts(1, 2, 2, 1), rows: ['a x 4', 'a y 1'] });
  });
});

describe('a catalogue', () => {
  it.each(['auto', 'typescript'] as const)(
    'gives every item a place and admits no other (%s)',
    async (reader) => {
      const catalogue = await put('items.csv', 'itemId,title\nw,Nobody\nx,"One, Two"\ny,Three\n');
      const path = await put('r.csv', 'b,y,1\na,x,5\n');
      expect(await imported(path, { scale: stars, catalogue, reader })).toMatchObject(counts(2, 3, 2));
      const { itemIds, appearance } = await openDataset(out);
      expect(itemIds).toEqual(['w', 'x', 'y']);
      expect([...appearance!.items]).toEqual([2, 1, 0]);
      await put('r.csv', 'b,y,1\na,v,5\n');
      await expect(imported(path, { scale: stars, catalogue, reader })).rejects.toThrow(
        /line 2: the item is not in the catalogue/,
      );
    },
  );
});

describe('the content hash', () => {
  it('does not depend on the order of rows, the packing or the reader', async () => {
    const rows = ['b,y,1,8', 'a,x,5,7', 'a,y,3,9'];
    const hash = async (path: string, options: ImportOptions = {}) =>
      (await importSource(path, out, { scale: stars, overwrite: true, ...options })).manifest.contentHash;
    const first = await hash(await put('a.csv', rows.join('\n')));
    expect(
      await hash(await put('b.csv.gz', gzipSync(`user,item,rating,time\n${[...rows].reverse().join('\n')}`))),
    ).toBe(first);
    expect(await hash(join(folder, 'a.csv'), { reader: 'typescript' })).toBe(first);
    expect(await hash(await put('c.csv', rows.slice(1).join('\n')))).not.toBe(first);
  });
});

describe('bad input gives one clear error and leaves nothing behind', () => {
  const good = 'user,item,rating,time\na,x,5,1\nb,y,1,2\n';
  const packed = gzipSync(
    good +
      Array.from({ length: 50_000 }, (_, k) => `u${k},i${(k * 7919) % 9973},${1 + (k % 5)},${k}\n`).join(''),
  );

  it.each<[string, string, string | Uint8Array, ImportOptions, RegExp, number | 'any' | undefined]>([
    [
      'a gzip file cut short',
      'r.csv.gz',
      packed.subarray(0, packed.length - 20),
      {},
      /ends before its data does.*fetch or pack it again/,
      'any',
    ],
    [
      'a gzip file without its last bytes',
      'r.csv.gz',
      packed.subarray(0, packed.length - 5),
      {},
      /ends before its data does/,
      'any',
    ],
    ['something else called gzip', 'r.csv.gz', 'not packed', {}, /compressed data is damaged/, undefined],
    [
      'a zip file cut short',
      'r.zip',
      zipSync({ 'r.csv': Buffer.from(good) }).subarray(0, 60),
      {},
      /zip archive is damaged or cut short/,
      undefined,
    ],
    [
      'a missing column',
      'r.csv',
      good,
      { columns: ['user', 'sku', 'rating'] },
      /no column for the item.*"user", "item", "rating", "time"/,
      1,
    ],
    [
      'a header without an item',
      'r.csv',
      'user,rating\na,5\nb,1\n',
      {},
      /no column for the item; the header has "user", "rating"/,
      1,
    ],
    [
      'a position beyond the line',
      'r.csv',
      'a,x,5\n',
      { columns: ['1', '2', '9'] },
      /rating is in column 9, but the line has 3 fields/,
      1,
    ],
    [
      'a rating of 11 on a 1–5 scale',
      'r.csv',
      `${good}c,z,11,3\n`,
      {},
      /line 4: the rating is not on the scale 1 to 5 in steps of 1/,
      4,
    ],
    ['NaN', 'r.csv', `${good}c,z,NaN,3\n`, {}, /line 4: the rating is not a number/, 4],
    ['an empty file', 'r.csv', '', {}, /it is empty/, undefined],
    ['an empty packed file', 'r.csv.gz', gzipSync(''), {}, /it is empty/, undefined],
    ['a header and nothing else', 'r.csv', 'user,item,rating\n', {}, /it has no ratings/, undefined],
    [
      'a header where none is expected',
      'r.csv',
      good,
      { header: false, columns: ['1', '2', '3', '4'] },
      /line 1: the rating is not a number.*--header/,
      1,
    ],
    [
      'a header in MovieLens 100K',
      'u.data',
      'user\titem\trating\ttime\n1\t2\t3\t4\n',
      {},
      /line 1: the rating is not a number/,
      1,
    ],
    [
      'ids of 10,000 characters',
      'r.csv',
      `a,x,5\n${'u'.repeat(10_000)},x,5\n`,
      {},
      /line 2: the user id is longer than 512 bytes/,
      2,
    ],
    [
      'rows of different width',
      'r.csv',
      'a,x,5\nb,y\n',
      {},
      /line 2: there are 2 fields where the first line has 3/,
      2,
    ],
    ['an open quote', 'r.csv', 'a,x,5\n"b,y,1\n', {}, /line 2: a quote is not closed/, 2],
    ['old Macintosh line ends', 'r.csv', 'a,x,5\rb,y,1\r', {}, /lines end with CR alone/, undefined],
    ['UTF-16', 'r.csv', Buffer.from('\ufeffa,x,5\n', 'utf16le'), {}, /it is UTF-16 text/, undefined],
    ['a damaged Parquet file', 'r.parquet', 'PAR1nonsense', {}, /not a whole Parquet file/, undefined],
  ])('%s', async (_, name, bytes, options, message, line) => {
    const path = await put(name, bytes);
    for (const reader of ['auto', 'typescript'] as const) {
      const importing = importSource(path, out, { scale: stars, reader, ...options });
      await expect(importing).rejects.toThrow(message);
      const error = await importing.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(BadDataError);
      if (line === 'any') expect((error as BadDataError).line).toBeGreaterThan(1);
      else expect((error as BadDataError).line).toBe(line);
      expect((error as BadDataError).file).toContain(name);
      expect((error as BadDataError).advice).not.toBe('');
      expect(await readdir(join(folder, 'out'))).toEqual([]);
    }
  });

  it('counts bad rows, shows the first five, and skips as many as allowed', async () => {
    const path = await put(
      'r.csv',
      `a,x,5\n${'a,y,9\n'.repeat(7)}${Array.from({ length: 8 }, (_, k) => `b,z${k},1\n`).join('')}`,
    );
    const error = (await importSource(path, out, { scale: stars }).catch(
      (reason: unknown) => reason,
    )) as BadDataError;
    expect(error.badRows.map(({ line }) => line)).toEqual([2, 3, 4, 5, 6]);
    expect(error.message).toContain('--skip-bad-rows 7');
    await expect(importSource(path, out, { scale: stars, skipBadRows: 6 })).rejects.toThrow(/7 bad rows/);
    expect(await imported(path, { scale: stars, skipBadRows: 7 })).toMatchObject(counts(2, 9, 9, 0, 7));
  });

  it('shows neither ids nor ratings', async () => {
    const path = await put('r.csv', 'a,x,5\nsecret-person,x,777\n');
    const error = (await importSource(path, out, { scale: stars }).catch(
      (reason: unknown) => reason,
    )) as Error;
    expect(error.message).not.toMatch(/secret|777/);
  });

  it('needs a declared scale', async () => {
    await expect(importSource(await put('r.csv', 'a,x,5\n'), out)).rejects.toMatchObject({
      name: 'ImportOptionError',
      option: 'scale',
    });
  });

  it('says what is missing when there is no file', async () => {
    await expect(importSource(join(folder, 'nothing.csv'), out)).rejects.toThrow(/cannot be opened/);
    await put('one.csv', 'a,x,5\n');
    await put('two.csv', 'a,x,5\n');
    await expect(importSource(folder, out, { scale: stars })).rejects.toThrow(
      /2 files in it and none is known/,
    );
  });

  it('reads Latin-1 ids', async () => {
    const result = await imported(await put('r.csv', Buffer.from('Zoë,x,5\nb,x,1\n', 'latin1')), {
      scale: stars,
    });
    expect(result.rows).toEqual(['Zoë x 5', 'b x 1'].sort());
  });

  it('leaves nothing behind when the disk is full', async () => {
    const path = await put('r.csv', good);
    const writeFile = () => Promise.reject(Object.assign(new Error('write'), { code: 'ENOSPC' }));
    await expect(importSource(path, out, { scale: stars, writeFile })).rejects.toThrow(/the disk is full/);
    expect(await readdir(join(folder, 'out'))).toEqual([]);
  });

  it.each(['reading', 'sorting', 'titles', 'writing'])('stops while %s when told to', async (stage) => {
    const path = await put('r.csv', good);
    const controller = new AbortController();
    const importing = importSource(path, out, {
      scale: stars,
      signal: controller.signal,
      progress: (progress) => {
        if (progress.stage === stage) controller.abort();
      },
    });
    await expect(importing).rejects.toMatchObject({ name: 'AbortError' });
    expect(await readdir(join(folder, 'out'))).toEqual([]);
  });

  it('does not touch a folder with other things in it', async () => {
    await mkdir(out);
    await writeFile(join(out, 'thesis.txt'), 'precious');
    await expect(importSource(await put('r.csv', good), out, { scale: stars })).rejects.toThrow(
      /holds other files/,
    );
    expect(await readdir(out)).toEqual(['thesis.txt']);
  });
});
