import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { defaultLedgerLocation, openLedger } from '@hushrec/ledger';
import { verifyPublished } from '@hushrec/model';
import { readModelFiles, readModelFolder } from '@hushrec/model/folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { main } from './main.js';

/** `HUSHREC_KILLS=300 npx vitest run apps/cli/src/killed-training.test.ts` is the full trial. */
const kills = Number(process.env['HUSHREC_KILLS'] ?? 4);
const program = fileURLToPath(new URL('../bin/hushrec.js', import.meta.url));
const built = fileURLToPath(new URL('../dist/main.js', import.meta.url));

let folder: string;
let dataset: string;
beforeAll(async () => {
  expect(existsSync(built), 'build first: npm run build').toBe(true);
  folder = mkdtempSync(join(tmpdir(), 'hushrec-killed-'));
  dataset = join(folder, 'data');
  const args = ['generate', dataset, '--people', '200', '--items', '40', '--ratings', '3000', '--seed', '1'];
  expect(await main([...args, '--json'])).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * Trains in a process of its own; killed after some milliseconds, or run to its end. Returns the exit code.
 */
async function train(out: string, killAfter?: number): Promise<number | null> {
  const args = ['train', dataset, '--method', 'dpals', '--epsilon', '0.2', '--delta', '1e-6'];
  const child = spawn(
    process.execPath,
    [program, ...args, '--set', 'rank=4', '--threads', '1', '--out', out, '--resume'],
    {
      stdio: 'ignore',
    },
  );
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  if (killAfter !== undefined) {
    await Promise.race([sleep(killAfter), exited]);
    child.kill('SIGKILL');
  }
  return exited;
}

async function spends(): Promise<string[]> {
  const ledger = await openLedger(defaultLedgerLocation(), { create: true });
  try {
    return (await ledger.entries()).flatMap(({ event, hash }) => (event.kind === 'spend' ? [hash] : []));
  } finally {
    await ledger.close();
  }
}

describe('training that is killed', () => {
  it(`leaves a whole model or none, and pays once for each model: ${kills} kills`, async () => {
    const started = performance.now();
    expect(await train(join(folder, 'unharmed'))).toBe(0);
    const duration = performance.now() - started;
    let models = 1;
    for (let kill = 0; kill < kills; models++) {
      const out = join(folder, `model-${models}`);
      // One or two kills, anywhere between the start and a little after the end; then the run is repeated to
      // its end.
      for (let times = randomInt(1, 3); times > 0 && kill < kills && !existsSync(out); times--, kill++) {
        await train(out, randomInt(Math.ceil(1.1 * duration)));
        if (existsSync(out)) expect((await verifyPublished(await readModelFiles(out))).ok).toBe(true);
        expect((await spends()).length).toBeLessThanOrEqual(models + 1);
      }
      if (!existsSync(out)) expect(await train(out)).toBe(0);
      const { certificate } = await readModelFolder(out);
      const paid = await spends();
      expect(paid).toContain(certificate.ledgerEntry);
      expect(paid.length).toBe(models + 1);
    }
  }, 1_800_000);
});
