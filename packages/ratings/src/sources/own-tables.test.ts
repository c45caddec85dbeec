// Tables as people have them: matrices, play counts, histories with times, columns that nobody asked for.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ImportOptionError, importSource, openDataset } from '../index.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-own-tables-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const stars = { min: 1, max: 5, step: 1 };
let count = 0;

async function imported(text: string, options: Parameters<typeof importSource>[2] = {}, name = 'table.csv') {
  const source = join(folder, name);
  writeFileSync(source, text);
  const directory = join(folder, `set-${++count}`);
  const report = await importSource(source, directory, options);
  const { ratings, itemIds, userIds, ...rest } = await openDataset(directory);
  const triples = [...ratings.byUser.values].map((value, k) => {
    const user = ratings.byUser.offsets.findIndex((_, at) => ratings.byUser.offsets[at + 1] > k);
    return `${userIds[user]} ${itemIds[ratings.byUser.indices[k]]} ${value}`;
  });
  return { report, triples, ratings, ...rest };
}

describe('a matrix with people by rows', () => {
  const matrix = ',dune,solaris,stalker,mirror\nann,5,,3,0\nbob,,4,NaN,1\n';

  it('is recognised; blanks and zeros off the scale are no ratings', async () => {
    const { report, triples } = await imported(matrix, { scale: stars });
    expect(report).toMatchObject({ format: 'matrix', people: 2, items: 4, ratings: 4 });
    expect(triples).toEqual(['ann dune 5', 'ann stalker 3', 'bob mirror 1', 'bob solaris 4']);
  });

  it('takes 0 for a rating where the scale has it', async () => {
    const { triples } = await imported(matrix, { scale: { min: 0, max: 5, step: 1 } });
    expect(triples).toContain('ann mirror 0');
  });

  it('names the line of a bad cell, and asks for the scale', async () => {
    await expect(imported(`${matrix}cyd,9,,,\n`, { scale: stars })).rejects.toThrow(/line 4: .*scale/);
    await expect(imported(matrix)).rejects.toThrow(/scale/);
  });

  it('is not seen in a list of ratings with columns of unknown names', async () => {
    const list = 'kunde,artikel,wertung,wann\n1,7,4,1000\n2,9,5,1001\n';
    await expect(imported(list, { scale: stars })).rejects.toThrow(/no header|column/);
  });
});

describe('amounts beside choices', () => {
  it.each(['plays', 'play_count', 'Quantity', 'watch-time', 'num_plays', 'weight'])(
    'the column %s is not dropped in silence',
    async (name) => {
      const table = `user,artist,${name}\nann,abba,12\nbob,abba,1\n`;
      await expect(imported(table)).rejects.toThrow(ImportOptionError);
      await expect(imported(table)).rejects.toThrow(/leaves it out .* keeps it/);
    },
  );

  it('both ways that the message names work', async () => {
    const table = 'user,artist,plays\nann,abba,12\nbob,abba,1\n';
    const left = await imported(table, { columns: ['user', 'artist', '-'] });
    expect(left.triples).toEqual(['ann abba 1', 'bob abba 1']);
    expect(left.report.unusedColumns).toEqual(['plays']);
    const kept = await imported(table, {
      columns: ['user', 'artist', 'plays'],
      scale: { min: 1, max: 1e6, step: 1 },
    });
    expect(kept.triples).toEqual(['ann abba 12', 'bob abba 1']);
  });
});

it('where most ratings are off the scale the advice is another scale, not to skip them', async () => {
  const rows = Array.from({ length: 50 }, (_, k) => `u${k},dune,${k % 2 === 0 ? 5 : 60 + k}`).join('\n');
  const refusal = imported(`user,item,rating\n${rows}\n`, { scale: stars });
  await expect(refusal).rejects.toThrow(/25 bad rows.*declare it with --scale/);
  await expect(refusal).rejects.not.toThrow(/skip-bad-rows/);
  await expect(imported('user,item,rating\nann,dune,9\n', { scale: stars })).rejects.toThrow(
    /--skip-bad-rows 1/,
  );
});

describe('lists without a header', () => {
  it('with times in the third column are choices with times', async () => {
    const { triples, ratings } = await imported('ann,dune,1600000000\nann,mirror,1600000100\n');
    expect(triples).toEqual(['ann dune 1', 'ann mirror 1']);
    expect([...ratings.times!]).toEqual([1_600_000_000, 1_600_000_100]);
    const dated = await imported('ann,dune,2020-09-13\nbob,mirror,2020-09-14T10:00:00Z\n');
    expect(dated.ratings.times?.[0]).toBe(Date.parse('2020-09-13') / 1000);
  });

  it('with ratings in the third column stay ratings', async () => {
    expect((await imported('ann,dune,5\nbob,dune,4\n', { scale: stars })).triples).toContain('ann dune 5');
  });

  it('with more than four columns are refused, because nobody knows which is which', async () => {
    await expect(imported('a,b,c,1,2\na,d,e,1,2\n', { scale: stars })).rejects.toThrow(
      /5 fields and no header/,
    );
  });
});

it('titles, links, images and shared columns come from a table about items', async () => {
  const items = join(folder, 'items.csv');
  writeFileSync(
    items,
    'item,title,link,image,genre\ndune,Dune,https://shop.example/dune,,sf\nmirror,Mirror,,/m.jpg,drama\nsolaris,Solaris,,,sf\nstalker,Stalker,,,sf\n',
  );
  const read = await imported('user,item,comment\nann,dune,x\nbob,mirror,y\nbob,solaris,z\n', { items });
  expect(read.itemTitles).toEqual(['Dune', 'Mirror', 'Solaris']);
  expect(read.itemLinks).toEqual(['https://shop.example/dune', '', '']);
  expect(read.itemImages).toEqual(['', '/m.jpg', '']);
  expect(read.report).toMatchObject({ unusedColumns: ['comment'], itemsWithoutTitle: 0 });
  expect(read.report.itemTable).toMatchObject({ unknownRows: 1 });
});
