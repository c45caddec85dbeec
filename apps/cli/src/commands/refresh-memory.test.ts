import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Certificate } from '@hushrec/model';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from '../run-command.test.data.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-refresh-memory-'));
const at = (name: string) => join(folder, name);
const shop = at('shop');

function night(number: number): string {
  const file = at(`night-${number}.csv`);
  const rows = Array.from(
    { length: 600 },
    (_, k) => `u${k % 60},i${(k * 7 + number) % 25},${1 + ((k + number) % 5)},${1_600_000_000 + k}`,
  );
  writeFileSync(file, `user,item,rating,time\n${rows.join('\n')}\n`);
  return file;
}
const certificate = (model: string): Certificate =>
  JSON.parse(readFileSync(join(at(model), 'certificate.json'), 'utf8'));
const memory = (model: string) => readFileSync(`${at(model)}.memory`);
const refresh = async (model: string, ...args: string[]) => {
  const run = await runCommand('refresh', shop, '--model', at(model), ...args, '--json');
  expect(run.code, run.errors).toBe(0);
  return run;
};
/** A model and what it remembers, from long before this month's period of the grant. */
const copyOfFirst = (model: string) => {
  cpSync(at('first'), at(model), { recursive: true });
  cpSync(`${at('first')}.memory`, `${at(model)}.memory`);
};

beforeAll(async () => {
  const ran = async (...args: string[]) => {
    const run = await runCommand(...args);
    expect(run.code, run.errors).toBe(0);
  };
  await ran('import', night(1), shop, '--scale', '1:5:1');
  const grant = ['--epsilon', '40', '--delta', '1e-6', '--per', 'month', '--note', 'test'];
  await ran('ledger', 'grant', shop, ...grant);
  await refresh('first', ...['--epsilon', '1', '--delta', '1e-6', '--people', '60'], '--date', '2020-01-01');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('begins anew with a new period of the grant, and says so', async () => {
  copyOfFirst('by-itself');
  const run = await refresh('by-itself', '--from', night(2), '--append');
  expect(run.errors).toMatch(
    /Memory begins anew: a new period of the grant began on .*--keep-memory goes on/,
  );
  expect(run.json).toMatchObject({ epsilon: 1, lastRunEpsilon: 1, rememberedRuns: 0 });
  expect(certificate('by-itself').chain).toBeUndefined();
  expect(memory('by-itself')).not.toEqual(memory('first'));
  // The next one is in the same period.
  const next = await refresh('by-itself', '--force');
  expect(next.json).toMatchObject({ lastRunEpsilon: 1, rememberedRuns: 1 });
  expect((next.json as { epsilon: number }).epsilon).toBeGreaterThan(1.4);
});

it('goes on over the end of a period with --keep-memory, at the ε of the whole chain', async () => {
  copyOfFirst('kept');
  const run = await refresh('kept', '--force', '--keep-memory');
  expect(run.json).toMatchObject({ lastRunEpsilon: 1, rememberedRuns: 1 });
  const { chain, epsilon } = certificate('kept');
  expect(chain).toMatchObject({ lastRun: 1, earlier: [{ count: 1 }] });
  expect(epsilon).toBeGreaterThan(1.4);
});

it('trains from nothing with --no-memory, and leaves the memory as it is', async () => {
  copyOfFirst('without');
  const run = await refresh('without', '--force', '--no-memory');
  expect(run.json).toMatchObject({ epsilon: 1, rememberedRuns: 0 });
  expect(certificate('without').chain).toBeUndefined();
  expect(memory('without')).toEqual(memory('first'));
  expect(existsSync(`${at('without')}.memory.next`)).toBe(false);
});

it('begins anew when told, and refuses two answers to one question', async () => {
  copyOfFirst('told');
  const run = await refresh('told', '--force', '--begin-anew');
  expect(run.errors).toContain('Memory begins anew: asked for.');
  expect(certificate('told').chain).toBeUndefined();
  const both = await runCommand(
    ...['refresh', shop, '--model', at('told'), '--begin-anew', '--keep-memory', '--json'],
  );
  expect(both.code).toBe(2);
});

it('publishes releases and memory as the live model does, so that verify recomputes it, with features too', async () => {
  const genres = at('genres.csv');
  const rows = Array.from({ length: 25 }, (_, item) => `i${item},${['drama', 'comedy', 'horror'][item % 3]}`);
  writeFileSync(genres, `item,genre\n${rows.join('\n')}\n`);
  const features = ['--features', genres, '--kind', 'categorical'];
  await refresh(
    'open',
    ...['--epsilon', '1', '--delta', '1e-6', '--people', '60'],
    ...features,
    '--with-releases',
  );
  const run = await refresh('open', '--force', ...features);
  expect(run.json).toMatchObject({ rememberedRuns: 1 });
  expect(existsSync(join(at('open'), 'memory.bin'))).toBe(true);
  const verified = await runCommand('verify', at('open'), '--data', shop, ...features);
  expect(verified.code, verified.errors + verified.text).toBe(0);
  expect(verified.text).toMatch(
    /from the memory of 1 earlier run and the releases of the last one \(the earlier runs themselves were not\)/,
  );
});
