import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { DatasetCatalogue } from './dataset-catalogue.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-datasets-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('reads counts of people and leaves out what is no data set', async () => {
  const files = {
    now: '{"format":"hushrec-dataset-2","people":7}',
    earlier: '{"format":"hushrec-dataset-1","users":5}',
    later: '{"format":"hushrec-dataset-9","people":3}',
    broken: '{',
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'dataset.json'), text);
  }
  const found = await new DatasetCatalogue(folder).list();
  expect(found.map(({ id, manifest }) => [id, manifest.people])).toEqual([['now', 7]]);
});
