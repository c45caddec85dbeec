import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { delta as checkedDelta, gaussianEpsilon, PrivacyParameterError } from '@hushrec/privacy';
import { startPostgres, type TestPostgres, whyNoPostgres } from '@hushrec/testing';
import Database from 'libsql';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gaussianAccountant } from './example-accountant.test.data.js';
import type { Ledger } from './ledger.js';
import {
  BudgetExceededError,
  LedgerCorruptError,
  LedgerLockedError,
  LedgerMissingError,
  LedgerUnavailableError,
  SpendRefusedError,
  UnprotectedRunError,
} from './ledger-errors.js';
import type { SpendRequest } from './ledger-requests.js';
import { defaultLedgerLocation, openLedger } from './open-ledger.js';
import { withoutPassword } from './postgres-store.js';
import { costOf } from './run-cost.js';

const account = 'a'.repeat(32);
const user = { unit: 'user', relation: 'add-remove' } as const;
const delta = 1e-5;
/** One Gaussian release with σ = 3.7306316 Δ: ε = 1 at δ = 1e-5. */
const unitCost = { kind: 'gaussian', sensitivity: 1, noise: 3.7306317 } as const;
const request = (jobKey: string, more: Partial<SpendRequest> = {}): SpendRequest => ({
  account,
  jobKey,
  method: 'dpals',
  protection: user,
  charge: { kind: 'event', event: unitCost },
  ...more,
});

interface Harness {
  open(patience?: number): Promise<Ledger>;
  /** Bytes, as SQL. */
  bytes(hex: string): string;
  /** Replaces text in the content of an entry, as SQL. */
  edit(number: number, from: string, to: string): string;
  /** Runs SQL behind the ledger's back. */
  attempt(sql: string): Promise<void>;
  /** The same, after switching off the guard against it. */
  tamper(sql: string): Promise<void>;
  /** Holds the write lock until the returned function is called. */
  occupy(): Promise<() => Promise<void>>;
  destroy(): Promise<void>;
}

let folder: string;
let server: TestPostgres | undefined;
let databases = 0;
const noPostgres = whyNoPostgres();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hushrec-ledger-'));
  if (noPostgres === undefined) server = await startPostgres();
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function sqliteHarness(): Promise<Harness> {
  const file = join(folder, `ledger-${databases++}.sqlite`);
  const attempt = async (sql: string) => {
    const database = new Database(file);
    try {
      database.exec(sql);
    } finally {
      database.close();
    }
  };
  return {
    open: (patience = 5000) => openLedger(file, { accountant: gaussianAccountant, patience, create: true }),
    bytes: (hex) => `x'${hex}'`,
    edit: (number, from, to) =>
      `UPDATE ledger_entry SET content = CAST(replace(CAST(content AS TEXT), '${from}', '${to}') AS BLOB) WHERE number = ${number}`,
    attempt,
    tamper: (sql) => attempt(`DROP TRIGGER entries_stay_as_they_are; DROP TRIGGER entries_stay; ${sql}`),
    async occupy() {
      const database = new Database(file);
      database.exec('BEGIN IMMEDIATE');
      return async () => {
        database.exec('ROLLBACK');
        database.close();
      };
    },
    async destroy() {},
  };
}

async function postgresHarness(): Promise<Harness> {
  const name = `ledger_${process.pid}_${databases++}`;
  const run = async (url: string, ...statements: string[]) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      for (const sql of statements) await client.query(sql);
    } finally {
      await client.end();
    }
  };
  await run(server!.url, `CREATE DATABASE ${name}`);
  const address = new URL(server!.url);
  address.pathname = `/${name}`;
  return {
    open: (patience = 5000) =>
      openLedger(address.href, { accountant: gaussianAccountant, patience, create: true }),
    bytes: (hex) => `'\\x${hex}'::bytea`,
    edit: (number, from, to) =>
      `UPDATE ledger_entry SET content = convert_to(replace(convert_from(content, 'UTF8'), '${from}', '${to}'), 'UTF8') WHERE number = ${number}`,
    attempt: (sql) => run(address.href, sql.replaceAll('ledger_', 'hushrec_ledger_')),
    tamper: (sql) =>
      run(
        address.href,
        'DROP TRIGGER hushrec_ledger_entries_stay ON hushrec_ledger_entry',
        sql.replaceAll('ledger_', 'hushrec_ledger_'),
      ),
    async occupy() {
      const client = new pg.Client({ connectionString: address.href });
      await client.connect();
      await client.query('BEGIN');
      await client.query('SELECT pg_advisory_xact_lock($1)', [0x68757368]);
      return () => client.end();
    },
    destroy: () => run(server!.url, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

const stores = [
  { store: 'SQLite', harness: sqliteHarness, skip: undefined },
  { store: 'PostgreSQL', harness: postgresHarness, skip: noPostgres },
];

describe.each(stores)('the ledger in $store', ({ harness, skip }) => {
  if (skip !== undefined) {
    it.skip(`is tested with a server: ${skip}`);
    return;
  }
  let here: Harness;
  let ledger: Ledger;
  beforeEach(async () => {
    here = await harness();
    ledger = await here.open();
  });
  afterEach(async () => {
    await ledger.close();
    await here.destroy();
  });

  it('records spends where nobody set a limit', async () => {
    for (const key of ['a', 'b', 'c', 'd']) await ledger.spend(request(key));
    const balance = await ledger.balance(account, delta);
    expect(balance).toMatchObject({ grant: null, refused: false, runs: 4, unfinishedRuns: 4 });
    // Four equal Gaussian releases cost what one with half the noise does, not four times ε.
    expect(balance.spent[0].epsilon).toBeCloseTo(gaussianEpsilon(2 / 3.7306317, delta), 9);
    expect(balance.spent[0].epsilon).toBeLessThan(2.3);
  });

  it('previews a run beside those that protect the same, or against the grant', async () => {
    const run = { charge: { kind: 'event', event: unitCost }, protection: user } as const;
    await ledger.spend(request('a', { protection: { unit: 'rating-value', relation: 'replace' } }));
    await ledger.spend(request('b'));
    const open = await ledger.preview(account, run, delta);
    expect(open.granted).toBeNull();
    expect(open.spent).toBeCloseTo(1, 6);
    expect(open.after).toBeCloseTo(gaussianEpsilon(Math.SQRT2 / 3.7306317, delta), 9);
    await ledger.grant(account, { epsilon: 9, delta, protection: user });
    expect(await ledger.preview(account, run, delta)).toEqual({
      granted: 9,
      spent: Infinity,
      after: Infinity,
    });
  });

  it('allows what fits in the grant, and not one run more', async () => {
    await ledger.grant(account, { epsilon: 2.3, delta, protection: user });
    for (const key of ['a', 'b', 'c', 'd']) await ledger.spend(request(key));
    await expect(ledger.spend(request('e'))).rejects.toThrow(BudgetExceededError);
    expect((await ledger.balance(account, delta)).runs).toBe(4);
    expect(await ledger.entries()).toHaveLength(5);
    await ledger.grant(account, { epsilon: 3, delta, protection: user });
    await ledger.spend(request('e'));
  });

  it('knows the entries that certificates name, and misses those that are gone', async () => {
    const { entry } = await ledger.spend(request('a'));
    await ledger.expectEntry(entry);
    await expect(ledger.expectEntry('0'.repeat(64))).rejects.toThrow(LedgerCorruptError);
  });

  it('knows what content a run was trained on, where one was named', async () => {
    const first = await ledger.spend(request('one', { snapshot: 'monday' }));
    const second = await ledger.spend(request('two'));
    expect(await ledger.wasTrainedOn(first.entry, 'monday')).toBe(true);
    expect(await ledger.wasTrainedOn(first.entry, 'tuesday')).toBe(false);
    expect(await ledger.wasTrainedOn(second.entry, 'monday')).toBeUndefined();
    expect(await ledger.wasTrainedOn('0'.repeat(64), 'monday')).toBeUndefined();
  });

  it('keeps accounts apart', async () => {
    await ledger.grant(account, { epsilon: 1, delta, protection: user });
    await ledger.spend(request('a'));
    await expect(ledger.spend(request('b'))).rejects.toThrow(BudgetExceededError);
    await ledger.spend(request('b', { account: 'b'.repeat(32) }));
  });

  it('does not charge a resumed job again, and refuses one that changed', async () => {
    await ledger.grant(account, { epsilon: 1, delta, protection: user });
    const first = await ledger.spend(request('a'));
    expect(first.resumed).toBe(false);
    expect(await ledger.spend(request('a'))).toEqual({ ...first, resumed: true });
    const cheaper = { kind: 'event', event: { ...unitCost, noise: 100 } } as const;
    await expect(ledger.spend(request('a', { charge: cheaper }))).rejects.toThrow(SpendRefusedError);
    expect((await ledger.balance(account, delta)).runs).toBe(1);
  });

  it('counts an unfinished run like a finished one', async () => {
    const receipt = await ledger.spend(request('a'));
    const before = await ledger.balance(account, delta);
    await ledger.complete(account, receipt);
    await ledger.complete(account, receipt);
    const after = await ledger.balance(account, delta);
    expect([before.unfinishedRuns, after.unfinishedRuns]).toEqual([1, 0]);
    expect(after.spent).toEqual(before.spent);
    expect(await ledger.entries()).toHaveLength(2);
  });

  it('spends nothing after a refusal, until another grant', async () => {
    await ledger.refuse(account, 'subject access request under way');
    await expect(ledger.spend(request('a'))).rejects.toThrow(SpendRefusedError);
    await ledger.grant(account, { epsilon: 1, delta, protection: user });
    await ledger.spend(request('a'));
  });

  it('refuses a rating-level run where whole persons were promised protection', async () => {
    await ledger.grant(account, { epsilon: 100, delta, protection: user });
    const rating = { unit: 'rating-presence', relation: 'add-remove' } as const;
    await expect(ledger.spend(request('a', { protection: rating }))).rejects.toThrow(UnprotectedRunError);
  });

  it('refuses a run without any guarantee under a grant, and writes it down where someone says so', async () => {
    const run = { account, jobKey: 'a', method: 'als', why: 'als adds no noise' };
    // Without a grant nothing is refused, but it leaves a trace.
    await ledger.recordUnprotected({ ...run, jobKey: 'before' }, { told: false });
    expect(await ledger.balance(account, delta)).toMatchObject({ runs: 0, unprotectedRuns: 1 });
    await ledger.grant(account, { epsilon: 1, delta, protection: user });
    await expect(ledger.recordUnprotected(run, { told: false })).rejects.toThrow(UnprotectedRunError);
    expect(await ledger.entries()).toHaveLength(2);
    const receipt = await ledger.recordUnprotected(run, { told: true });
    expect(await ledger.recordUnprotected(run, { told: true })).toEqual({ ...receipt, resumed: true });
    expect(await ledger.balance(account, delta)).toMatchObject({ runs: 0, unprotectedRuns: 2 });
    await ledger.refuse(account);
    for (const told of [true, false])
      await expect(ledger.recordUnprotected({ ...run, jobKey: 'b' }, { told })).rejects.toThrow(
        /Spending|budget/,
      );
    expect((await ledger.balance(account, delta)).unprotectedRuns).toBe(2);
  });

  it('writes nothing that later sums could not read, whatever a program without types hands in', async () => {
    const unit = { unit: 'people', relation: 'add-remove' };
    const grants: object[] = [
      { protection: unit },
      { protection: undefined },
      { period: 'monthly' },
      { note: 5 },
    ];
    for (const given of grants) {
      const asked = { epsilon: 1, delta, protection: user, ...given };
      await expect(ledger.grant(account, asked)).rejects.toThrow(
        /cannot be written to a ledger: \S+ of the grant/,
      );
    }
    const event = (given: object) => ({ charge: { kind: 'event', event: { ...unitCost, ...given } } });
    const spends: object[] = [
      ...[
        event({ kind: 'gauss' }),
        event({ noise: '1' }),
        event({ noise: Number.NaN }),
        event({ kind: 'repeated' }),
      ],
      ...[{ charge: { kind: 'guarantee', epsilon: 1, delta: 2, because: '' } }, { charge: undefined }],
      ...[{ protection: unit }, { method: 5 }, { note: {} }],
    ];
    for (const given of spends)
      await expect(ledger.spend(request('a', given))).rejects.toThrow(
        /cannot be written to a ledger: .* of the spend/,
      );
    expect(await ledger.entries()).toEqual([]);
  });

  it('says that a rating-level run of earlier used up a grant for persons', async () => {
    await ledger.spend(request('a', { protection: { unit: 'rating-value', relation: 'replace' } }));
    await ledger.grant(account, { epsilon: 100, delta, protection: user });
    await expect(ledger.spend(request('b'))).rejects.toThrow(/unbounded/);
    expect((await ledger.balance(account, delta)).spent[0].epsilon).toBe(Infinity);
  });

  it('charges tuning: K runs as K runs, a plain guarantee by adding', async () => {
    await ledger.grant(account, { epsilon: 2.3, delta, protection: user });
    const five = costOf({ base: unitCost, tuning: { kind: 'every-run', runs: 5 } });
    await expect(ledger.spend(request('a', { charge: five }))).rejects.toThrow(BudgetExceededError);
    const four = costOf({ base: unitCost, tuning: { kind: 'every-run', runs: 4 } });
    await ledger.spend(request('b', { charge: four }));
    const tuned = { kind: 'guarantee', epsilon: 0.5, delta: delta / 2, because: 'random stopping' } as const;
    const together = 0.5 + gaussianEpsilon(2 / 3.7306317, delta / 2);
    await ledger.grant(account, { epsilon: together - 1e-9, delta, protection: user });
    await expect(ledger.spend(request('c', { charge: tuned }))).rejects.toThrow(BudgetExceededError);
    await ledger.grant(account, { epsilon: together, delta, protection: user });
    await ledger.spend(request('c', { charge: tuned }));
    // A third of the kind would need more δ than there is, however large ε.
    await ledger.grant(account, { epsilon: 100, delta: 0.9 * delta, protection: user });
    await expect(ledger.spend(request('d', { charge: tuned }))).rejects.toThrow(BudgetExceededError);
  });

  it('is still there after closing', async () => {
    await ledger.grant(account, { epsilon: 1, delta, protection: user });
    await ledger.spend(request('a'));
    const before = await ledger.entries();
    await ledger.close();
    ledger = await here.open();
    expect(await ledger.entries()).toEqual(before);
  });

  it('serialises spends that are asked for at once, also over two connections', async () => {
    await ledger.grant(account, { epsilon: 2.3, delta, protection: user });
    const second = await here.open();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? ledger : second).spend(request(`job ${at}`))),
    );
    await second.close();
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(BudgetExceededError);
  });

  it('says when another process holds it, and writes nothing', async () => {
    const release = await here.occupy();
    try {
      const impatient = here
        .open(150)
        .then((other) => other.spend(request('a')).finally(() => other.close()));
      await expect(impatient).rejects.toThrow(LedgerLockedError);
    } finally {
      await release();
    }
    expect(await ledger.entries()).toHaveLength(0);
  });

  it('reads while another process writes, and writes nothing beside it', async () => {
    await ledger.spend(request('a'));
    const other = await here.open(150);
    const release = await here.occupy();
    try {
      expect((await other.balance(account, delta)).runs).toBe(1);
      await expect(other.addPeople(account, ['someone'])).rejects.toThrow(LedgerLockedError);
      expect(await other.knowsPeople(account)).toBe(false);
    } finally {
      await release();
    }
    await other.addPeople(account, ['someone']);
    expect(await ledger.knowsPeople(account)).toBe(true);
    await other.close();
  });

  describe('after someone went behind its back', () => {
    beforeEach(async () => {
      await ledger.grant(account, { epsilon: 2.3, delta, protection: user });
      for (const key of ['a', 'b', 'c', 'd']) await ledger.spend(request(key));
    });

    const zeros = '0'.repeat(64);
    it.each<[string, (edit: Harness['edit'], bytes: (hex: string) => string) => string, number]>([
      ['a grant raised', (edit) => edit(1, '2.3', '9.3'), 1],
      ['a spend made cheaper', (edit) => edit(3, '3.73', '9.73'), 3],
      ['a spend moved to other people', (edit) => edit(2, account, 'f'.repeat(32)), 2],
      ['a date changed', (edit) => edit(5, '"at":"2', '"at":"1'), 5],
      ['a hash changed', (_, bytes) => `UPDATE ledger_entry SET hash = ${bytes(zeros)} WHERE number = 2`, 2],
      [
        'unreadable content',
        (_, bytes) => `UPDATE ledger_entry SET content = ${bytes('ff00')} WHERE number = 4`,
        4,
      ],
      ['a row deleted', () => 'DELETE FROM ledger_entry WHERE number = 3', 3],
      ['the first row deleted', () => 'DELETE FROM ledger_entry WHERE number = 1', 1],
      ['the last row deleted', () => 'DELETE FROM ledger_entry WHERE number = 5', 5],
      ['all rows deleted', () => 'DELETE FROM ledger_entry', 1],
      ['the head set back', () => 'UPDATE ledger_head SET number = 4', 6],
    ])('notices %s', async (_what, sql, entry) => {
      await here.tamper(sql(here.edit, here.bytes));
      for (const attempt of [ledger.entries(), ledger.spend(request('x')), ledger.refuse(account)]) {
        await expect(attempt).rejects.toThrow(LedgerCorruptError);
        await expect(attempt).rejects.toMatchObject({ entry });
      }
    });

    it.each(['DELETE FROM ledger_entry', 'UPDATE ledger_entry SET spend = NULL'])(
      'would have needed to switch off the guard against: %s',
      async (sql) => {
        await expect(here.attempt(sql)).rejects.toThrow(/append-only/);
        expect(await ledger.entries()).toHaveLength(5);
      },
    );
  });
});

describe('where a ledger lives', () => {
  it('is one file for all accounts of a user of the machine', () => {
    if (process.platform === 'win32') return;
    expect(defaultLedgerLocation({ XDG_STATE_HOME: '/state' })).toBe('/state/hushrec/ledger.sqlite');
    expect(defaultLedgerLocation({ XDG_STATE_HOME: 'state' })).toBe(
      join(homedir(), '.local/state/hushrec/ledger.sqlite'),
    );
  });

  it('is not made in silence where a name was mistyped', async () => {
    const file = join(folder, 'ledgre.sqlite');
    await expect(openLedger(file)).rejects.toThrow(LedgerMissingError);
    expect(existsSync(file)).toBe(false);
  });

  it('says what is wrong with a place that cannot be used', async () => {
    await expect(
      openLedger('/dev/null/x.sqlite', { accountant: gaussianAccountant, create: true }),
    ).rejects.toThrow(LedgerUnavailableError);
    await expect(
      openLedger('postgres://nobody:secret@127.0.0.1:1/x', {
        accountant: gaussianAccountant,
        patience: 500,
        create: true,
      }),
    ).rejects.toThrow(LedgerUnavailableError);
  });

  it('does not mistake another file for a ledger', async () => {
    const file = join(folder, 'notes.txt');
    writeFileSync(file, 'These are my notes, and there are enough of them to fill a page.\n'.repeat(100));
    await expect(openLedger(file)).rejects.toThrow(LedgerCorruptError);
    expect(readFileSync(file, 'utf8')).toMatch(/^These are my notes/);
  });

  it('refuses totals that are none', async () => {
    const ledger = await openLedger(join(folder, 'totals.sqlite'), { create: true });
    for (const [epsilon, total] of [
      [Number.NaN, 1e-5],
      [-1, 1e-5],
      [Infinity, 1e-5],
      [1, 1],
      [1, 0.011],
      ['5' as unknown as number, 1e-5],
      [1, '1e-5' as unknown as number],
    ] as const)
      expect(() => ledger.grant(account, { epsilon, delta: total, protection: user })).toThrow(
        PrivacyParameterError,
      );
    // At a δ of 0.9 every run would cost nothing.
    expect(() => ledger.grant(account, { epsilon: 1e-6, delta: 0.9, protection: user })).toThrow(/exchanged/);
    expect(() =>
      // @ts-expect-error: a δ where an ε belongs
      ledger.grant(account, { epsilon: checkedDelta(1e-6), delta: 0.9, protection: user }),
    ).toThrow(PrivacyParameterError);
    await ledger.close();
  });

  it('never shows a password', () => {
    expect(withoutPassword('postgres://me:secret@host:5432/db?password=also')).toBe(
      'postgres://me@host:5432/db',
    );
  });
});
