import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { gaussianAccountant } from './example-accountant.test.data.js';
import { periodAt } from './grant-period.js';
import { BudgetExceededError } from './ledger-errors.js';
import { openLedger } from './open-ledger.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-period-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('periods of a grant', () => {
  it.each([
    ['2026-03-10', 'year', '2026-03-10', '2025-03-10', '2027-03-10'],
    ['2026-03-10', 'year', '2027-03-09', '2025-03-10', '2027-03-10'],
    ['2026-03-10', 'year', '2027-03-10', '2027-03-10', '2028-03-10'],
    ['2026-01-31', 'month', '2026-03-01', '2026-02-28', '2026-03-31'],
    ['2026-01-31', 'quarter', '2026-12-24', '2026-10-31', '2027-01-31'],
    ['2026-12-28', 'week', '2027-01-05', '2027-01-04', '2027-01-11'],
    ['2024-02-29', 'year', '2025-02-28', '2025-02-28', '2026-02-28'],
  ] as const)('granted %s per %s, on %s: from %s until %s', (granted, period, now, from, until) => {
    expect(periodAt(`${granted}T12:00:00.000Z`, period, `${now}T08:00:00.000Z`)).toEqual({ from, until });
  });

  it('start anew, count what was spent shortly before the grant, and ignore a clock that was set back', async () => {
    let now = new Date('2026-01-05T00:00:00Z');
    const ledger = await openLedger(join(folder, 'ledger.sqlite'), {
      accountant: gaussianAccountant,
      create: true,
      now: () => now,
    });
    const account = 'a'.repeat(32);
    const protection = { unit: 'user', relation: 'add-remove' } as const;
    const spend = (jobKey: string) =>
      ledger.spend({
        account,
        jobKey,
        method: 'm',
        protection,
        charge: { kind: 'event', event: { kind: 'gaussian', sensitivity: 1, noise: 3.7306317 } },
      });
    const grant = { epsilon: 1.05, delta: 1e-5, protection, period: 'year' } as const;
    await spend('before');
    now = new Date('2026-06-01T00:00:00Z');
    await ledger.grant(account, grant);
    await expect(spend('still counted')).rejects.toThrow(BudgetExceededError);
    now = new Date('2027-06-01T00:00:00Z');
    await spend('a year later');
    await expect(spend('twice')).rejects.toThrow(/ε = 1.05 a year/);
    // Granting the same again gives nothing back.
    await ledger.grant(account, grant);
    await expect(spend('granted again')).rejects.toThrow(BudgetExceededError);
    now = new Date('2020-01-01T00:00:00Z');
    await expect(spend('clock set back')).rejects.toThrow(BudgetExceededError);
    const balance = await ledger.balance(account, 1e-5);
    expect(balance.period).toEqual({ from: '2026-06-01', until: '2028-06-01' });
    expect(balance.spent[0].epsilon).toBeCloseTo(1, 5);
    expect(balance.spentEver[0].epsilon).toBeGreaterThan(1.4);
    // Nor does it matter that a single entry came before the clock was set back.
    now = new Date('2029-06-01T00:00:00Z');
    await spend('the period after the next');
    now = new Date('2020-01-01T00:00:00Z');
    expect((await ledger.balance(account, 1e-5)).period).toEqual({ from: '2029-06-01', until: '2030-06-01' });
    expect((await ledger.grant(account, grant)).at).toBe('2029-06-01T00:00:00.000Z');
    await ledger.close();
  });
});
