// `evaluate --release`: a figure with noise of what people chose since the model was made.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '@hushrec/ledger';
import { pldEpsilon, type ReleaseRecorder } from '@hushrec/privacy';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import {
  type ExactStatistics,
  noting,
  shiftsBeyond,
} from '../../../../packages/train/src/exact-statistics.test.data.js';
import { exitCodes } from '../exit-codes.js';
import { main } from '../main.js';
import { runCommand } from '../run-command.test.data.js';

const hook = vi.hoisted(() => ({ recorder: (real: unknown) => real }));
vi.mock('@hushrec/privacy', async (load) => {
  const privacy = await load<typeof import('@hushrec/privacy')>();
  return {
    ...privacy,
    createRecorder: (...given: Parameters<typeof privacy.createRecorder>) =>
      hook.recorder(privacy.createRecorder(...given)),
  };
});

const folder = mkdtempSync(join(tmpdir(), 'hushrec-release-figure-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string) => join(folder, name);
const [shop, model, ledger] = [at('shop'), at('model'), at('ledger.sqlite')];

const day = (text: string) => Date.parse(text) / 1000;
/** What 900 people rated before the model was made, and on the two days after; without some of them. */
function ratingsFile(name: string, without: readonly number[] = []): string {
  const rows: string[] = [];
  for (let person = 0; person < 900; person++) {
    if (without.includes(person)) continue;
    for (let k = 0; k < 8; k++) {
      const item = (person * 7 + k * k * 3) % 30;
      const time = k < 5 ? day('2027-03-01') + k : day('2027-03-10') + 1000 * k;
      rows.push(`u${person},i${item},${k < 5 ? 1 + ((item + k) % 5) : 5},${time}`);
    }
  }
  writeFileSync(at(name), `user,item,rating,time\n${rows.join('\n')}\n`);
  return at(name);
}
const done = async (...args: string[]) => {
  const run = await runCommand(...args, '--ledger', ledger);
  expect(run.code, run.errors).toBe(0);
  return run;
};
const release = (...args: string[]) =>
  runCommand('evaluate', model, shop, '--release', '--threads', '1', '--ledger', ledger, '--json', ...args);
const charges = async () => {
  const opened = await openLedger(ledger);
  try {
    return (await opened.entries()).flatMap(({ event }) => (event.kind === 'spend' ? [event] : []));
  } finally {
    await opened.close();
  }
};

beforeAll(async () => {
  await done('import', ratingsFile('before.csv'), shop, '--scale', '1:5:1', '--new-ledger');
  await done('ledger', 'grant', shop, '--epsilon', '5', '--delta', '1e-6', '--note', 'a year');
  const made = ['--epsilon', '1', '--delta', '1e-6', '--people', '900', '--date', '2027-03-08'];
  await done('refresh', shop, '--model', model, ...made, '--threads', '1');
});

// @door evaluate: charge
it('charges what the plan says, once, and tells the figure with its interval', async () => {
  const before = await charges();
  const run = await release('--epsilon', '0.9');
  expect(run.code, run.errors).toBe(0);
  expect(run.errors).toMatch(/Expected: if all of about 900 people .* would be released as/);
  expect(run.errors.indexOf('Expected')).toBeLessThan(run.errors.indexOf('Charged'));
  const { since, figure, value, low, high, people, ledgerEntry } = run.json;
  // The day after that of the refresh.
  expect(since).toBe('2027-03-09');
  expect(figure).toBe('recall@20');
  expect(low).toBeLessThanOrEqual(value);
  expect(high).toBeGreaterThanOrEqual(value);
  expect(Math.abs(people - 900)).toBeLessThan(60);
  const paid = (await charges()).slice(before.length);
  expect(paid).toHaveLength(1);
  expect(paid[0].method).toBe('evaluate recall@20');
  const { charge } = paid[0];
  const cost = charge.kind === 'event' ? pldEpsilon(charge.event, 1e-6, 'optimistic') : Number.NaN;
  expect(cost).toBeGreaterThan(0.85);
  expect(cost).toBeLessThanOrEqual(0.9);
  expect(ledgerEntry).toMatch(/^[0-9a-f]{64}$/);
});

// @door evaluate: plan-hash
it('is the figure whose plan was shown, and another is refused before the charge', async () => {
  const before = (await charges()).length;
  const asked = ['--epsilon', '0.8', '--metrics', 'ndcg@10'];
  const { plan } = (await release(...asked, '--dry-run')).json;
  for (const other of [
    ['--epsilon', '0.7', '--metrics', 'ndcg@10'],
    ['--epsilon', '0.8', '--metrics', 'ndcg@20'],
    [...asked, '--since', '2027-03-10'],
  ])
    expect((await release(...other, '--plan', plan)).code).toBe(exitCodes.privacyRefused);
  expect(await charges()).toHaveLength(before);
  expect((await release(...asked, '--plan', plan)).code).toBe(0);
  expect(await charges()).toHaveLength(before + 1);
});

// @door evaluate: neighbours
it.each([0, 137, 899])('moves by no more than the plan says without person %i', async (person) => {
  const noted: ExactStatistics[] = [];
  let recorder: ReleaseRecorder | undefined;
  const measuredOn = async (data: string) => {
    const exact: ExactStatistics = new Map();
    noted.push(exact);
    hook.recorder = (real) => (recorder = noting(real as ReleaseRecorder, exact));
    const run = await runCommand(
      ...['evaluate', model, data, '--release', '--epsilon', '1', '--threads', '1', '--json'],
      ...['--ledger', at('other.sqlite')],
    );
    hook.recorder = (real) => real;
    expect(run.code, run.errors).toBe(0);
  };
  for (const [name, without] of [
    [`all-${person}`, []],
    [`fewer-${person}`, [person]],
  ] as const) {
    const file = ratingsFile(`${name}.csv`, without);
    const { code, errors } = await runCommand(
      ...['import', file, at(name), '--scale', '1:5:1', '--ledger', at('other.sqlite'), '--new-ledger'],
    );
    expect(code, errors).toBe(0);
    await measuredOn(at(name));
  }
  const { beyond, moved } = shiftsBeyond(recorder!, noted[0], noted[1]);
  expect(beyond).toEqual([]);
  expect(moved).toBeGreaterThan(0);
});

// @door evaluate: kills
it('tells a figure that was paid for and not told once more: the same, for the same entry', async () => {
  const before = (await charges()).length;
  const asked = ['--epsilon', '0.6', '--metrics', 'ndcg@10'];
  const key = `${model}.figure.noise-key`;
  const nothingLeft = await release(...asked, '--resume');
  expect(nothingLeft.code).toBe(exitCodes.wrongUsage);
  expect(nothingLeft.errors).toMatch(/No figure of this model is left unfinished/);

  let lost = '';
  const spies = [
    vi.spyOn(process.stderr, 'write').mockReturnValue(true),
    vi.spyOn(process.stdout, 'write').mockImplementation(((text: string, done: (error: Error) => void) => {
      lost += text;
      done(new Error('The disk is full.'));
      return true;
    }) as typeof process.stdout.write),
  ];
  try {
    const flags = ['--release', '--threads', '1', '--ledger', ledger, '--json', ...asked];
    expect(await main(['evaluate', model, shop, ...flags])).toBe(exitCodes.failed);
  } finally {
    for (const spy of spies) spy.mockRestore();
    process.exitCode = 0;
  }
  expect(await charges()).toHaveLength(before + 1);
  expect(existsSync(key)).toBe(true);

  const again = await release(...asked);
  expect(again.code).toBe(exitCodes.wrongUsage);
  expect(again.errors).toMatch(/stopped before it was printed.*--resume/s);
  const other = await release('--epsilon', '0.61', '--metrics', 'ndcg@10', '--resume');
  expect(other.code).toBe(exitCodes.privacyRefused);
  expect(other.errors).toMatch(/the secret of another run/);
  expect(existsSync(key)).toBe(true);

  const resumed = await release(...asked, '--resume');
  expect(resumed.code, resumed.errors).toBe(0);
  expect(resumed.errors).toMatch(/Paid for before: nothing is charged again/);
  expect(resumed.json).toEqual(JSON.parse(lost));
  expect(await charges()).toHaveLength(before + 1);
  expect(existsSync(key)).toBe(false);
  expect(existsSync(`${model}.figure.unreported`)).toBe(false);
  expect((await release(...asked, '--resume')).code).toBe(exitCodes.wrongUsage);
  expect(await charges()).toHaveLength(before + 1);
});

it('refuses a figure that would say nothing, and one that the grant does not pay for, before any charge', async () => {
  const before = (await charges()).length;
  const useless = await release('--epsilon', '0.01');
  expect(useless.code).toBe(exitCodes.privacyRefused);
  expect(useless.errors).toMatch(/says nothing, so nothing was charged\. It needs ε = 0\.\d+ or more/);
  const few = await release('--epsilon', '1', '--people', '3');
  expect(few.errors).toMatch(/too few people for any ε/);
  const dear = await release('--epsilon', '6');
  expect(dear.code).toBe(exitCodes.privacyRefused);
  expect(dear.json).toBeUndefined();
  expect(existsSync(`${model}.figure.noise-key`)).toBe(false);
  expect(await charges()).toHaveLength(before);
});

it.each([
  ['without privacy', ['--method', 'als', '--record-unprotected']],
  ['from a seed', ['--epsilon', '1', '--seed', '1', '--record-unprotected']],
  [
    'that protects single ratings',
    ['--method', 'private-als', '--epsilon', '1', '--set', 'rank=2', '--set', 'rounds=1'],
  ],
])('refuses a figure of a model %s, which everyone may have moved, before any charge', async (name, made) => {
  const out = at(name.replaceAll(' ', '-'));
  const elsewhere = ['--ledger', at('unprotected.sqlite')];
  const data = at('unprotected');
  const from = [
    'import',
    at('before.csv'),
    data,
    '--scale',
    '1:5:1',
    '--overwrite',
    ...elsewhere,
    '--new-ledger',
  ];
  for (const args of [from, ['train', data, ...made, '--threads', '1', '--out', out, ...elsewhere]]) {
    const { code, errors } = await runCommand(...args);
    expect(code, errors).toBe(0);
  }
  const asked = ['--release', '--epsilon', '1', '--people', '900', '--since', '2027-03-09', ...elsewhere];
  const { code, errors } = await runCommand('evaluate', out, data, ...asked);
  expect([code, errors]).toEqual([exitCodes.privacyRefused, expect.stringContaining('protect whole people')]);
  expect(existsSync(`${out}.figure.noise-key`)).toBe(false);
});

it('says what it needs', async () => {
  const refused = async (words: RegExp, ...args: string[]) => {
    const run = await runCommand('evaluate', model, shop, ...args, '--ledger', ledger);
    expect(run.code, args.join(' ')).toBe(exitCodes.wrongUsage);
    expect(run.errors).toMatch(words);
  };
  await refused(/--epsilon/, '--release');
  await refused(/give --release/, '--epsilon', '1');
  await refused(/give --release/, '--resume');
  await refused(/one metric/, '--release', '--epsilon', '1', '--metrics', 'recall@20,ndcg@10');
  await refused(/no mean over people/, '--release', '--epsilon', '1', '--metrics', 'coverage@20');
  await refused(/leave --protocol out/, '--release', '--epsilon', '1', '--protocol', 'holdout');
});
