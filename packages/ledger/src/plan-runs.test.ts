import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Ledger } from './ledger.js';
import { openLedger } from './open-ledger.js';

const account = 'a'.repeat(32);
let folder: string;
let ledger: Ledger;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hushrec-plan-runs-'));
  ledger = await openLedger(join(folder, 'ledger.sqlite'), { create: true });
});
afterAll(async () => {
  await ledger.close();
  rmSync(folder, { recursive: true, force: true });
});

it('plans runs within a grant, and only within one', async () => {
  expect(await ledger.planRuns(account, 1)).toBeUndefined();
  const protection = { unit: 'user', relation: 'add-remove' } as const;
  await ledger.grant(account, { epsilon: 4, delta: 1e-6, protection });
  expect(await ledger.planRuns(account, 1)).toBe(4);
  // As docs/ledger.md says.
  expect(await ledger.planRuns(account, 12)).toBe(1.0235);
  await ledger.refuse(account);
  expect(await ledger.planRuns(account, 1)).toBeUndefined();
});
