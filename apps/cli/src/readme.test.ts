import '@hushrec/papers/register';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { methods } from '@hushrec/factorize';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram } from './main.js';
import { runCommand } from './run-command.test.data.js';

/**
 * The README's way from one's own file to a recommendation: commands as they stand there, without comments.
 */
const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
const block = [...readme.matchAll(/```sh\n([^`]*)```/g)].find(([, text]) =>
  text!.includes('ratings.csv'),
)![1];
const lines = block
  .trim()
  .split('\n')
  .map((line) => line.replace(/\s+#.*$/, ''));

it('lists every method by what it protects, and every command', async () => {
  const row = (head: string) =>
    readme
      .split('\n')
      .find((line) => line.startsWith(`| ${head}`))!
      .split('|')[2]
      .match(/[a-z][a-z-]*(?=[ `])/g);
  const ids = (protects: (method: (typeof methods)[number]) => boolean) =>
    methods
      .filter(protects)
      .map(({ id }) => id)
      .sort();
  const listed = (head: string) =>
    [
      ...readme
        .split(`| ${head}`)[1]
        .split('\n')[0]
        .matchAll(/`([a-z-]+)`/g),
    ]
      .map(([, id]) => id)
      .sort();
  const protectsPeople = ({ protects }: (typeof methods)[number]) =>
    protects.some(({ unit }) => unit === 'user');
  expect(listed('methods that protect people')).toEqual(ids(protectsPeople));
  expect(listed('methods that protect single ratings')).toEqual(
    ids((method) => method.protects.length > 0 && !protectsPeople(method)),
  );
  expect(listed('methods without privacy')).toEqual(ids(({ protects }) => protects.length === 0));
  expect(row('commands')).toEqual((await buildProgram()).commands.map((command) => command.name()));
});

describe('from the README to a recommendation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-readme-'));
  const before = process.cwd();
  beforeAll(() => {
    process.chdir(folder);
    const rows = Array.from({ length: 600 }, (_, row) => {
      const user = row % 60;
      const item = (user * 5 + Math.floor(row / 60) * 7) % 20;
      return `ann${user},book-${item},${1 + ((user + item) % 5)}`;
    });
    writeFileSync('ratings.csv', `user,item,rating\n${rows.join('\n')}\n`);
    writeFileSync('my-ratings.csv', 'book-1,5\nbook-2,1\n');
  });
  afterAll(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true, force: true });
  });

  it('takes five commands or fewer, the browser included', () => {
    expect(lines.length).toBeLessThanOrEqual(5);
    expect(lines.at(-1)).toContain('hushrec serve');
  });

  // `serve` is run with a real browser by the server's own test.
  const ours = lines.filter((line) => line.startsWith('npx hushrec ') && !line.includes(' serve'));
  it.each(ours)('%s', async (line) => {
    const run = await runCommand(...line.split(/\s+/).slice(2));
    expect(run.code, run.errors).toBe(0);
    expect(run.text).not.toBe('');
  });
});
