import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileFormats, ratingFormats } from '../formats.js';
import { importSource } from '../import-source.js';
import { formatContract } from './format-contract.test.data.js';

describe.each(fileFormats)('$name', (format) => {
  it.each(formatContract)('$says', ({ holds }) => holds(format, fileFormats));
});

const tableOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| --'))
    .map((line) => line.split(/ *\| */).slice(1, -1));

describe('the list of formats', () => {
  it('has every name once, and ends with what takes anything', async () => {
    const names = ratingFormats.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(await fileFormats.at(-1)!.recognises({ source: '', files: [], neighbours: [] }, {})).toBe(true);
  });

  it('is the table in docs/data.md', () => {
    const page = readFileSync(new URL('../../../../docs/data.md', import.meta.url), 'utf8');
    const [, ...rows] = tableOf(page.split('## Sources')[1].split('\n## ')[0]);
    const listed = ratingFormats.flatMap(({ name, about, takes }) =>
      about.map(({ source, recognisedBy, scale }) => [
        `\`${name}\``,
        source,
        recognisedBy,
        scale,
        takes.map((option) => `\`--${option}\``).join(' '),
      ]),
    );
    expect(rows).toEqual(listed);
  });

  it('is told to whoever names another; an address is no file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hushrec-formats-'));
    try {
      const source = join(folder, 'r.txt');
      await writeFile(source, '1 10 20\n2 10\n');
      const named = (format: string) =>
        importSource(source, join(folder, 'set'), { format: format as 'csv' });
      await expect(named('xml')).rejects.toThrow(/no format "xml"\. Known: .*adjacency, matrix, csv/);
      await expect(named('postgres')).rejects.toThrow(/A database is named by its URL/);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('says which options a format does not look at', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hushrec-formats-'));
    try {
      const source = join(folder, 'r.txt');
      await writeFile(source, '1 10 20\n2 10\n');
      const report = await importSource(source, join(folder, 'set'), { header: false, query: 'select 1' });
      expect(report).toMatchObject({ format: 'adjacency', unusedOptions: ['header', 'query'] });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
