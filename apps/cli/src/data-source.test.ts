import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDataset, readManifest } from '@hushrec/ratings';
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
    expect(await readManifest(made)).toMatchObject({ users: 2, ratings: 2, scale: { min: 0.5, max: 5 } });
    await datasetFolder(file, {}, context);
    expect(said.at(-1)).toContain('imported from');

    writeFileSync(file, 'user,item,rating\na,x,5\nb,y,1\nc,y,2\n');
    const later = new Date(Date.now() + 60_000);
    utimesSync(file, later, later);
    expect(await readManifest(await datasetFolder(file, {}, context))).toMatchObject({ users: 3 });
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
