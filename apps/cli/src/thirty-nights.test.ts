// A month of a shop, as its operators live it: thirty nightly refreshes by a plan. One night has too few
// people, one is refused, one is killed, one is held back; once they roll back, once somebody asks to be
// forgotten. What monitors see comes from a server beside it, read as Prometheus reads it.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Certificate } from '@hushrec/model';
import { muFor, type PrivacyEvent, pldAccountant, pldEpsilon } from '@hushrec/privacy';
import { readUserIds } from '@hushrec/ratings';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../../server/src/start-server.js';
import { parseStrictly } from '../../server/src/testing/prometheus-text.test.data.js';
import { exitCodes } from './exit-codes.js';
import { runCommand } from './run-command.test.data.js';
import { hushrec, spends, started } from './started-command.test.data.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-thirty-nights-'));
const at = (name: string) => join(folder, name);
const [shop, model, ledger] = [at('data/shop'), at('models/shop'), at('ledger.sqlite')];
const dayOf = (night: number) => `2027-03-${String(night).padStart(2, '0')}`;

const first = 1000;
const joining = 8;
/** The whole history as it is on a night: each brings a few people. */
function history(night: number, people = first + joining * (night - 1)): string {
  const rows: string[] = [];
  for (let person = 0; person < people; person++)
    for (let k = 0; k < 12; k++) {
      const item = (person * 7 + k * k) % 20;
      rows.push(`p${person},i${item},${1 + ((person + k) % 5)},${1_600_000_000 + person * 100 + k}`);
    }
  writeFileSync(at('history.csv'), `user,item,rating,time\n${rows.join('\n')}\n`);
  return at('history.csv');
}

const calls: string[] = [];
const hook = createServer((request, response) => {
  let body = '';
  request.on('data', (part) => {
    body += String(part);
  });
  request.on('end', () => {
    calls.push((JSON.parse(body) as { outcome: string }).outcome);
    response.end();
  });
});
let server: RunningServer;

const ran = async (...args: string[]) => {
  const run = await runCommand(...args, '--ledger', ledger);
  expect(run.code, run.errors).toBe(0);
  return run;
};
const refreshOf = (night: number, ...more: string[]) => [
  ...['refresh', shop, '--model', model, '--date', dayOf(night)],
  ...(more.includes('--from') ? [] : ['--from', history(night)]),
  ...['--publish-if', 'not-worse', '--threads', '1', '--ledger', ledger, ...more],
];
const refresh = (night: number, ...more: string[]) =>
  runCommand(
    ...refreshOf(night, ...more),
    ...['--on-failure', `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`, '--json'],
  );
const live = (): Certificate => JSON.parse(readFileSync(join(model, 'certificate.json'), 'utf8'));
const grant = (epsilon: number) =>
  ran('ledger', 'grant', shop, '--epsilon', String(epsilon), '--delta', '1e-6', '--note', 'March');

/** A gauge or counter of the server, for the labels given. */
async function metric(name: string, labels: Record<string, string> = {}): Promise<number | undefined> {
  const answer = await fetch(`${server.url}/metrics`, {
    headers: { authorization: `Bearer ${server.operatorToken}` },
  });
  const samples = parseStrictly(await answer.text()).get(`hushrec_${name}`)?.samples ?? [];
  return samples.find((each) => Object.entries(labels).every(([key, value]) => each.labels[key] === value))
    ?.value;
}
const ends = (end: string) => metric('refreshes_total', { model: 'shop', end });

beforeAll(async () => {
  await new Promise<void>((listening) => hook.listen(0, '127.0.0.1', listening));
  for (const name of ['models', 'data']) mkdirSync(at(name));
  const items = Array.from({ length: 20 }, (_, item) => `i${item}`);
  writeFileSync(at('items.csv'), `item\n${items.join('\n')}\n`);
  await ran('import', history(1), shop, '--scale', '1:5:1', '--catalogue', at('items.csv'), '--new-ledger');
  await grant(20);
  await ran(
    'ledger',
    'plan',
    shop,
    ...['--every', 'day', '--for', 'month', '--from', dayOf(1), '--model', model],
  );
  server = await startServer({
    ...{ models: at('models'), data: at('data'), ledger, state: at('runs.sqlite'), port: 0 },
    writeLog: () => {},
  });
});
afterAll(async () => {
  await server?.close();
  hook.close();
  rmSync(folder, { recursive: true, force: true });
});

/** An ordinary night: a new model, live at once, which remembers all that were paid for. */
async function ordinary(night: number, ...more: string[]) {
  const run = await refresh(night, ...more);
  expect(run.code, `night ${night}: ${run.errors}`).toBe(0);
  expect(run.json, `night ${night}`).toMatchObject({
    trained: true,
    published: true,
    certificate: live().hash,
  });
  return run;
}
async function ordinaryNights(from: number, to: number) {
  for (let night = from; night <= to; night++) await ordinary(night);
}

describe('a month of nights', () => {
  it('1–6: each makes a model that remembers the others, and a second try on a day is not due', async () => {
    await ordinary(1, '--people', String(first), '--set', 'rank=2');
    await ordinaryNights(2, 6);
    expect((await refresh(6)).json).toMatchObject({ trained: false, next: dayOf(7) });
    expect(live().chain?.earlier.reduce((sum, { count }) => sum + count, 0)).toBe(5);
    expect(await spends(ledger)).toBe(6);
    expect(await ends('done')).toBe(6);
  });

  it('7: an export with too few people is held back; the old model stays, the night is paid for', async () => {
    const before = live();
    const run = await refresh(7, '--from', history(7, 6));
    expect(run.code, run.errors).toBe(exitCodes.heldBack);
    expect(live().hash).toBe(before.hash);
    expect(await spends(ledger)).toBe(7);
    expect(await ends('held-back')).toBe(1);
    expect(calls).toEqual(['held-back']);
  });

  it('8–10: the next nights have everyone again', async () => {
    await ordinaryNights(8, 10);
  });

  it('11: refused where the grant is used up; on the same night, after a decision, it is made', async () => {
    const before = live();
    await grant(2);
    const run = await refresh(11);
    expect(run.code, run.errors).toBe(exitCodes.privacyRefused);
    expect(live().hash).toBe(before.hash);
    expect(await spends(ledger)).toBe(10);
    expect(await ends('refused')).toBe(1);
    expect(calls).toEqual(['held-back', 'refused']);
    expect(readdirSync(at('models')).filter((name) => /refreshing|noise-key|next/.test(name))).toEqual([]);
    await grant(20);
    await ordinary(11);
  });

  it('12–14: ordinary', async () => {
    await ordinaryNights(12, 14);
  });

  it('15: killed after it was charged; called again it goes on, and is paid once', async () => {
    const before = live();
    const paid = await spends(ledger);
    const run = started(process.execPath, [hushrec, ...refreshOf(15)], folder, {});
    for await (const part of run.child.stderr!)
      if (String(part).includes('Charged')) run.child.kill('SIGKILL');
    await run;
    expect(run.child.killed).toBe(true);
    // It was quick, or the old model is there, whole.
    if (live().hash === before.hash) expect((await refresh(15)).code).toBe(0);
    expect(live().hash).not.toBe(before.hash);
    expect(await spends(ledger)).toBe(paid + 1);
    expect(existsSync(`${model}.noise-key`)).toBe(false);
  });

  it('16–20: ordinary, and the last one held back by another rule', async () => {
    await ordinaryNights(16, 19);
    const before = live();
    const run = await refresh(20, '--from', history(20, 3), '--publish-if', 'worth-it');
    expect(run.code, run.errors).toBe(exitCodes.heldBack);
    expect(live().hash).toBe(before.hash);
    expect(await ends('held-back')).toBe(2);
  });

  it('21–23: ordinary; then rolled back to the night before, and the next night goes on', async () => {
    await ordinaryNights(21, 22);
    const good = live().hash;
    await ordinary(23);
    const paid = await spends(ledger);
    const back = await runCommand('rollback', model, '--json');
    expect(back.json).toMatchObject({ live: good });
    expect(live().hash).toBe(good);
    expect(await spends(ledger)).toBe(paid);
    const served = () => fetch(`${server.url}/models/shop/certificate.json`).then((answer) => answer.json());
    await expect.poll(async () => (await served()).hash).toBe(good);
    await ordinary(24);
    // The run that was rolled back from was paid for, and is remembered.
    expect(live().chain?.earlier.reduce((sum, { count }) => sum + count, 0)).toBe(23);
  });

  it('25: a person is forgotten, and stays out of the next exports', async () => {
    const { code, json } = await runCommand('forget', shop, '--person', 'p17', '--json');
    expect([code, json.removed]).toEqual([0, 1]);
    await ordinaryNights(25, 26);
    const ids = await readUserIds(shop);
    expect(ids).toContain('p18');
    expect(ids).not.toContain('p17');
  });

  it('27–30: ordinary; the month is within the grant, by the ledger, monitors and another accountant', async () => {
    await ordinaryNights(27, 30);
    expect(await spends(ledger)).toBe(30);
    const { chain, epsilon, delta } = live();
    expect(chain?.earlier.reduce((sum, { count }) => sum + count, 0)).toBe(29);
    const plan = JSON.parse(readFileSync(`${model}.plan.json`, 'utf8')) as { first: number; each: number };
    const gaussian = (mu: number): PrivacyEvent => ({ kind: 'gaussian', sensitivity: mu, noise: 1 });
    const event: PrivacyEvent = {
      kind: 'composed',
      events: [
        gaussian(muFor(plan.first, 1e-6)),
        { kind: 'repeated', event: gaussian(muFor(plan.each, 1e-6)), count: 29 },
      ],
    };
    expect(Number(epsilon)).toBeGreaterThanOrEqual(pldEpsilon(event, 1e-6, 'optimistic') * (1 - 1e-4));
    expect(Number(epsilon)).toBeLessThanOrEqual(pldAccountant.epsilon(event, 1e-6) * (1 + 1e-4));
    expect(Number(epsilon)).toBeLessThanOrEqual(20);
    expect(delta).toBe(1e-6);
    const verified = await runCommand('verify', model, '--json');
    expect(verified.code, verified.text + verified.errors).toBe(0);

    const account = { account: 'shop' };
    await expect.poll(() => metric('account_runs', account)).toBe(30);
    expect(await metric('account_epsilon_granted', account)).toBe(20);
    expect(await metric('account_epsilon_spent', account)).toBeGreaterThan(19);
    expect(await metric('account_epsilon_spent', account)).toBeLessThanOrEqual(20);
    expect(await metric('account_epsilon_left', account)).toBeLessThan(4);
    expect(await metric('account_runs_unfinished', account)).toBe(0);
    expect(await metric('model_epsilon', { model: 'shop' })).toBe(Number(epsilon));
    expect(await metric('model_age_seconds', { model: 'shop' })).toBeLessThan(3600);
    expect(await ends('held-back')).toBe(2);
    expect(await ends('refused')).toBe(1);
    expect(await ends('nothing-new')).toBe(1);
    expect(calls).toEqual(['held-back', 'refused', 'held-back']);
    expect(
      readdirSync(at('models')).filter((name) => /refreshing|noise-key|next|unreported/.test(name)),
    ).toEqual([]);
  });
});
