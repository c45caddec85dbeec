import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { contentHash } from './dataset-folder/content-hash.js';
import { exportCsv } from './export-csv.js';
import { generateCatalogue } from './generate/catalogue.js';
import { generateDpals } from './generate/dpals.js';
import { importSource } from './import-source.js';

const base = await mkdtemp(join(tmpdir(), 'hushrec-export-'));
afterAll(() => rm(base, { recursive: true, force: true }));

it.each([
  ['catalogue', generateCatalogue({ users: 40, items: 30, ratings: 400, seed: 2 })],
  ['dpals', generateDpals({ users: 40, items: 200, seed: 2 })],
])('what is exported comes back the same: %s', async (name, content) => {
  const path = join(base, `${name}.csv`);
  await exportCsv(path, content);
  const { manifest } = await importSource(path, join(base, name), { scale: content.ratings.scale });
  expect(manifest.contentHash).toBe(contentHash(content.ratings, content.userIds, content.itemIds));
});
