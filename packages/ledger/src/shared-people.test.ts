import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Ledger } from './ledger.js';
import { openLedger } from './open-ledger.js';

const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `person ${from + at}`);
const [shop, club, strangers] = ['a', 'b', 'c'].map((letter) => letter.repeat(32)) as [
  string,
  string,
  string,
];
let folder: string;
let ledger: Ledger;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hushrec-shared-'));
  ledger = await openLedger(join(folder, 'ledger.sqlite'), { create: true });
  await ledger.nameAccount(shop, 'shop');
  await ledger.addPeople(shop, ids(0, 100));
  await ledger.addPeople(club, ids(90, 100));
  await ledger.addPeople(strangers, ids(1000, 1100));
  const protection = { unit: 'user', relation: 'add-remove' } as const;
  await ledger.grant(shop, { epsilon: 1, delta: 1e-6, protection });
});
afterAll(async () => {
  await ledger.close();
  rmSync(folder, { recursive: true, force: true });
});

it('names the accounts that stand for some of these people, the most alike first', async () => {
  expect(await ledger.sharedWith(ids(50, 150))).toEqual([
    { account: club, name: null, share: 0.1, accountShare: 1, hasGrant: false },
    { account: shop, name: 'shop', share: 0.5, accountShare: 0.5, hasGrant: true },
  ]);
});

it('leaves out the account that is asked for, and all that share nobody', async () => {
  const others = await ledger.sharedWith(ids(0, 100), shop);
  expect(others.map(({ account }) => account)).toEqual([club]);
  expect(await ledger.sharedWith(ids(5000, 5010))).toEqual([]);
});

it('notices a budget that was refused as well as one that was granted', async () => {
  await ledger.refuse(strangers);
  const [found] = await ledger.sharedWith(ids(1000, 1001));
  expect(found).toMatchObject({ account: strangers, share: 1, accountShare: 0.01, hasGrant: true });
});

it('knows for whom it has people', async () => {
  expect(await ledger.knowsPeople(shop)).toBe(true);
  expect(await ledger.knowsPeople('d'.repeat(32))).toBe(false);
});
