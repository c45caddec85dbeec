import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readItemTable } from './item-table.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-item-table-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function table(text: string): string {
  const path = join(folder, 'items.csv');
  writeFileSync(path, text);
  return path;
}

it('finds titles, links, images and columns that items share', async () => {
  const path = table(
    [
      'genre,id,Title,url,cover,description',
      'sf|drama,b,"Dune, part one",https://shop.example/b,/covers/b.jpg,sand',
      'sf,a,Solaris,,,sea',
      'drama,c,Stalker,http://shop.example/c,,zone',
      'drama,z,Unrated,,,nothing',
    ].join('\n'),
  );
  const read = await readItemTable(path, ['a', 'b', 'c', 'd']);
  expect(read.titles).toEqual(['Solaris', 'Dune, part one', 'Stalker', '']);
  expect(read.links).toEqual(['', 'https://shop.example/b', 'http://shop.example/c', '']);
  expect(read.images).toEqual(['', '/covers/b.jpg', '', '']);
  expect(read).toMatchObject({ learned: ['genre'], unused: ['description'], unknownRows: 1 });
  expect(read.features).toMatchObject({
    kind: 'categorical',
    fields: [{ name: 'genre', tokens: ['drama', 'sf'] }],
  });
});

it('takes columns in order where there is no header', async () => {
  const read = await readItemTable(table('a,Solaris\nb,Dune\n'), ['a', 'b']);
  expect(read.titles).toEqual(['Solaris', 'Dune']);
  expect(read).not.toHaveProperty('links');
  expect(read).not.toHaveProperty('features');
});

it.each(['javascript:alert(1)', '//elsewhere.example/a', 'data:text/html,x', 'see below'])(
  'refuses the link %s',
  async (link) => {
    await expect(readItemTable(table(`item,title,link\na,A,"${link}"\n`), ['a'])).rejects.toThrow(
      /line 2: the link is no web address/,
    );
  },
);
