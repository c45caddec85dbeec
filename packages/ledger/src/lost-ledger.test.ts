import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { gaussianAccountant } from './example-accountant.test.data.js';
import { LedgerCorruptError, LedgerFormatError, LedgerLostError } from './ledger-errors.js';
import { markFile, readMark } from './ledger-mark.js';
import { openLedger } from './open-ledger.js';

const root = mkdtempSync(join(tmpdir(), 'hushrec-lost-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const account = 'a'.repeat(32);
const grant = { epsilon: 1, delta: 1e-5, protection: { unit: 'user', relation: 'add-remove' } } as const;
let folder: string;
let file: string;
const open = (more: object = {}) =>
  openLedger(file, { accountant: gaussianAccountant, create: true, markIn: folder, ...more });
let tries = 0;
beforeEach(async () => {
  folder = join(root, `data-${tries++}`);
  mkdirSync(folder);
  file = `${folder}.sqlite`;
  const ledger = await open();
  await ledger.grant(account, grant);
  copyFileSync(file, `${file}.older`);
  await ledger.refuse(account);
  await ledger.close();
});

describe('a ledger that was there', () => {
  it.each([
    ['is gone', () => rmSync(file), LedgerLostError],
    ['is empty', () => writeFileSync(file, ''), LedgerCorruptError],
    ['is an older copy', () => copyFileSync(`${file}.older`, file), LedgerLostError],
    ['left a mark that is damaged', () => writeFileSync(join(folder, markFile), '{'), LedgerLostError],
  ])('is missed when it %s', async (_what, happen, error) => {
    happen();
    await expect(open()).rejects.toThrow(error);
  });

  it('is missed when a fresh one has as many entries', async () => {
    rmSync(file);
    const other = await open({ markIn: undefined });
    for (let entry = 0; entry < 5; entry++) await other.grant(account, grant);
    await other.close();
    await expect(open()).rejects.toThrow(/entry 2 is not the one/);
  });

  it('is known again by a copy of the data set, also when the ledger went on', async () => {
    const copy = `${folder}-copy`;
    cpSync(folder, copy, { recursive: true });
    const ledger = await open();
    await ledger.grant(account, grant);
    await ledger.close();
    await (await open({ markIn: copy })).close();
  });

  it('is given up only when someone says what happened, which is written down', async () => {
    rmSync(file);
    const mark = (await readMark(folder))!;
    const ledger = await open({ acceptingLoss: true });
    await ledger.acceptLoss(account, mark, 'disk failed on 3 May');
    await ledger.close();
    const after = await open();
    expect((await after.entries())[0].event).toEqual({
      kind: 'loss',
      lost: { number: 2, hash: mark.hash },
      note: 'disk failed on 3 May',
    });
    expect((await after.balance(account, 1e-5)).losses).toBe(1);
    await after.close();
  });

  it('keeps nothing that tells what was trained on', async () => {
    const ledger = await open();
    const snapshot = 'f00d'.repeat(16);
    const protection = grant.protection;
    await ledger.grant(account, grant);
    const receipt = await ledger.spend({
      account,
      jobKey: 'beef'.repeat(16),
      snapshot,
      method: 'm',
      protection,
      charge: { kind: 'event', event: { kind: 'gaussian', sensitivity: 1, noise: 100 } },
    });
    expect(receipt.resumed).toBe(false);
    await ledger.addPeople(account, ['ada@mail.invalid']);
    await ledger.close();
    const bytes = readFileSync(file);
    for (const secret of [snapshot, 'beef'.repeat(16)]) {
      expect(bytes.includes(secret)).toBe(false);
      expect(bytes.includes(Buffer.from(secret, 'hex'))).toBe(false);
    }
    expect(bytes.includes('ada@mail.invalid')).toBe(false);
  });
});

describe('a ledger of an earlier version', () => {
  it('is refused and left as it is', async () => {
    const { default: Database } = await import('libsql');
    const old = join(root, 'old.sqlite');
    const database = new Database(old);
    database.exec('CREATE TABLE ledger_entry (number INTEGER PRIMARY KEY, dataset TEXT)');
    database.close();
    const before = readFileSync(old);
    await expect(openLedger(old, { create: true })).rejects.toThrow(LedgerFormatError);
    expect(readFileSync(old).equals(before)).toBe(true);
  });
});

describe('entries', () => {
  it('do not depend on data: same clock and names give the same hashes whatever was trained on', async () => {
    const hashes: string[] = [];
    for (const snapshot of ['1', '2']) {
      const location = join(root, `same-${snapshot}.sqlite`);
      copyFileSync(`${file}.older`, location);
      const ledger = await openLedger(location, {
        accountant: gaussianAccountant,
        now: () => new Date('2030-01-01'),
        randomName: () => 'c'.repeat(32),
      });
      const { entry } = await ledger.spend({
        account,
        jobKey: `job of ${snapshot}`,
        snapshot: snapshot.repeat(64),
        method: 'm',
        protection: grant.protection,
        charge: { kind: 'event', event: { kind: 'gaussian', sensitivity: 1, noise: 100 } },
      });
      hashes.push(entry);
      await ledger.close();
    }
    expect(hashes[0]).toBe(hashes[1]);
  });
});
