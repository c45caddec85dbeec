import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from '../run-command.test.data.js';

/**
 * A shop whose first model is worth it, and whose next ones are not, or cannot be paid; they remember
 * nothing, else they would be as good.
 */
const folder = mkdtempSync(join(tmpdir(), 'hushrec-rollback-'));
const at = (name: string) => join(folder, name);
const [shop, model, versions] = [at('shop'), at('models/shop'), at('models/shop.versions')];
const liveHash = () => JSON.parse(readFileSync(join(model, 'certificate.json'), 'utf8')).hash as string;
const keptHashes = () => readdirSync(versions).filter((name) => /^[0-9a-f]{64}$/.test(name));
const counted = () => JSON.parse(readFileSync(at('models/shop.refreshes.json'), 'utf8')).ends;
const ran = async (...args: string[]) => {
  const run = await runCommand(...args);
  expect(run.code, run.errors).toBe(0);
  return run;
};
const more = (name: string) => {
  const rows = ['1', '2', '3'].map((item) => `${name},${item},4`);
  writeFileSync(at(`${name}.csv`), `user,item,rating\n${rows.join('\n')}\n`);
  return at(`${name}.csv`);
};
const refresh = (...flags: string[]) =>
  runCommand('refresh', shop, '--model', model, '--no-memory', '--threads', '1', '--json', ...flags);
const appended = (name: string) => ['--from', more(name), '--append'];
let first: string;

beforeAll(async () => {
  mkdirSync(at('models'));
  const rows: string[] = ['user,item,rating'];
  for (let user = 0; user < 1500; user++)
    for (let k = 0; k < 12; k++) rows.push(`p${user},${(user * 7 + k * k) % 20},${1 + ((user + k) % 5)}`);
  writeFileSync(at('ratings.csv'), rows.join('\n'));
  await ran('import', at('ratings.csv'), shop, '--scale', '1:5:1');
  await ran('ledger', 'grant', shop, '--epsilon', '20', '--delta', '1e-5');
  const settings = ['--people', '1500', '--set', 'rounds=2', '--set', 'rank=2', '--threads', '1'];
  const trained = await ran('train', shop, '--epsilon', '8', ...settings, '--out', model, '--json');
  expect(trained.json.usefulness.verdict).toBe('worth-it');
  first = liveHash();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each(['worth-it', 'not-worse'])(
  'holds a useless model back by %s: exit code 5, paid once, kept',
  async (rule) => {
    const before = keptAtStart();
    const run = await refresh(...appended(`new-${rule}`), '--epsilon', '0.02', '--publish-if', rule);
    expect(run.code, run.errors).toBe(5);
    expect(run.json).toMatchObject({
      trained: true,
      published: false,
      verdict: 'too-noisy',
      heldBack: expect.any(String),
    });
    expect(typeof run.json.itemsAboveNoise).toBe('number');
    expect(liveHash()).toBe(first);
    expect(keptHashes()).toHaveLength(before + 1);
    expect(keptHashes()).toContain(run.json.certificate);
    // The same again is known: nothing is trained, and nothing spent.
    const again = await refresh('--epsilon', '0.02', '--publish-if', rule);
    expect(again.json, again.errors).toMatchObject({ trained: false, certificate: run.json.certificate });
    expect((await runCommand('verify', join(versions, run.json.certificate))).code).toBe(0);
  },
);
const keptAtStart = () => (existsSync(versions) ? keptHashes().length : 0);

it('says the verdict, keeps the model that is replaced, and rolls back to it', async () => {
  const run = await runCommand(
    'refresh',
    shop,
    ...appended('next'),
    '--model',
    model,
    '--epsilon',
    '0.02',
    '--no-memory',
    '--threads',
    '1',
  );
  expect(run.code, run.errors).toBe(0);
  expect(run.text).toContain('Verdict: too-noisy');
  const second = liveHash();
  expect(second).not.toBe(first);
  const listed = await ran('rollback', model, '--list', '--json');
  expect(listed.json.live).toBe(second);
  // The last that was live, though two were held back later or before.
  expect(listed.json.versions[0]).toMatchObject({ hash: first, heldBack: false, verdict: 'worth-it' });
  expect(listed.json.versions.slice(1).map(({ heldBack }: { heldBack: boolean }) => heldBack)).toEqual([
    true,
    true,
  ]);
  const made = statSync(join(versions, first, 'certificate.json')).mtimeMs;
  const back = await ran('rollback', model, '--json');
  expect(back.json).toMatchObject({ live: first, replaced: second });
  expect(liveHash()).toBe(first);
  // Its age is that of the model.
  expect(Math.abs(statSync(join(model, 'certificate.json')).mtimeMs - made)).toBeLessThan(1);
  expect(keptHashes()).toContain(second);
  expect(keptHashes()).not.toContain(first);
  // What was rolled back from is not bought again.
  expect((await refresh('--epsilon', '0.02')).json).toMatchObject({ trained: false, certificate: second });
  await ran('rollback', model, '--to', second.slice(0, 10));
  expect(liveHash()).toBe(second);
  await ran('rollback', model);
  expect(liveHash()).toBe(first);
});

it('keeps as many as it is told', async () => {
  const run = await refresh(...appended('fourth'), '--epsilon', '0.02', '--keep-models', '2');
  expect(run.code, run.errors).toBe(0);
  expect(keptHashes()).toHaveLength(2);
  expect(keptHashes()).toContain(first);
  expect(readdirSync(versions).filter((name) => name.startsWith('.'))).toEqual([]);
  await ran('rollback', model);
});

it('says what it does not find', async () => {
  expect((await runCommand('rollback', model, '--to', 'ffffffffffffffff')).code).toBe(2);
  expect((await runCommand('rollback', at('models/nothing'))).code).toBe(3);
  expect(liveHash()).toBe(first);
});

it('calls for help where the budget refuses, tells nothing about anyone, and leaves nothing behind', async () => {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    request.on('data', (part) => bodies.push(String(part)));
    request.on('end', () => response.end());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const before = counted();
  const asked = ['--epsilon', '19.9', '--on-failure'];
  expect((await refresh(...appended('mallory'), ...asked, address)).code).toBe(4);
  server.close();
  const told = JSON.parse(bodies.join(''));
  expect(told).toEqual({
    event: 'hushrec-refresh',
    account: 'shop',
    model: 'shop',
    outcome: 'refused',
    exitCode: 4,
    at: expect.any(String),
  });
  const note = at('told.txt');
  const command = `printf '%s %s %s %s' "$HUSHREC_OUTCOME" "$HUSHREC_EXIT_CODE" "$HUSHREC_ACCOUNT" "$HUSHREC_MODEL" > '${note}'`;
  expect((await refresh(...asked, command)).code).toBe(4);
  expect(readFileSync(note, 'utf8')).toBe('refused 4 shop shop');
  expect(counted()).toMatchObject({ refused: (before.refused ?? 0) + 2, 'held-back': 2 });
  expect(existsSync(at('models/shop.refreshing'))).toBe(false);
  expect(existsSync(at('models/shop.noise-key'))).toBe(false);
  expect((await refresh('--on-failure', 'http://example.com/x')).code).toBe(2);
  // A call that fails changes nothing.
  const failing = await refresh(...asked, 'exit 7');
  expect(failing.code).toBe(4);
  expect(failing.errors).toContain('--on-failure did not work');
});
