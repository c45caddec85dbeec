import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDataset, splitHoldout, splitStrongGeneralization } from '@hushrec/ratings';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../run-command.test.data.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-split-'));
const at = (...names: string[]) => join(folder, ...names);
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const pairsIn = (file: string) =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',').slice(0, 2).join());

describe('split', () => {
  beforeAll(async () => {
    const made = await runCommand(
      'generate',
      at('films'),
      '--people',
      '200',
      '--items',
      '40',
      '--ratings',
      '4000',
    );
    expect(made.code, made.errors).toBe(0);
  });

  it('writes the parts that evaluate uses, for their owner alone', async () => {
    const { code, json } = await runCommand(
      'split',
      at('films'),
      '--split-seed',
      '3',
      '--out',
      at('parts'),
      '--json',
    );
    expect(code).toBe(0);
    const dataset = await openDataset(at('films'));
    const expected = splitHoldout(dataset, { seed: 3 });
    for (const part of ['train', 'validation', 'test'] as const) {
      const { byUser } = expected[part];
      const pairs = dataset.userIds.flatMap((user, row) =>
        Array.from(
          byUser.indices.subarray(byUser.offsets[row], byUser.offsets[row + 1]),
          (item) => `${user},${dataset.itemIds[item]}`,
        ),
      );
      expect(pairsIn(at('parts', `${part}.csv`))).toEqual(pairs);
      expect(json.parts[part]).toBe(pairs.length);
      if (process.platform !== 'win32') expect(statSync(at('parts', `${part}.csv`)).mode & 0o777).toBe(0o600);
    }
    expect((await runCommand('split', at('films'), '--out', at('parts'))).code).toBe(2);
    expect((await runCommand('split', at('films'), '--out', at('parts'), '--overwrite')).code).toBe(0);
  });

  it('a part that is imported again holds the same ratings and times', async () => {
    expect((await runCommand('split', at('films'), '--split-seed', '3', '--out', at('again'))).code).toBe(0);
    const read = await runCommand('import', at('again', 'train.csv'), at('train'), '--json');
    expect(read.code, read.errors).toBe(0);
    const [whole, part] = [await openDataset(at('films')), await openDataset(at('train'))];
    const { train } = splitHoldout(whole, { seed: 3 });
    expect(part.ratings.byUser.values).toEqual(train.byUser.values);
    expect(part.ratings.times).toEqual(train.times);
  });

  it('held-out people have a history and a target; likes have no rating', async () => {
    const flags = ['--protocol', 'strong-generalization', '--liked', '4', '--out', at('strong')];
    expect((await runCommand('split', at('films'), ...flags)).code).toBe(0);
    expect(readdirSync(at('strong')).sort()).toEqual([
      ...[
        'test-history.csv',
        'test-target.csv',
        'train.csv',
        'validation-history.csv',
        'validation-target.csv',
      ],
    ]);
    expect(readFileSync(at('strong', 'train.csv'), 'utf8').split('\n')[0]).toMatch(/^user,item(,time)?$/);
    const dataset = await openDataset(at('films'));
    const { likedItems } = await import('@hushrec/ratings');
    const ratings = likedItems(dataset.ratings, 4);
    const { test } = splitStrongGeneralization({ ...dataset, ratings }, { seed: 1 });
    expect(pairsIn(at('strong', 'test-target.csv'))).toHaveLength(test.target.byUser.values.length);
  });

  it('has no split of k folds', async () => {
    const { code, errors } = await runCommand(
      'split',
      at('films'),
      '--protocol',
      'k-fold',
      '--out',
      at('folds'),
    );
    expect(code).toBe(2);
    expect(errors).toContain('no single split');
  });
});
