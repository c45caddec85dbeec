import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importSource, openDataset, readManifest } from '@hushrec/ratings';
import { afterAll, describe, expect, it } from 'vitest';
import type { CommandContext } from './command.js';
import { datasetFolder, importOptions } from './data-source.js';
import { importedFolder, knownDatasetFolder } from './imported-folder.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-data-source-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const said: string[] = [];
const context: CommandContext = {
  signal: new AbortController().signal,
  progress: () => {},
  say: (line) => said.push(line),
};

describe('what a person names as data', () => {
  it('a file is imported once, beside itself, and again when it changes', async () => {
    const file = join(folder, 'shop.csv');
    writeFileSync(file, 'user,item,rating\na,x,5\nb,y,1\n');
    const made = await datasetFolder(file, {}, context);
    expect(made).toBe(join(folder, 'shop.hushrec'));
    expect(await readManifest(made)).toMatchObject({ people: 2, ratings: 2, scale: { min: 0.5, max: 5 } });
    await datasetFolder(file, {}, context);
    expect(said.at(-1)).toContain('imported from');

    // As old as it can be, like what `cp -p` or an archive leaves: the bytes tell, not the time.
    writeFileSync(file, 'user,item,rating\na,x,5\nb,y,1\nc,y,2\n');
    utimesSync(file, new Date(0), new Date(0));
    expect(await readManifest(await datasetFolder(file, {}, context))).toMatchObject({ people: 3 });
    utimesSync(file, new Date(Date.now() + 60_000), new Date(Date.now() + 60_000));
    await datasetFolder(file, {}, context);
    expect(said.at(-1)).toContain('imported from');
  });

  it.skipIf(process.platform === 'win32')('a pipe or a device is refused', async () => {
    await expect(datasetFolder('/dev/null', {}, context)).rejects.toThrow(/a pipe or a device/);
  });

  it.skipIf(process.platform === 'win32')(
    'nothing is put beside a source where others can write',
    async () => {
      const shared = join(folder, 'shared');
      mkdirSync(shared);
      chmodSync(shared, 0o777);
      const file = join(shared, 'shop.csv');
      writeFileSync(file, 'user,item,rating\na,x,5\nb,y,1\n');
      await expect(datasetFolder(file, {}, context)).rejects.toThrow(/others can write to.*hushrec import/);
      expect(readdirSync(shared)).toEqual(['shop.csv']);
    },
  );

  it('a file that changed is not read on the guess that nothing else did', async () => {
    const file = join(folder, 'grades.csv');
    writeFileSync(file, 'user,item,rating\na,x,5\nb,y,1\n');
    await datasetFolder(file, { scale: '1:5:1' }, context);
    writeFileSync(file, 'user,item,rating\na,x,5\nb,y,2\n');
    await expect(datasetFolder(file, {}, context)).rejects.toThrow(/--scale 1:5:1/);
    expect(await readManifest(await datasetFolder(file, { scale: '1:5:1' }, context))).toMatchObject({
      people: 2,
    });
  });

  it('a folder that became a Delta table is refused, also where it was imported before', async () => {
    const table = join(folder, 'sales');
    mkdirSync(table);
    const { encodeTable } = await import('../../../packages/ratings/src/dataset-folder/parquet-table.js');
    const people = encodeTable([
      { name: 'user', type: 'text', data: ['a', 'b'] },
      { name: 'item', type: 'text', data: ['x', 'y'] },
    ]);
    writeFileSync(join(table, 'part-0.parquet'), people);
    await datasetFolder(table, {}, context);
    mkdirSync(join(table, '_delta_log'));
    for (const path of [table, join(table, 'part-0.parquet')])
      await expect(datasetFolder(path, {}, context)).rejects.toThrow(/Delta table .* erased/);
  });

  it('a folder that was appended to is not replaced by the file it once came from', async () => {
    const file = join(folder, 'grown.csv');
    writeFileSync(file, 'user,item,rating\na,x,5\nb,y,1\n');
    const made = await datasetFolder(file, {}, context);
    writeFileSync(join(folder, 'more.csv'), 'user,item,rating\nc,x,5\n');
    await importSource(join(folder, 'more.csv'), made, { append: true });
    await expect(datasetFolder(file, {}, context)).rejects.toThrow(/appended to/);
    expect(await readManifest(await datasetFolder(made, {}, context))).toMatchObject({ people: 3 });
  });

  it('a data set is not charged to another account than its own', async () => {
    const made = join(folder, 'shop.hushrec');
    const { account } = await readManifest(made);
    expect(await datasetFolder(made, { account: account.name }, context)).toBe(made);
    await expect(datasetFolder(made, { account: 'others' }, context)).rejects.toThrow(
      /belongs to account shop/,
    );
  });

  it('a file is imported again when something else is said about it, and not when nothing is said', async () => {
    const file = join(folder, 'stars.csv');
    writeFileSync(file, 'user,item,rating\na,x,5\nb,y,1\n');
    writeFileSync(join(folder, 'items.csv'), 'item,title\nx,Dune\ny,Mirror\n');
    const scale = { min: 1, max: 5, step: 1 };
    await datasetFolder(file, { scale: '1:5:1' }, context);
    const { account } = await readManifest(join(folder, 'stars.hushrec'));
    expect(await readManifest(await datasetFolder(file, {}, context))).toMatchObject({ scale });
    const titled = await datasetFolder(file, { scale: '1:5:1', items: join(folder, 'items.csv') }, context);
    expect((await openDataset(titled)).itemTitles).toEqual(['Dune', 'Mirror']);
    const other = await readManifest(await datasetFolder(file, { scale: '0:10:1' }, context));
    expect(other).toMatchObject({ scale: { min: 0, max: 10, step: 1 } });
    // The people are the same, and so is their budget.
    expect(other.account).toEqual(account);
    expect(knownDatasetFolder(file)).toBe(join(folder, 'stars.hushrec'));
  });

  it('a database is imported into the current folder, under its name and without its password', () => {
    expect(importedFolder('postgres://me:secret@host:5432/shop?sslmode=require')).toBe('shop.hushrec');
    expect(importedFolder('postgresql://host')).toBe('database.hushrec');
  });

  it('a dataset folder is itself', async () => {
    const made = join(folder, 'shop.hushrec');
    expect(await datasetFolder(made, {}, context)).toBe(made);
  });

  it('what is not there is refused, and bad data leaves no folder', async () => {
    await expect(datasetFolder(join(folder, 'none.csv'), {}, context)).rejects.toThrow(/no such file/);
    writeFileSync(join(folder, 'bad.csv'), 'a,x,99\n');
    await expect(datasetFolder(join(folder, 'bad.csv'), {}, context)).rejects.toThrow(
      /line 1: the rating is not on the scale.*were assumed/,
    );
    expect(existsSync(join(folder, 'bad.hushrec'))).toBe(false);
  });

  it('votes against an item are not read as likes, and a file says how it was read', async () => {
    const file = join(folder, 'thumbs.csv');
    const rows = Array.from({ length: 30 }, (_, k) => `u${k},hated,-1\nu${k},loved,1`).join('\n');
    writeFileSync(file, `user,item,thumb\n${rows}\n`);
    for (const scale of [undefined, '1:5:1'])
      await expect(datasetFolder(file, scale === undefined ? {} : { scale }, context)).rejects.toThrow(
        /"thumb" says for or against/,
      );
    expect(existsSync(join(folder, 'thumbs.hushrec'))).toBe(false);
    const votes = await datasetFolder(file, { columns: 'user,item,thumb', scale: '-1:1:2' }, context);
    expect(await readManifest(votes)).toMatchObject({ scale: { min: -1, max: 1, step: 2 } });
    expect(said.at(-1)).toMatch(
      /thumbs\.hushrec: 30 people, 2 items, 60 ratings \(csv\)\.\nColumns: user, item, rating from thumb\.\nScale -1 to 1, without times\./,
    );
    const likes = await datasetFolder(file, { events: 'thumb=1' }, context);
    expect((await openDataset(likes)).itemIds).toEqual(['loved']);
    expect(said.at(-1)).toMatch(
      /Columns: user, item; there is no rating, so every pair counts 1\.\nOf the column thumb only the events asked for: 30 other rows were left out\./,
    );
    // Nothing said now means what was said before.
    await datasetFolder(file, {}, context);
    expect(said.at(-1)).toContain('before with --events thumb=1');
    writeFileSync(file, 'user,item,comment\na,x,nice\n');
    await datasetFolder(file, { format: 'csv' }, context);
    expect(said.at(-1)).toContain('Not read: comment.');
    await expect(datasetFolder(file, { scale: '1:5:1' }, context)).rejects.toThrow(/no column with ratings/);
  });

  it('ids that look alike are counted and not shown', async () => {
    const file = join(folder, 'alike.csv');
    writeFileSync(file, 'user,item\nann,x\nann ,x\nJos\u00e9,x\nJose\u0301,y \nNULL,y\n');
    await datasetFolder(file, {}, context);
    expect(said.at(-1)).toContain(
      'WARNING: 2 person ids differ from another only by spaces or by the Unicode form',
    );
    expect(said.at(-1)).toContain('WARNING: 1 item id differs from another');
    expect(said.at(-1)).toContain('WARNING: NULL is the id of a person.');
    expect(said.at(-1)).not.toMatch(/ann|Jos/);
  });

  it('flags become import options', async () => {
    const flags = {
      separator: '\\t',
      header: 'no',
      columns: 'a, b',
      scale: '1:5:1',
      skipBadRows: 0,
    } as const;
    expect(await importOptions(flags, context)).toMatchObject({
      separator: '\t',
      header: false,
      columns: ['a', 'b'],
      scale: { min: 1, max: 5, step: 1 },
      skipBadRows: 0,
    });
  });
});
