import { existsSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ledger, LedgerUnavailableError, openLedger } from '@hushrec/ledger';
import { startPostgres, type TestPostgres, whyNoPostgres } from '@hushrec/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { exitCodes } from './exit-codes.js';
import { importRatings } from './library/import-ratings.js';
import { runCommand, trainDpals } from './run-command.test.data.js';
import { hushrec, started } from './started-command.test.data.js';

const noPostgres = whyNoPostgres();
let folder: string;
let server: TestPostgres | undefined;
let location: string;
let ledgers = 0;
const before = process.cwd();

beforeAll(async () => {
  if (noPostgres === undefined) server = await startPostgres();
});
afterAll(() => server?.stop());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hushrec-same-people-'));
  process.chdir(folder);
  location = join(folder, 'ledger.sqlite');
});
afterEach(() => {
  vi.restoreAllMocks();
  process.chdir(before);
  rmSync(folder, { recursive: true, force: true });
});

/** Ten ratings each of people `from` to `to`. */
function save(name: string, from: number, to: number, ...more: string[]): string {
  const rows = Array.from({ length: (to - from) * 10 }, (_, row) => {
    const person = from + (row % (to - from));
    return `ann${person},book-${(row * 7 + person) % 20},${1 + (row % 5)}`;
  });
  writeFileSync(name, `user,item,rating\n${[...rows, ...more].join('\n')}\n`);
  return name;
}
const run = (...args: string[]) => runCommand(...args, '--ledger', location);
const done = async (...args: string[]) => {
  const ran = await run(...args);
  expect(ran.code, ran.errors).toBe(0);
  return ran;
};
const refused = async (...args: string[]) => {
  const ran = await run(...args);
  expect(ran.code, ran.errors).toBe(exitCodes.privacyRefused);
  return ran.errors;
};
const imported = (file: string, to: string, ...flags: string[]) => [
  ...['import', file, to, '--scale', '1:5:1', '--new-ledger'],
  ...flags,
];
const granted = (name: string, epsilon: number) => [
  ...['ledger', 'grant', name, '--epsilon', String(epsilon), '--delta', '1e-6'],
];
const trained = (data: string, out: string, epsilon = 1) =>
  trainDpals(data, epsilon, 1e-6, out, '--ledger', location);
const shown = async (name: string) => (await done('ledger', 'show', name, '--json')).json;
const accountOf = (data: string) => JSON.parse(readFileSync(join(data, 'dataset.json'), 'utf8')).account;

const stores = [
  { store: 'SQLite', place: () => join(folder, 'ledger.sqlite'), skip: undefined },
  {
    store: 'PostgreSQL',
    place: () => {
      const address = new URL(server!.url);
      address.pathname = `/same_people_${process.pid}_${ledgers++}`;
      return address.href;
    },
    skip: noPostgres,
  },
];

describe.each(stores)('the same people in two accounts, ledger in $store', ({ place, skip }) => {
  beforeEach(async () => {
    if (skip !== undefined) return;
    location = place();
    if (!location.startsWith('postgres')) return;
    const { default: pg } = await import('pg');
    const client = new pg.Client({ connectionString: server!.url });
    await client.connect();
    await client.query(`CREATE DATABASE ${new URL(location).pathname.slice(1)}`);
    await client.end();
  });

  it.skipIf(skip !== undefined)('never leave their grant by following advice', async () => {
    await done(...imported(save('b.csv', 0, 20), 'trial'));
    await done(...imported(save('a.csv', 0, 40), 'shop'));
    await done(...granted('shop', 1));
    expect((await trained('shop', 'm')).code).toBe(0);
    // A trial that never spent is no reason to refuse; the budget is.
    const more = save('c.csv', 0, 40, 'ann0,book-1,5');
    const errors = await refused('refresh', 'shop', '--from', more, '--model', 'm');
    expect(errors).toMatch(/budget of account .* is ε = 1/);
    expect(errors).not.toMatch(/--account trial/);
    // To say that they are the trial's people carries the grant and what was spent over to it.
    expect(await refused('refresh', 'shop', '--from', more, '--model', 'm', '--account', 'trial')).toMatch(
      /trial is now part of shop/,
    );
    for (const name of ['shop', 'trial'])
      expect(await shown(name)).toMatchObject({ name: 'shop', grant: { epsilon: 1 }, runs: 1 });
    const text = (await done('ledger', 'show', 'trial')).text;
    expect(text).toMatch(/Merged +trial \([0-9a-f]{32}\)/);
    expect((await trained('trial', 'm2', 0.5)).code).toBe(exitCodes.privacyRefused);
    // Neither does a name that nobody had.
    expect(await refused(...imported(more, 'shop', '--overwrite', '--account', 'fresh'))).toMatch(
      /must not leave its budget/,
    );
    expect(accountOf('shop').name).toBe('shop');
  });

  it.skipIf(skip !== undefined)('cannot spend beside a grant that came later', async () => {
    const file = save('a.csv', 0, 40);
    await done(...imported(file, 'one'));
    expect((await done(...imported(file, 'two'))).errors).toMatch(/100% are in account one/);
    await done(...granted('one', 2));
    const spent = await trained('two', 'm', 5);
    expect(spent.code).toBe(exitCodes.privacyRefused);
    expect(spent.errors).toMatch(/`hushrec ledger merge two one`.*`hushrec ledger different two one`/);
    expect(existsSync('m')).toBe(false);
    await done('ledger', 'merge', 'one', 'two');
    expect((await trained('two', 'm', 5)).code).toBe(exitCodes.privacyRefused);
    expect((await trained('two', 'm', 1)).code).toBe(0);
    expect(await shown('one')).toMatchObject({ runs: 1, grant: { epsilon: 2 } });
    expect(await shown('two')).toMatchObject({ name: 'one', runs: 1 });
    // Merged accounts are one, by either name; any other is not theirs.
    const named = (name: string) =>
      trainDpals('two', 0.1, 1e-6, `by-${name}`, '--ledger', location, '--account', name);
    for (const name of ['one', 'two']) expect((await named(name)).code, name).toBe(0);
    expect((await named('three')).errors).toContain('belongs to account two');
  });
});

describe('accounts that both matter', () => {
  beforeEach(async () => {
    await done(...imported(save('a.csv', 0, 40), 'shop'));
    await done(...imported(save('b.csv', 10, 50), 'club'));
    for (const name of ['shop', 'club']) expect((await trained(name, `${name}-model`)).code).toBe(0);
  });

  it('are granted a budget once they are merged, and then count what both spent', async () => {
    expect(await refused(...granted('shop', 1))).toMatch(/club .*has spent already.*ledger merge shop club/);
    const merged = await done('ledger', 'merge', 'shop', 'club', '--note', 'one shop');
    expect(merged.errors).toMatch(/club is part of shop/);
    await done(...granted('club', 1.2));
    const { spent, runs } = await shown('shop');
    expect(runs).toBe(2);
    expect(spent[0].epsilon).toBeGreaterThan(1.4);
    expect((await trained('club', 'third', 0.1)).code).toBe(exitCodes.privacyRefused);
    await done(...imported(save('c.csv', 0, 45), 'club', '--overwrite'));
  });

  it('are not asked about again, night after night, once they were declared different', async () => {
    await done('ledger', 'different', 'shop', 'club', '--note', 'both number from 0');
    for (const name of ['shop', 'club']) await done(...granted(name, 3));
    const night = (number: number) => [
      ...['refresh', 'shop', '--from', save('c.csv', 0, 40, `ann0,book-1,${number}`), '--model'],
      'shop-model',
    ];
    const first = await done(...night(4));
    expect(first.errors).not.toMatch(/club/);
    await done(...night(5));
    expect((await done('ledger', 'show', 'club')).text).toMatch(/Different +shop/);
  });

  it('are named where an import finds them, the one with a limit first', async () => {
    await done('ledger', 'different', 'shop', 'club');
    await done(...granted('shop', 3));
    const errors = await refused(...imported(save('c.csv', 0, 50), 'new'));
    expect(errors).toMatch(/--account shop if they are the same people/);
    expect(errors).not.toMatch(/--account club/);
    // A name of its own is the answer “other people”: it is kept, so that training is not refused.
    const own = await done(...imported('c.csv', 'new', '--account', 'new'));
    expect(own.errors).toMatch(/the ledger records that they are other people/);
    expect((await trained('new', 'new-model')).code).toBe(0);
    await done(...imported('c.csv', 'new', '--overwrite'));
  });
});

describe('an import that dies', () => {
  const second = () => save('p2.csv', 100, 140);
  const append = () => imported('p2.csv', 'shop', '--append');
  beforeEach(async () => {
    await done(...imported(save('p1.csv', 0, 40), 'shop'));
    await done(...granted('shop', 1));
    second();
  });

  it('after its folder is in place leaves nobody unknown', async () => {
    vi.spyOn(Ledger.prototype, 'nameAccount').mockRejectedValueOnce(new Error('killed here'));
    expect((await run(...append())).code).toBe(exitCodes.failed);
    vi.restoreAllMocks();
    expect(JSON.parse(readFileSync('shop/dataset.json', 'utf8')).people).toBe(80);
    expect(await refused(...imported('p2.csv', 'other'))).toMatch(/are in account shop/);
  });

  it('by SIGKILL when its folder is in place leaves nobody unknown', async () => {
    const read = () => {
      try {
        return JSON.parse(readFileSync('shop/dataset.json', 'utf8')).people as number;
      } catch {
        return 0;
      }
    };
    const ended = started(hushrec, append(), folder, { HUSHREC_LEDGER: location });
    const watcher = watch(folder, () => {
      if (read() === 80) ended.child.kill('SIGKILL');
    });
    await ended;
    watcher.close();
    expect(read()).toBe(80);
    expect(await refused(...imported('p2.csv', 'other'))).toMatch(/are in account shop/);
  });

  it('because the ledger’s disk is full leaves the data as it was, in a program too', async () => {
    vi.spyOn(Ledger.prototype, 'addPeople').mockRejectedValue(
      new LedgerUnavailableError(location, 'database or disk is full (SQLITE_FULL).'),
    );
    expect((await run(...append())).code).toBe(exitCodes.failed);
    expect(JSON.parse(readFileSync('shop/dataset.json', 'utf8')).people).toBe(40);
    const fresh = importRatings('p2.csv', {
      to: 'fresh',
      scale: '1:5:1',
      ledger: location,
      account: 'fresh',
    });
    await expect(fresh).rejects.toThrow(/SQLITE_FULL/);
    expect(existsSync('fresh')).toBe(false);
    // Training on a file imports it first.
    expect((await trained('p2.csv', 'm')).code).toBe(exitCodes.failed);
    expect(existsSync('p2.hushrec')).toBe(false);
  });

  it('leaves no name behind that would be ambiguous', async () => {
    writeFileSync('bad-items.csv', 'item,title\n"open\n');
    expect((await run(...imported('p2.csv', 'late', '--items', 'bad-items.csv'))).code).not.toBe(0);
    await done(...imported('p2.csv', 'late'));
    expect((await shown('late')).name).toBe('late');
  });

  it('is made good by train, before the charge: people the ledger does not know are added', async () => {
    // As a ledger without the people: in the folder, and not in the sketch.
    const kept = Ledger.prototype.addPeople;
    vi.spyOn(Ledger.prototype, 'addPeople').mockResolvedValue();
    await done(...imported('p2.csv', 'lost'));
    vi.spyOn(Ledger.prototype, 'addPeople').mockImplementation(kept);
    await done(...granted('shop', 1));
    expect((await trained('lost', 'm')).code).toBe(0);
    const ledger = await openLedger(location);
    const { accounts } = await ledger.sharedWith(Array.from({ length: 40 }, (_, at) => `ann${100 + at}`));
    await ledger.close();
    expect(accounts.map(({ name }) => name)).toEqual(['lost']);
  });

  it('and whose people have a budget elsewhere cannot train beside it', async () => {
    vi.spyOn(Ledger.prototype, 'sharedWith').mockResolvedValue({
      ...{ accounts: [], share: 0, atStake: [], isSpread: false, shareAtStake: 0 },
    });
    await done(...imported('p1.csv', 'copy'));
    vi.restoreAllMocks();
    expect((await trained('copy', 'm')).errors).toMatch(/account shop/);
    expect(existsSync('m')).toBe(false);
  });
});

describe('what a ledger and a certificate tell', () => {
  it('includes runs without protection, also of an account without a grant', async () => {
    await done(...imported(save('a.csv', 0, 40), 'shop'));
    expect((await trained('shop', 'm')).code).toBe(0);
    await done('train', 'shop', '--method', 'als', '--threads', '1', '--out', 'bare');
    const noise = ['--method', 'dpals', '--epsilon', 'inf', '--set', 'rank=2', '--threads', '1'];
    await done('train', 'shop', ...noise, '--out', 'without');
    expect(await shown('shop')).toMatchObject({ runs: 1, unprotectedRuns: 2, grant: null });
    expect((await done('ledger', 'show', 'shop')).text).toMatch(/2 runs without protection/);
  });

  it('includes what the account was granted and had spent when a certificate was issued', async () => {
    await done(...imported(save('a.csv', 0, 40), 'shop'));
    await done(...granted('shop', 2));
    for (const [out, spent] of [
      ['one', 1],
      ['two', 1.46],
    ] as const) {
      expect((await trained('shop', out)).code).toBe(0);
      const certificate = JSON.parse(readFileSync(join(out, 'certificate.json'), 'utf8'));
      expect(certificate.accountAtIssue).toMatchObject({
        granted: { epsilon: 2, delta: 1e-6 },
        spent: { delta: 1e-6 },
      });
      expect(certificate.accountAtIssue.spent.epsilon).toBeCloseTo(spent, 1);
      expect(readFileSync(join(out, 'CERTIFICATE.md'), 'utf8')).toMatch(
        /Other models of the same people: .* ε = 2 at δ = 1e-6 was granted .* had spent ε = 1/,
      );
      expect((await runCommand('verify', out)).code).toBe(0);
    }
  });
});
