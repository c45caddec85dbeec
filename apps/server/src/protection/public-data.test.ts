import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { DatasetCatalogue } from '../catalogue/dataset-catalogue.js';
import { publicAccounts } from './public-data.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-public-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('takes data for public where it was made up, all of it, or where somebody said so', async () => {
  const write = (name: string, account: string, provenance: object) => {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(
      join(folder, name, 'dataset.json'),
      JSON.stringify({ format: 'hushrec-dataset-2', account: { id: account, name }, provenance }),
    );
  };
  write('made-up', 'a', { recipe: 'generated' });
  write('imported', 'b', {});
  write('made-up-too', 'c', { recipe: 'generated' });
  write('of-the-same-people', 'c', {});
  const datasets = new DatasetCatalogue(folder);
  const isPublic = await publicAccounts({ publicData: false, datasets });
  expect(['a', 'b', 'c', 'unknown'].map(isPublic)).toEqual([true, false, false, false]);
  expect((await publicAccounts({ publicData: false, datasets: undefined }))('a')).toBe(false);
  expect((await publicAccounts({ publicData: true, datasets: undefined }))('b')).toBe(true);
});
