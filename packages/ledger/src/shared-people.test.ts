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
const idle = { hasGrant: false, isIdle: true };
const granted = { hasGrant: true, isIdle: false };
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
  expect(await ledger.sharedWith(ids(50, 150))).toEqual({
    accounts: [
      { account: club, name: null, share: 0.1, accountShare: 1, shareInParts: 1, ...idle },
      { account: shop, name: 'shop', share: 0.5, accountShare: 0.5, shareInParts: 0.5, ...granted },
    ],
    share: 0.5,
    atStake: [expect.objectContaining({ account: shop })],
    isSpread: false,
    shareAtStake: 0.5,
  });
});

it('leaves out the account that is asked for, and all that share nobody', async () => {
  const { accounts } = await ledger.sharedWith(ids(0, 100), shop);
  expect(accounts.map(({ account }) => account)).toEqual([club]);
  expect(await ledger.sharedWith(ids(5000, 5010))).toMatchObject({ accounts: [], share: 0, atStake: [] });
});

it('notices a budget that was refused as well as one that was granted', async () => {
  await ledger.refuse(strangers);
  const [found] = (await ledger.sharedWith(ids(1000, 1001))).accounts;
  expect(found).toMatchObject({ account: strangers, share: 1, accountShare: 0.01, hasGrant: true });
});

it('knows for whom it has people', async () => {
  expect(await ledger.knowsPeople(shop)).toBe(true);
  expect(await ledger.knowsPeople('d'.repeat(32))).toBe(false);
});

it('adds up people who are spread over several accounts, each once', async () => {
  const spread = [...ids(0, 8), ...ids(1000, 1008), ...ids(92, 95), ...ids(7000, 7081)];
  const { accounts, share, shareAtStake } = await ledger.sharedWith(spread);
  expect(accounts.map((each) => each.share)).toEqual([0.03, 0.11, 0.08]);
  expect(share).toBeCloseTo(0.19, 12);
  expect(shareAtStake).toBeCloseTo(0.19, 12);
  const ungranted = await ledger.sharedWith([...ids(92, 93), ...ids(9000, 9009)], shop);
  expect(ungranted).toMatchObject({ share: 0.1, shareAtStake: 0, atStake: [] });
});

it('remembers the parts of an account that came into others before, if nobody was told of them', async () => {
  const [first, second, third] = ['1', '2', '3'].map((digit) => digit.repeat(32));
  const partOf = async (from: number, strangersFrom: number, into?: string) => {
    const people = [...ids(from, from + 6), ...ids(strangersFrom, strangersFrom + 94)];
    const { accounts } = await ledger.sharedWith(people, into);
    if (into !== undefined) await ledger.addPeople(into, people);
    return accounts.find(({ account }) => account === shop)!;
  };
  expect(await partOf(0, 20_000, first)).toMatchObject({
    share: 0.06,
    accountShare: 0.06,
    shareInParts: 0.06,
  });
  expect(await partOf(6, 30_000, second)).toMatchObject({ accountShare: 0.06, shareInParts: 0.12 });
  expect(await partOf(12, 40_000, third)).toMatchObject({ accountShare: 0.06, shareInParts: 0.18 });
  // The same people again are no further part, and neither is what an import into the same account brings.
  expect((await partOf(0, 20_000)).shareInParts).toBeCloseTo(0.18, 12);
  expect((await partOf(0, 20_000, first)).shareInParts).toBeCloseTo(0.18, 12);
  // `club` holds a tenth of shop, all of which are shop's: that was said when it was imported.
  expect((await partOf(94, 50_000)).shareInParts).toBeCloseTo(0.24, 12);
});
