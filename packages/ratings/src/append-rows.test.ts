import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { openDataset } from './dataset-folder/open-dataset.js';
import { importSource } from './import-source.js';

const root = mkdtempSync(join(tmpdir(), 'hushrec-append-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const scale = { min: 1, max: 5, step: 1 };
let out: string;
let tries = 0;
beforeEach(() => {
  out = join(root, `set-${tries++}`);
});
function put(name: string, text: string): string {
  const file = join(root, name);
  writeFileSync(file, text);
  return file;
}

const header = 'user,item,rating,time';
const weeks = [
  ['bo,y,1,100', 'ann,x,5,100', 'bo,x,2,100'],
  ['ann,x,3,200', 'cy,z,4,200', 'bo,y,5,50', 'ann,y,1,200'],
  ['9,x,1,300', 'ann,w,2,300'],
];
const week = (at: number) => put(`week-${at}.csv`, [header, ...weeks[at]].join('\n'));

describe('appending to a data set', () => {
  it('gives what one import of all rows gives, and keeps the account', async () => {
    const first = await importSource(week(0), out, { scale });
    for (const at of [1, 2]) await importSource(week(at), out, { append: true });
    const all = put('all.csv', [header, ...weeks.flat()].join('\n'));
    const whole = await importSource(all, `${out}-whole`, { scale });
    const [appended, expected] = [await openDataset(out), await openDataset(`${out}-whole`)];
    expect(appended.manifest.contentHash).toBe(whole.manifest.contentHash);
    expect(appended.manifest.account).toEqual(first.manifest.account);
    expect(appended.userIds).toEqual(expected.userIds);
    expect(appended.appearance).toEqual(expected.appearance);
    expect(appended.ratings).toEqual(expected.ratings);
  });

  it('counts what was replaced', async () => {
    await importSource(week(0), out, { scale });
    expect(await importSource(week(1), out, { append: true })).toMatchObject({ duplicates: 2, ratings: 5 });
  });

  it('keeps titles, links and features of items, and takes in new ones', async () => {
    const items = put('items.csv', 'item,title,link,genre\nx,Dune,https://a.example/x,sf\ny,Emma,,novel\n');
    const later = put('later.csv', 'item,title,genre\nz,Solaris,sf\nw,Persuasion,novel\n');
    await importSource(week(0), out, { scale, items });
    await importSource(week(1), out, { append: true });
    const kept = await openDataset(out);
    expect(kept.itemIds).toEqual(['x', 'y', 'z']);
    expect(kept.itemTitles).toEqual(['Dune', 'Emma', '']);
    expect(kept.itemLinks).toEqual(['https://a.example/x', '', '']);
    await importSource(week(2), out, { append: true, items: later });
    const grown = await openDataset(out);
    expect(grown.itemIds).toEqual(['w', 'x', 'y', 'z']);
    expect(grown.itemTitles).toEqual(['Persuasion', 'Dune', 'Emma', 'Solaris']);
    for (const { features, itemIds } of [kept, grown])
      for (const source of features) {
        if (source.kind !== 'categorical') throw new Error('unexpected');
        for (const { byItem, tokens } of source.fields) {
          expect(byItem.rowCount).toBe(itemIds.length);
          const item = itemIds.indexOf('x');
          const own = [...byItem.indices.subarray(byItem.offsets[item], byItem.offsets[item + 1])];
          if (source.name === 'items.csv') expect(own.map((token) => tokens[token])).toEqual(['sf']);
        }
      }
  });

  it('keeps to the catalogue it was made with', async () => {
    const catalogue = put('catalogue.csv', 'item\nx\ny\nz\n');
    await importSource(week(0), out, { scale, catalogue });
    await importSource(week(1), out, { append: true });
    await expect(importSource(week(2), out, { append: true })).rejects.toThrow(/not in the catalogue/);
    const more = put('more.csv', 'item\nw\n');
    await importSource(week(2), out, { append: true, catalogue: more });
    expect((await openDataset(out)).itemIds).toEqual(['w', 'x', 'y', 'z']);
  });

  it('refuses another scale, missing times, and a folder that is no data set', async () => {
    const untimed = put('untimed.csv', 'user,item,rating\nann,x,5\n');
    await expect(importSource(untimed, out, { scale, append: true })).rejects.toThrow(/not a data set/);
    await importSource(week(0), out, { scale });
    const before = readFileSync(join(out, 'dataset.json'), 'utf8');
    await expect(importSource(untimed, out, { append: true })).rejects.toThrow(/has no times/);
    const other = { min: 0, max: 10, step: 1 };
    await expect(importSource(week(1), out, { append: true, scale: other })).rejects.toThrow(/same scale/);
    await expect(importSource(week(1), out, { append: true, overwrite: true })).rejects.toThrow(/Either/);
    expect(readFileSync(join(out, 'dataset.json'), 'utf8')).toBe(before);
  });
});
