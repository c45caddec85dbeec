import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '@hushrec/ledger';
import { expect, it } from 'vitest';
import type { DatasetEntry } from '../catalogue/dataset-catalogue.js';
import { planPreview } from './plan-preview.js';

it('shows what the ledger would be charged, also for a plan in stages: a first run alone costs its own ε', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-plan-preview-'));
  const location = join(folder, 'ledger.sqlite');
  try {
    await (await openLedger(location, { create: true })).close();
    const dataset = {
      id: 'shop',
      path: folder,
      manifest: {
        items: 40,
        scale: { min: 1, max: 5, step: 1 },
        account: { id: 'a'.repeat(32), name: 'shop' },
        features: [],
      },
    } as unknown as DatasetEntry;
    for (const method of ['hush', 'dpals'])
      for (const epsilon of [1, 9]) {
        const request = { dataset: 'shop', model: 'm', method, epsilon, delta: 1e-6, settings: {} };
        const { budget } = await planPreview(dataset, request, location);
        expect(budget!.after! / epsilon, `${method}, ε = ${epsilon}`).toBeCloseTo(1, 2);
      }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
