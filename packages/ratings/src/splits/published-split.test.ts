import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDataset } from '../dataset-folder/open-dataset.js';
import { importSource } from '../import-source.js';
import type { Dataset } from '../rating-matrix.js';
import { readCandidateFile } from './candidate-file.js';
import { readHeldOutFile } from './held-out-file.js';

const base = await mkdtemp(join(tmpdir(), 'hushrec-published-test-'));
afterAll(() => rm(base, { recursive: true, force: true }));
let dataset: Dataset;
beforeAll(async () => {
  // First appearance: users 7, 3; items 50, 20, 90. Order of ids: users 3, 7; items 20, 50, 90.
  await writeFile(join(base, 'r.csv'), '7,50,1\n7,20,2\n3,90,3\n3,50,4\n');
  await importSource(join(base, 'r.csv'), join(base, 'set'), { scale: { min: 1, max: 5, step: 1 } });
  dataset = await openDataset(join(base, 'set'));
});

describe('readCandidateFile', () => {
  it('translates ranks of first appearance into indices', async () => {
    await writeFile(join(base, 'negative'), '(0,1)\t2\t2\n(1,0)\t1\t0\n');
    const { target, offsets, negatives } = await readCandidateFile(join(base, 'negative'), dataset);
    expect([...target]).toEqual([1, 0]);
    expect([...offsets]).toEqual([0, 2, 4]);
    expect([...negatives]).toEqual([0, 1, 2, 2]);
  });

  it.each(['(0,1)\t3', '(5,1)\t1', '0 1 2', '(0,1)\tx', '(0,1)\t2\n(0,1)\t2'])(
    'refuses %j with its line',
    async (text) => {
      await writeFile(join(base, 'negative'), `${text}\n`);
      await expect(readCandidateFile(join(base, 'negative'), dataset)).rejects.toThrow(
        /line [12]: .*one line per user/,
      );
    },
  );

  it('refuses a data set whose row order is not known', async () => {
    const { appearance: _, ...unordered } = dataset;
    await expect(readCandidateFile(join(base, 'negative'), unordered)).rejects.toThrow(
      /Import the ratings file/,
    );
  });
});

it('readHeldOutFile uses the ids of the data set and counts what it does not know', async () => {
  await writeFile(join(base, 'test.csv'), '3,20,5\n8,20,5\n7,91,1\n7,90,2\n');
  const { ratings, unknownRows } = await readHeldOutFile(join(base, 'test.csv'), dataset);
  expect(unknownRows).toBe(2);
  expect([ratings.userCount, ratings.itemCount]).toEqual([2, 3]);
  expect([...ratings.byUser.offsets]).toEqual([0, 1, 2]);
  expect([...ratings.byUser.indices]).toEqual([0, 2]);
});
