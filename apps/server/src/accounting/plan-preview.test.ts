import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '@hushrec/ledger';
import { afterAll, expect, it } from 'vitest';
import type { DatasetEntry } from '../catalogue/dataset-catalogue.js';
import { planPreview } from './plan-preview.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-plan-preview-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const dataset = (provenance: object) =>
  ({
    id: 'shop',
    path: folder,
    manifest: {
      items: 40,
      scale: { min: 1, max: 5, step: 1 },
      account: { id: 'a'.repeat(32), name: 'shop' },
      features: [],
      files: {},
      provenance,
    },
  }) as unknown as DatasetEntry;
const request = { dataset: 'shop', model: 'm', delta: 1e-6, settings: {} };

it('shows what the ledger would be charged, also for a plan in stages: a first run alone costs its own ε', async () => {
  const location = join(folder, 'ledger.sqlite');
  await (await openLedger(location, { create: true })).close();
  for (const method of ['hush', 'dpals'])
    for (const epsilon of [1, 9]) {
      const { budget } = await planPreview(dataset({}), { ...request, method, epsilon }, location);
      expect(budget!.after! / epsilon, `${method}, ε = ${epsilon}`).toBeCloseTo(1, 2);
    }
});

it('says that a data set is damaged, by its name', async () => {
  const failure = await planPreview(
    dataset({ items: 'from a catalogue' }),
    { ...request, method: 'hush', epsilon: 1 },
    undefined,
  ).catch((error: unknown) => error);
  expect(failure).toMatchObject({ problem: { status: 409, title: 'This data set cannot be read.' } });
  expect(JSON.stringify(failure)).toContain('items.parquet');
  expect(JSON.stringify(failure)).not.toContain(folder);
});
