import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '@hushrec/ledger';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { refuseEntries } from '../../../packages/ledger/src/refusing-ledger.test.data.js';
import { exitCodes } from './exit-codes.js';
import { runCommand, trainDpals } from './run-command.test.data.js';
import { hushrec, started } from './started-command.test.data.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-failing-ledger-'));
const at = (name: string) => join(folder, name);
const [data, ledger] = [at('data'), at('ledger.sqlite')];
beforeAll(async () => {
  mkdirSync(at('models'));
  await (await openLedger(ledger, { create: true })).close();
  const size = ['--people', '80', '--items', '20', '--ratings', '600', '--seed', '1'];
  expect((await runCommand('generate', data, ...size)).code).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const refuse = (what: 'completions' | 'entries') => refuseEntries(ledger, what);
const train = (name: string, ...flags: string[]) =>
  trainDpals(data, 0.1, 1e-6, at(`models/${name}`), '--ledger', ledger, ...flags);
const left = () => readdirSync(at('models')).filter((name) => /\.(noise-key|unreported)$/.test(name));
const balance = async () =>
  (await runCommand('ledger', 'show', data, '--ledger', ledger, '--json')).json as {
    readonly runs: number;
    readonly unfinishedRuns: number;
  };

it('a ledger that fails at the end of a training costs a warning; --resume and refresh tell it later', async () => {
  const mend = refuse('completions');
  for (const name of ['a', 'b']) {
    const run = await train(name);
    expect(run.code, run.errors).toBe(0);
    expect(run.errors).toMatch(/is published and paid for, but .* no room left.* Nothing is lost/);
  }
  expect(left()).toEqual(['a.unreported', 'b.unreported']);
  mend();
  expect(await balance()).toMatchObject({ runs: 2, unfinishedRuns: 2 });
  // Refresh finds nothing new, and tells the ledger all the same.
  const refreshed = await runCommand('refresh', data, '--model', at('models/a'), '--ledger', ledger);
  expect(refreshed.text, refreshed.errors).toContain('Nothing is new');
  expect(left()).toEqual(['b.unreported']);
  const resumed = await train('b', '--resume', '--json');
  expect(resumed.code, resumed.errors).toBe(0);
  expect(resumed.json).toMatchObject({ model: at('models/b') });
  expect(left()).toEqual([]);
  expect(await balance()).toMatchObject({ runs: 2, unfinishedRuns: 0 });
});

it('serve tells the ledger at its start, and names the secrets of runs that did not publish', async () => {
  const mend = refuse('completions');
  expect((await train('c')).code).toBe(0);
  mend();
  writeFileSync(at('models/d.noise-key'), Buffer.alloc(64, 7), { mode: 0o600 });
  const args = ['serve', '--models', at('models'), '--port', '0', '--ledger', ledger];
  const server = started(process.execPath, [hushrec, ...args], folder, {});
  await new Promise<void>((resolve) => {
    server.child.stderr?.on('data', (text) => String(text).includes('Ctrl-C') && resolve());
    server.child.once('exit', () => resolve());
  });
  server.child.kill('SIGTERM');
  const { errors } = await server;
  expect(errors).toMatch(/d\.noise-key is the secret of a run .* as sensitive as the data.*--resume/);
  expect(left()).toEqual(['d.noise-key']);
  expect((await balance()).unfinishedRuns).toBe(0);
  rmSync(at('models/d.noise-key'));
});

it('a ledger that fails before it charges leaves no secret, and keeps that of a run it had charged', async () => {
  const mend = refuse('entries');
  const run = await train('never');
  expect([run.code, left()], run.errors).toEqual([exitCodes.privacyRefused, []]);
  expect(run.errors).toContain('no room left');
  expect(existsSync(at('models/never'))).toBe(false);
  mend();
  const { runs } = await balance();
  // A key that is there was paid for by a run that stopped: it comes back.
  writeFileSync(at('models/never.noise-key'), Buffer.alloc(64, 7), { mode: 0o600 });
  const again = refuse('entries');
  expect((await train('never')).code).toBe(exitCodes.privacyRefused);
  again();
  expect(left()).toEqual(['never.noise-key']);
  expect((await balance()).runs).toBe(runs);
  rmSync(at('models/never.noise-key'));
});

it.skipIf(process.getuid?.() === 0)('so does one that may not be written', async () => {
  chmodSync(ledger, 0o400);
  const run = await train('readonly');
  chmodSync(ledger, 0o600);
  expect(run.code).not.toBe(0);
  expect(left()).toEqual([]);
});
