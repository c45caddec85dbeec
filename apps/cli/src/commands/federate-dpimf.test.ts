import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@hushrec/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { runCommand } from '../run-command.test.data.js';

const program = fileURLToPath(new URL('../../bin/hushrec.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'hushrec-dpimf-'));
const running: ChildProcess[] = [];
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** A role as a process of its own, with a ledger of its own. */
function start(name: string, ...args: string[]): Promise<{ code: number; text: string; errors: string }> {
  const child = spawn(process.execPath, [program, 'federate', ...args, '--json'], {
    env: { ...process.env, HUSHREC_LEDGER: join(folder, `${name}.sqlite`) },
  });
  running.push(child);
  let text = '';
  let errors = '';
  child.stdout.on('data', (chunk) => (text += chunk));
  child.stderr.on('data', (chunk) => (errors += chunk));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code: code ?? -1, text, errors })));
}

/**
 * Two parties: with shared items each has readers of its own, with shared users each has books of its own.
 */
async function stage(shared: 'items' | 'users') {
  const at = (...path: string[]) => join(folder, shared, ...path);
  mkdirSync(at(), { recursive: true });
  const listen = new Map<string, string>();
  for (const name of ['board', 'north', 'south']) {
    listen.set(name, `127.0.0.1:${await freePort()}`);
    const made = await runCommand(
      ...['federate', 'identity', at(name), '--name', name, '--url', `https://${listen.get(name)}`],
    );
    expect(made.code, made.errors).toBe(0);
  }
  const common = Array.from({ length: 12 }, (_, k) => (shared === 'items' ? `book-${k}` : `reader-${k}`));
  const list = shared === 'items' ? common.map((id) => `${id},Title of ${id}`) : common;
  writeFileSync(at('list.csv'), `${shared === 'items' ? 'item,title' : 'id'}\n${list.join('\n')}\n`);
  for (const name of ['north', 'south']) {
    const rows = Array.from({ length: 60 }, (_, k) =>
      shared === 'items'
        ? `${name}-reader-${k % 10},book-${(k * 5 + Math.floor(k / 10)) % 12}`
        : `reader-${k % 12},${name}-book-${(k * 5 + Math.floor(k / 12)) % 8}`,
    );
    writeFileSync(at(`${name}.csv`), `user,item\n${rows.join('\n')}\n`);
  }
  const session = at('session.json');
  const written = await runCommand(
    ...[
      'federate',
      'dpimf-session',
      session,
      '--shared',
      shared,
      '--list',
      at('list.csv'),
      '--epsilon',
      '20',
    ],
    ...['--set', 'rank=2', '--coordinator', at('board', 'identity.json')],
    ...['--party', at('north', 'identity.json'), '--party', at('south', 'identity.json')],
  );
  expect(written.code, written.errors).toBe(0);
  expect(written.text).toContain('protected by the party it lies with');
  const party = (name: string, out = `model-${name}`) =>
    start(
      `${shared}-${name}`,
      ...['dpimf-party', at(name), '--session', session, '--ratings', at(`${name}.csv`), '--out', at(out)],
      ...['--listen', listen.get(name)!, '--new-ledger'],
    );
  const coordinator = () => start(`${shared}-board`, 'dpimf-coordinator', at('board'), '--session', session);
  return { at, party, coordinator };
}

describe('dpimf among processes, each with its own noise', () => {
  it.each(['items', 'users'] as const)(
    'shared %s: every party has a model that verifies, charged to its own ledger',
    { timeout: 120_000 },
    async (shared) => {
      const { at, party, coordinator } = await stage(shared);
      const [board, ...parties] = await Promise.all([coordinator(), party('north'), party('south')]);
      expect(board.code, board.errors).toBe(0);
      expect(JSON.parse(board.text)).toMatchObject({ rounds: 2, parties: ['north', 'south'], lost: [] });
      for (const { code, errors, text } of parties) {
        expect(code, errors).toBe(0);
        expect(JSON.parse(text)).toMatchObject({ unit: 'rating-presence', epsilon: 20 });
        expect(JSON.parse(text).ledgerEntry).toMatch(/\w/);
      }
      const tensors = ['north', 'south'].map((name) =>
        readFileSync(at(`model-${name}`, 'item-factors.safetensors')),
      );
      // Shared items have one table of vectors; where users are shared each party has items of its own.
      expect(tensors[0].equals(tensors[1])).toBe(shared === 'items');
      for (const name of ['north', 'south']) {
        const verified = await runCommand('verify', at(`model-${name}`), '--json');
        expect(verified.json, verified.errors).toMatchObject({ ok: true });
        const certificate = JSON.parse(readFileSync(at(`model-${name}`, 'certificate.json'), 'utf8'));
        expect(certificate).toMatchObject({ simulation: false, method: 'dpimf' });
        expect(certificate.tuning).toContain(`${name} noised its own sums`);
      }
    },
  );
});
