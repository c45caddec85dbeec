import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLedger } from '@hushrec/ledger';
import { fileNames, verifyPublished } from '@hushrec/model';
import { readModelFiles, readModelFolder } from '@hushrec/model/folder';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TrainingStep } from './failure.js';
import { recomputeModel } from './recompute-model.js';

/** `npm run kills` makes 300. */
const kills = Number(process.env['HUSHREC_KILLS'] ?? 30);
const program = fileURLToPath(new URL('../dist/killed-call.test.data.js', import.meta.url));
const steps: readonly TrainingStep[] = [
  'plan',
  'rehearse',
  'charge',
  'train',
  'certify',
  'publish',
  'complete',
];

let folder: string;
let ledger: string;
beforeAll(async () => {
  expect(existsSync(program), 'build first: npm run build').toBe(true);
  folder = await mkdtemp(join(tmpdir(), 'hushrec-kills-'));
  ledger = join(folder, 'ledger.sqlite');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** One attempt; null when it was killed. */
function call(
  out: string,
  identity: string,
  step = 'none',
  later = 0,
): Promise<{ code: number | null; errors: string }> {
  const child = spawn(process.execPath, [program, out, ledger, identity, step, String(later)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (text) => {
    errors += text;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, errors })));
}

async function spends(): Promise<readonly string[]> {
  if (!existsSync(ledger)) return [];
  const book = await openLedger(ledger);
  try {
    return (await book.entries()).flatMap(({ event, hash }) => (event.kind === 'spend' ? [hash] : []));
  } finally {
    await book.close();
  }
}

it(`a call killed between any two steps pays once, with one set of noise, and leaves nothing behind: ${kills} kills`, async () => {
  let killed = 0;
  let paidBefore = 0;
  for (let model = 0; killed < kills; model++) {
    const out = join(folder, `model-${model}`);
    const partial: Uint8Array[] = [];
    // The first kills go through all steps in turn; later ones fall anywhere.
    for (let times = randomInt(1, 4); times > 0 && killed < kills && !existsSync(out); times--, killed++) {
      const step = steps[killed % steps.length];
      const { code } = await call(out, 'data', step, killed < steps.length ? 0 : randomInt(60));
      if (code !== null) break;
      if (existsSync(`${out}.releases`)) partial.push(await readFile(`${out}.releases`));
    }
    if (existsSync(out)) expect((await verifyPublished(await readModelFiles(out))).ok).toBe(true);
    // Whoever is killed after the folder is in place leaves the secret; the same call again finishes what is
    // left to do.
    if (!existsSync(out) || existsSync(`${out}.noise-key`))
      expect(await call(out, 'data')).toMatchObject({ code: 0 });
    const files = await readModelFiles(out);
    const { certificate } = await readModelFolder(out);
    const paid = await spends();
    expect(paid).toContain(certificate.ledgerEntry);
    expect(paid.length).toBe(paidBefore + 1);
    paidBefore = paid.length;
    const log = Buffer.from(files.get(fileNames.releases)!);
    for (const part of partial) expect(log.subarray(0, part.length).equals(part)).toBe(true);
    expect(await recomputeModel(files)).toMatchObject({ check: { ok: true } });
    const left = (await readdir(folder)).filter((name) => name.includes(`model-${model}`));
    expect(left).toEqual([`model-${model}`]);
  }
}, 1_800_000);

it('does not use the secret of a killed run for other data, which would show one noise beside another', async () => {
  const out = join(folder, 'changed');
  expect((await call(out, 'data', 'certify')).code).toBe(null);
  const { code, errors } = await call(out, 'other data');
  expect(code).toBe(1);
  expect(errors).toContain('secret of another run');
  expect(existsSync(out)).toBe(false);
}, 60_000);
