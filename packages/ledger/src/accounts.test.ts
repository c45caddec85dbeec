import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gaussianEpsilon } from '@hushrec/privacy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emptyState, stateAfter } from './account-state.js';
import { checkpointState, sealedCheckpoint } from './checkpoint.js';
import { gaussianAccountant } from './example-accountant.test.data.js';
import type { Ledger } from './ledger.js';
import { BudgetExceededError, SharedPeopleError, SpendRefusedError } from './ledger-errors.js';
import { openLedger } from './open-ledger.js';

const [shop, trial, club] = ['a', 'b', 'c'].map((letter) => letter.repeat(32)) as [string, string, string];
const protection = { unit: 'user', relation: 'add-remove' } as const;
const delta = 1e-5;
const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `person ${from + at}`);
const charge = (mu: number) =>
  ({ kind: 'event', event: { kind: 'gaussian', sensitivity: 1, noise: 1 / mu } }) as const;

let folder: string;
let ledger: Ledger;
let time: Date | undefined;
let jobs = 0;
const spend = (account: string, mu = 0.2, jobKey = `job ${jobs++}`) =>
  ledger.spend({ account, jobKey, method: 'dpals', protection, charge: charge(mu) });
const grant = (account: string, epsilon: number, more: object = {}) =>
  ledger.grant(account, { epsilon, delta, protection, ...more });
const open = () =>
  openLedger(join(folder, 'ledger.sqlite'), {
    accountant: gaussianAccountant,
    create: true,
    now: () => time ?? new Date(),
  });

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hushrec-accounts-'));
  time = undefined;
  ledger = await open();
  await ledger.nameAccount(shop, 'shop');
  await ledger.nameAccount(trial, 'trial');
});
afterEach(async () => {
  await ledger.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('accounts that hold about the same people', () => {
  beforeEach(async () => {
    await ledger.addPeople(shop, ids(0, 600));
    await ledger.addPeople(trial, ids(0, 600));
    await ledger.addPeople(club, ids(5000, 5600));
  });

  it('cannot spend beside the grant of another', async () => {
    await grant(shop, 2);
    await spend(shop);
    const refused = spend(trial);
    await expect(refused).rejects.toThrow(SharedPeopleError);
    await expect(refused).rejects.toMatchObject({ kind: 'privacy', account: shop, accountName: 'shop' });
    await expect(refused).rejects.toThrow(
      /account shop \(a+\) holds about 100% .*`hushrec ledger merge trial shop`.*`hushrec ledger different trial shop`/,
    );
    expect((await spend(club)).resumed).toBe(false);
    expect((await ledger.balance(trial, delta)).runs).toBe(0);
  });

  it('cannot be granted a budget beside what another has spent', async () => {
    await spend(trial);
    await expect(grant(shop, 2)).rejects.toThrow(/account trial .* has spent already/);
    expect((await ledger.balance(shop, delta)).grant).toBeNull();
    await grant(club, 2);
    await ledger.merge(shop, trial);
    await grant(shop, 2);
  });

  it('cannot make an unprotected run beside the grant of another', async () => {
    await grant(shop, 2);
    const run = { account: trial, jobKey: 'als', method: 'als', why: 'als adds no noise' };
    await expect(ledger.recordUnprotected(run, { told: false })).rejects.toThrow(SharedPeopleError);
    expect((await ledger.recordUnprotected(run, { told: true })).resumed).toBe(false);
  });

  it('are found by their sketches too, where each holds more people than a sketch does', async () => {
    await ledger.addPeople(shop, ids(10_000, 22_000));
    await ledger.addPeople(trial, ids(14_000, 34_000));
    await grant(shop, 2);
    await expect(spend(trial)).rejects.toThrow(SharedPeopleError);
  });

  it('do not matter while they have neither limit nor spends', async () => {
    await grant(shop, 2);
    await spend(shop);
    const found = await ledger.sharedWith(ids(0, 600), shop);
    expect(found.accounts.map(({ account }) => account)).toEqual([trial]);
    expect(found.atStake).toEqual([]);
  });

  it('are not asked about again once they were declared different', async () => {
    await spend(trial);
    expect(await ledger.declareDifferent(shop, trial, 'both number from 1')).toMatchObject({ account: shop });
    expect(await ledger.declareDifferent(trial, shop)).toBeUndefined();
    await ledger.close();
    ledger = await open();
    await grant(shop, 2);
    await spend(shop);
    await spend(trial);
    expect((await ledger.sharedWith(ids(0, 600), shop)).accounts).toEqual([]);
    expect((await ledger.sharedWith(ids(0, 600), trial)).accounts).toEqual([]);
    const { different } = await ledger.balance(trial, delta);
    expect(different).toEqual([{ account: shop, name: 'shop' }]);
    // A third account is still compared with both.
    await expect(spend(club)).resolves.toBeDefined();
    await ledger.addPeople(club, ids(0, 600));
    await expect(spend(club)).rejects.toThrow(SharedPeopleError);
  });

  it('are noticed at a spend also where a tenth of the people is spread over several', async () => {
    const [one, two] = ['1', '2'].map((digit) => digit.repeat(32)) as [string, string];
    await ledger.addPeople(one, [...ids(5000, 5040), ...ids(70_000, 70_600)]);
    await ledger.addPeople(two, [...ids(5040, 5080), ...ids(80_000, 80_600)]);
    await spend(one);
    await spend(two);
    await expect(grant(club, 1)).rejects.toThrow(/less than 1%|7%/);
  });
});

describe('merged accounts', () => {
  it('count what both spent, on either id', async () => {
    await spend(shop, 0.3, 'first');
    await spend(trial, 0.4);
    await ledger.recordUnprotected(
      { account: trial, jobKey: 'als', method: 'als', why: 'als adds no noise' },
      { told: false },
    );
    const entry = await ledger.merge(shop, trial, 'one shop');
    expect(entry).toMatchObject({ account: shop, event: { kind: 'merge', other: trial, note: 'one shop' } });
    expect(await ledger.merge(trial, shop)).toBeUndefined();
    for (const id of [shop, trial]) {
      const balance = await ledger.balance(id, delta);
      expect(balance).toMatchObject({ account: shop, runs: 2, unprotectedRuns: 1 });
      expect(balance.spent[0].epsilon).toBeCloseTo(gaussianEpsilon(0.5, delta), 6);
      expect(balance.merged).toEqual([{ account: trial, name: 'trial' }]);
    }
    await grant(trial, gaussianEpsilon(Math.hypot(0.5, 0.1), delta) + 1e-9);
    expect(await spend(trial, 0.1)).toMatchObject({ resumed: false });
    await expect(spend(shop, 0.1)).rejects.toThrow(BudgetExceededError);
    expect(await spend(shop, 0.3, 'first')).toMatchObject({ resumed: true });
    const accounts = await ledger.accounts();
    expect(accounts.get(trial)).toMatchObject({ name: 'trial', mergedInto: shop, runs: 3 });
    expect((await ledger.recentEntries(trial, 100)).map(({ event }) => event.kind)).toContain('merge');
    await expect(ledger.declareDifferent(shop, trial)).rejects.toThrow(SpendRefusedError);
  });

  it('keep to the stricter grant until a new one is made, and to a stop', async () => {
    await grant(shop, 2);
    await grant(trial, 1);
    await ledger.merge(shop, trial);
    expect(await ledger.balance(shop, delta)).toMatchObject({ grant: { epsilon: 1 }, alsoGranted: [] });
    await grant(shop, 3);
    expect(await ledger.balance(trial, delta)).toMatchObject({ grant: { epsilon: 3 }, alsoGranted: [] });
    await ledger.refuse(club);
    await ledger.merge(shop, club);
    await expect(spend(shop)).rejects.toThrow(SpendRefusedError);
    await expect(spend(club)).rejects.toThrow(SpendRefusedError);
  });

  it('keep to both grants where neither implies the other', async () => {
    await grant(shop, 1.2, { delta: 1e-3 });
    await grant(trial, 1.3, { delta: 1e-9 });
    await ledger.merge(shop, trial);
    expect(await ledger.balance(shop, delta)).toMatchObject({
      grant: { epsilon: 1.2 },
      alsoGranted: [{ epsilon: 1.3, delta: 1e-9 }],
    });
    const mu = 0.25;
    expect(gaussianEpsilon(mu, 1e-3)).toBeLessThan(1.2);
    expect(gaussianEpsilon(mu, 1e-9)).toBeGreaterThan(1.3);
    await expect(spend(shop, mu)).rejects.toMatchObject({ granted: 1.3 });
    const run = { charge: charge(mu), protection };
    expect(await ledger.preview(shop, run, delta)).toMatchObject({ granted: 1.3 });
    const each = await ledger.planRuns(shop, 1);
    expect(each).toBeLessThan(1.2);
    await spend(shop, 0.2);
  });

  it('stay merged through a chain of merges, a checkpoint and a new process', async () => {
    await spend(trial, 0.3);
    await spend(club, 0.4);
    await ledger.merge(trial, club);
    await ledger.merge(shop, trial);
    await ledger.nameAccount(club, 'club');
    await ledger.close();
    ledger = await open();
    expect(await ledger.balance(club, delta)).toMatchObject({ account: shop, runs: 2, name: 'shop' });
    expect((await ledger.accounts()).get(club)).toMatchObject({ name: 'club', mergedInto: shop });
    const head = await ledger.check();
    const key = randomBytes(32);
    const state = stateAfter(emptyState, await ledger.entries());
    expect(checkpointState(key, sealedCheckpoint(key, head, state))).toEqual(state);
  });

  it('are compared with others by the people of both', async () => {
    await ledger.addPeople(shop, ids(0, 100));
    await ledger.addPeople(trial, ids(100, 200));
    await ledger.addPeople(club, ids(150, 250));
    await ledger.merge(shop, trial);
    await grant(shop, 2);
    await expect(spend(club)).rejects.toThrow(/account shop/);
    expect((await ledger.sharedWith(ids(100, 200), shop)).accounts.map(({ account }) => account)).toEqual([
      club,
    ]);
    expect((await ledger.sharedWith(ids(0, 200), trial)).accounts.map(({ account }) => account)).toEqual([
      club,
    ]);
  });
});

describe('what an account says of itself', () => {
  it('is what was granted and spent, rounded up, in a certificate', async () => {
    await spend(shop, 0.3);
    expect(await ledger.statement(shop, protection, delta)).toEqual({
      granted: null,
      spent: { epsilon: expect.any(Number), delta },
    });
    await grant(shop, 2, { delta: 1e-6, period: 'year' });
    await ledger.recordUnprotected(
      { account: shop, jobKey: 'als', method: 'als', why: 'als adds no noise' },
      { told: true },
    );
    const { spent, ...rest } = await ledger.statement(shop, protection, delta);
    expect(rest).toEqual({ granted: { epsilon: 2, delta: 1e-6, period: 'year' }, unprotectedRuns: 1 });
    expect(spent.delta).toBe(1e-6);
    expect(spent.epsilon).toBeGreaterThanOrEqual(gaussianEpsilon(0.3, 1e-6));
    expect(spent.epsilon).toBeLessThan(gaussianEpsilon(0.3, 1e-6) + 1e-3);
  });

  it('counts in a certificate the runs for people against ratings, and names those that protect less', async () => {
    const ratings = { unit: 'rating-presence', relation: 'add-remove' } as const;
    const ofRating = { account: shop, jobKey: 'r', method: 'private-als', protection: ratings };
    await spend(shop, 0.2);
    await ledger.spend({ ...ofRating, charge: charge(0.3) });
    const forPeople = await ledger.statement(shop, protection, delta);
    expect(forPeople.unprotectedRuns).toBe(1);
    expect(forPeople.spent.epsilon).toBeCloseTo(gaussianEpsilon(0.2, delta), 3);
    // A person who changes one rating is taken out and put in: twice the cost.
    const forRatings = await ledger.statement(shop, ratings, delta);
    expect(forRatings).not.toHaveProperty('unprotectedRuns');
    expect(forRatings.spent.epsilon).toBeCloseTo(gaussianEpsilon(0.5, delta), 3);
    await grant(shop, 2);
    expect(await ledger.statement(shop, ratings, delta)).toMatchObject({
      ...{ granted: { epsilon: 2 }, unprotectedRuns: 1 },
      spent: { epsilon: forPeople.spent.epsilon },
    });
  });

  it('names the clock where one that was ahead keeps a period from ending', async () => {
    time = new Date('2026-03-01T00:00:00Z');
    await grant(shop, 1, { period: 'month' });
    time = new Date('2099-03-01T00:00:00Z');
    await spend(shop, 0.2);
    time = new Date('2026-05-01T00:00:00Z');
    await expect(spend(shop, 0.2)).rejects.toThrow(
      /dated 2099-03-01T.* clock of this machine says 2026-05-01T/,
    );
    expect((await ledger.balance(shop, delta)).clock).toMatchObject({ now: '2026-05-01T00:00:00.000Z' });
    time = new Date('2099-03-02T00:00:00Z');
    await expect(spend(shop, 0.2)).rejects.not.toThrow(/clock/);
    expect((await ledger.balance(shop, delta)).clock).toBeNull();
  });
});
