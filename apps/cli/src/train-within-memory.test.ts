import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDataset, openPeople } from '@hushrec/ratings';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryOption } from './memory-option.js';
import { runCommand } from './run-command.test.data.js';

let folder: string;
let data: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hushrec-memory-'));
  data = join(folder, 'data');
  // More than two of the smallest blocks.
  const shape = ['--people', '1500', '--items', '200', '--ratings', '110000'];
  expect((await runCommand('generate', data, ...shape, '--seed', '3')).errors).not.toContain('expected');
});
afterAll(() => rm(folder, { recursive: true }));

async function trained(name: string, ...options: string[]) {
  const out = join(folder, name);
  const common = ['--epsilon', '2', '--seed', '1', '--threads', '1', '--out', out, '--json'];
  const { code, errors } = await runCommand('train', data, ...common, ...options);
  expect(errors).not.toContain('wrong');
  expect(code).toBe(0);
  const files = readdirSync(out).filter((file) => /^model|safetensors$/.test(file));
  expect(files.length).toBeGreaterThan(1);
  return files.map((file) => [file, readFileSync(join(out, file))]);
}

describe('training within --memory', () => {
  it.each([
    ['hush', []],
    ['hush', ['--liked', '4']],
    // People's own coins, named by their ids.
    ['dpals', ['--set', 'contribution=uniform', '--set', 'counts=sampled', '--set', 'rounds=1']],
  ])('%s %o: the same bytes as in memory, and nothing left behind', async (method, options) => {
    const name = `${method}-${options.length}`;
    const inMemory = await trained(name, '--method', method, ...options);
    const fromDisk = await trained(`${name}-disk`, '--method', method, ...options, '--memory', '340MiB');
    expect(fromDisk).toEqual(inMemory);
    expect(readdirSync(data).filter((file) => file.startsWith('.'))).toEqual([]);
  });

  it('reads everyone, in blocks of whole people', async () => {
    const { ratings, userIds } = await openDataset(data);
    const [abandoned, fresh] = ['.people-old', '.people-new'].map((name) => join(data, name));
    await mkdir(abandoned);
    await mkdir(fresh);
    await utimes(abandoned, 0, 0);
    // As a folder looks that another process removes between being listed and looked at.
    const gone = join(data, '.people-gone');
    await symlink('nowhere', gone);
    const { rows, userIds: ids } = await openPeople(data, { ratingsPerBlock: 10_000 });
    expect(ids).toEqual(userIds);
    expect(existsSync(abandoned)).toBe(false);
    await rm(fresh, { recursive: true });
    await rm(gone);
    let people = 0;
    let at = 0;
    for await (const { begin, end, rows: block } of rows.blocks()) {
      expect(begin).toBe(people);
      expect(block.indices).toEqual(ratings.byUser.indices.slice(at, at + block.indices.length));
      expect(block.values).toEqual(ratings.byUser.values.slice(at, at + block.values.length));
      expect(block.indices.length).toBeLessThanOrEqual(10_000);
      people = end;
      at += block.indices.length;
    }
    expect([people, at]).toEqual([ratings.userCount, ratings.byUser.indices.length]);
    await rows.close();
  });

  it.each([
    [['--memory', '2GB'], 'expected a size such as 2GiB'],
    [['--memory', '100MiB'], 'expected at least'],
    [['--memory', '2GiB', '--protocol', 'holdout'], 'needs it in memory to divide it'],
    [['--memory', '2GiB', '--method', 'private-knn'], 'must see all ratings at once'],
  ])('refuses %o before anything is read', async (options, message) => {
    const { code, errors } = await runCommand('train', join(folder, 'nothing'), '--epsilon', '1', ...options);
    expect(errors).toContain(message);
    expect(code).toBe(2);
  });

  it('reads sizes', () => {
    expect(memoryOption('2GiB')).toBe(2 ** 31);
    expect(memoryOption('1.5 MiB')).toBe(1.5 * 2 ** 20);
  });
});
