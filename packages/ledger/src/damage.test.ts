import { expect, it } from 'vitest';
import { tryDamagedLedgers } from './damaged-ledgers.test.data.js';

/** `node packages/ledger/dist/damaged-ledgers.test.data.js 10000` is the full trial. */
const count = Number(process.env['HUSHREC_DAMAGED'] ?? 150);

it(`damage is named or harmless, and never ends the process: ${count} damaged ledgers`, async () => {
  const report = await tryDamagedLedgers(count);
  expect(report.wrong).toEqual([]);
  expect(report.refused).toBeGreaterThan(count / 5);
  expect(report.harmless).toBeGreaterThan(count / 10);
}, 600_000);
