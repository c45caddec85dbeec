import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gaussianAccountant } from './example-accountant.test.data.js';
import { filledAccount, fillLedger } from './filled-ledger.test.data.js';
import { BudgetExceededError, LedgerCorruptError } from './ledger-errors.js';
import { openLedger } from './open-ledger.js';

/** `HUSHREC_ENTRIES=100000 npx vitest run packages/ledger/src/long-ledger.test.ts` is the full trial. */
const long = Number(process.env['HUSHREC_ENTRIES'] ?? 8_000);
const short = 800;
const protection = { unit: 'user', relation: 'add-remove' } as const;
const spend = (jobKey: string, noise = 1000) => ({
  account: filledAccount,
  jobKey,
  method: 'dpals',
  protection,
  charge: { kind: 'event', event: { kind: 'gaussian', sensitivity: 1, noise } } as const,
});

let folder: string;
const file = (entries: number) => join(folder, `${entries}.sqlite`);
const open = (entries: number) => openLedger(file(entries), { accountant: gaussianAccountant });
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hushrec-long-ledger-'));
  for (const entries of [short, long]) await fillLedger(file(entries), entries);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** CPU milliseconds of opening a ledger and deciding, the least of several: what else runs here only adds. */
async function costOfDecision(entries: number): Promise<number> {
  let least = Infinity;
  for (let run = 0; run < 7; run++) {
    const before = process.cpuUsage();
    const ledger = await open(entries);
    await ledger.spend(spend(`run ${run}`));
    const { user, system } = process.cpuUsage(before);
    await ledger.close();
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

describe(`a ledger of ${long} entries`, () => {
  it('decides as fast as a short one, and within 100 ms', async () => {
    const [atShort, atLong] = [await costOfDecision(short), await costOfDecision(long)];
    expect(atLong).toBeLessThan(100);
    expect(atLong).toBeLessThan(4 * atShort + 10);
  });

  it('adds up what is before its checkpoints', async () => {
    const ledger = await open(long);
    const state = (await ledger.accounts()).get(filledAccount)!;
    const entries = await ledger.entries();
    const spends = entries.filter(({ event }) => event.kind === 'spend');
    expect(state.runs).toBe(spends.length);
    expect(state.spends.reduce((sum, { count }) => sum + count, 0)).toBe(spends.length);
    const { spent } = await ledger.balance(filledAccount, 1e-5);
    const exact = gaussianAccountant(
      {
        kind: 'composed',
        events: spends.map(({ event }) => {
          if (event.kind !== 'spend' || event.charge.kind !== 'event') throw new Error('unexpected');
          return event.charge.event;
        }),
      },
      1e-5,
    );
    expect(spent[0].epsilon).toBeCloseTo(exact.epsilon, 9);
    await expect(ledger.spend(spend('too much', 0.2))).rejects.toThrow(BudgetExceededError);
    expect(await ledger.spend(spend('job 5', 1005))).toMatchObject({ number: 5, resumed: true });
    await ledger.check();
    await ledger.close();
  });

  it('does without a checkpoint that was tampered with, and notices an old entry that was when it checks all', async () => {
    const database = new Database(file(short));
    database.exec(
      "UPDATE ledger_checkpoint SET state = CAST(replace(CAST(state AS TEXT), '1001', '9001') AS BLOB)",
    );
    database.close();
    const ledger = await open(short);
    const { spent } = await ledger.balance(filledAccount, 1e-5);
    await ledger.entries();
    expect(spent[0].epsilon).toBeGreaterThan(0);
    const behind = new Database(file(short));
    behind.exec(
      `DROP TRIGGER entries_stay_as_they_are; UPDATE ledger_entry SET content = CAST(replace(CAST(content AS TEXT), '1001', '9001') AS BLOB) WHERE number = 8`,
    );
    behind.close();
    await expect(ledger.check()).rejects.toThrow(LedgerCorruptError);
    await expect(ledger.spend(spend('after'))).rejects.toMatchObject({ entry: 8 });
    await ledger.close();
  });
});
