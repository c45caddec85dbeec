import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gaussianEpsilon } from '@hushrec/privacy';
import { startPostgres, type TestPostgres, whyNoPostgres } from '@hushrec/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gaussianAccountant } from './example-accountant.test.data.js';
import { killedAccount } from './killed-process.test.data.js';
import { openLedger } from './open-ledger.js';

/**
 * `HUSHREC_KILLS=300 npx vitest run packages/ledger/src/kills.test.ts` is the full trial, for each kind of
 * work.
 */
const kills = Number(process.env['HUSHREC_KILLS'] ?? 12);
const program = fileURLToPath(new URL('../dist/killed-process.test.data.js', import.meta.url));
const delta = 1e-5;
/**
 * Exactly this many spends of μ = 0.01 fit: enough that killed processes rarely run out, few enough to be
 * reached.
 */
const affordable = Math.max(100, 4 * kills);
const grant = gaussianEpsilon(0.01 * Math.sqrt(affordable) * (1 + 1e-9), delta);
const noPostgres = whyNoPostgres();

let root: string;
let server: TestPostgres | undefined;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'hushrec-kills-'));
  if (noPostgres === undefined) server = await startPostgres();
});
afterAll(async () => {
  await server?.stop();
  rmSync(root, { recursive: true, force: true });
});

const open = (location: string) => openLedger(location, { accountant: gaussianAccountant, create: true });

function start(mode: 'spend' | 'train', location: string, folder: string): ChildProcess {
  return spawn(process.execPath, [program, mode, location, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Ends a process at a random moment of its work, and sometimes of its start. */
async function killAtRandom(child: ChildProcess): Promise<void> {
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const ready = new Promise<void>((resolve) => child.stdout!.once('data', () => resolve()));
  if (randomInt(10) > 0) await Promise.race([ready, exited]);
  await Promise.race([sleep(randomInt(80_000) / 1000), exited]);
  child.kill('SIGKILL');
  await exited;
}

/**
 * Lets a process work until it says what it is waited for, then kills it: the trial is never about nothing.
 */
async function killOnceIt(did: 'paid' | 'released', child: ChildProcess, folder: string): Promise<void> {
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  while (child.exitCode === null && !logged(folder).some((line) => line.startsWith(did))) await sleep(5);
  child.kill('SIGKILL');
  await exited;
}

/** Everything all processes say they did. */
function logged(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.log'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .filter((line) => line !== '');
}

async function spendsIn(location: string): Promise<string[]> {
  const ledger = await open(location);
  try {
    await ledger.check();
    const { spent } = await ledger.balance(killedAccount, delta);
    expect(spent[0].epsilon).toBeLessThanOrEqual(grant);
    return (await ledger.entries()).flatMap(({ event, hash }) => (event.kind === 'spend' ? [hash] : []));
  } finally {
    await ledger.close();
  }
}

const stores = [
  { store: 'SQLite', skip: undefined, share: 1 },
  { store: 'PostgreSQL', skip: noPostgres, share: 0.2 },
];

describe.each(stores)('killed processes and the ledger in $store', ({ store, skip, share }) => {
  if (skip !== undefined) {
    it.skip(`is tested with a server: ${skip}`);
    return;
  }
  const count = Math.ceil(kills * share);
  let folder: string;
  let location: string;
  beforeEach(async () => {
    expect(existsSync(program), 'build first: npm run build').toBe(true);
    folder = mkdtempSync(join(root, 'work-'));
    location = store === 'SQLite' ? join(folder, 'ledger.sqlite') : await freshDatabase(server!.url);
    const ledger = await open(location);
    await ledger.grant(killedAccount, {
      epsilon: grant,
      delta,
      protection: { unit: 'user', relation: 'add-remove' },
    });
    await ledger.close();
  });

  it(`keeps every acknowledged spend and grants none twice: ${count} kills while spending`, async () => {
    await killOnceIt('paid', start('spend', location, folder), folder);
    for (let kill = 1; kill < count; kill += 2) {
      // Two at once: one dies in the middle of its work while the other goes on.
      await Promise.all([
        killAtRandom(start('spend', location, folder)),
        killAtRandom(start('spend', location, folder)),
      ]);
      if (kill % 20 === 1) await spendsIn(location);
    }
    const inLedger = await spendsIn(location);
    const acknowledged = logged(folder).flatMap((line) => (line.startsWith('paid ') ? [line.slice(5)] : []));
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(new Set(inLedger).size).toBe(inLedger.length);
    expect(inLedger.length).toBeLessThanOrEqual(affordable);
    expect(inLedger).toEqual(expect.arrayContaining(acknowledged));
    // A kill between commit and acknowledgement leaves a spend nobody heard of: at most one each.
    expect(inLedger.length - acknowledged.length).toBeLessThanOrEqual(count + 1);
  }, 600_000);

  it(`spends at least what was released, and never draws noise twice: ${count} kills while training`, async () => {
    await killOnceIt('released', start('train', location, folder), folder);
    for (let kill = 1; kill < count; kill++) await killAtRandom(start('train', location, folder));
    const paid = await spendsIn(location);
    expect(new Set(paid).size).toBe(paid.length);
    const digests = new Map<string, Set<string>>();
    for (const line of logged(folder)) {
      const [what, entry, step, digest] = line.split(' ');
      if (what !== 'released') continue;
      expect(paid).toContain(entry);
      const seen = digests.get(`${entry} ${step}`) ?? new Set();
      digests.set(`${entry} ${step}`, seen.add(digest));
    }
    expect(digests.size).toBeGreaterThan(0);
    for (const seen of digests.values()) expect(seen.size).toBe(1);
    // Different steps and jobs got different noise.
    expect(new Set([...digests.values()].flatMap((seen) => [...seen])).size).toBe(digests.size);
  }, 600_000);

  it('lets several processes spend at once up to the grant and no further', async () => {
    const children = [1, 2, 3].map(() => start('spend', location, folder));
    await Promise.all(children.map((child) => new Promise((resolve) => child.once('exit', resolve))));
    const inLedger = await spendsIn(location);
    const acknowledged = logged(folder).flatMap((line) => (line.startsWith('paid ') ? [line.slice(5)] : []));
    expect(inLedger.length).toBe(affordable);
    expect([...inLedger].sort()).toEqual([...acknowledged].sort());
    expect(logged(folder).filter((line) => line === 'refused')).toHaveLength(3);
  }, 600_000);
});

let databases = 0;
async function freshDatabase(url: string): Promise<string> {
  const { default: pg } = await import('pg');
  const name = `kills_${process.pid}_${databases++}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
}
