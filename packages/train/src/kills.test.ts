import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openLedger } from '@hushrec/ledger';
import { fileNames, verifyPublished } from '@hushrec/model';
import { readModelFiles, readModelFolder } from '@hushrec/model/folder';
import { exportCsv, generateCatalogue, importSource } from '@hushrec/ratings';
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
let data: string;
beforeAll(async () => {
  expect(existsSync(program), 'build first: npm run build').toBe(true);
  folder = await mkdtemp(join(tmpdir(), 'hushrec-kills-'));
  ledger = join(folder, 'ledger.sqlite');
  data = join(folder, 'data');
  const content = generateCatalogue({ users: 80, items: 16, ratings: 600, seed: 4 });
  await exportCsv(join(folder, 'same.csv'), content);
  const text = await readFile(join(folder, 'same.csv'), 'utf8');
  await writeFile(join(folder, 'other.csv'), `${text}someone else,${content.itemIds[0]},3,1600000000\n`);
  await importAgain('same');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Imports the same content, or other, over what is there: the account stays. */
async function importAgain(content: 'same' | 'other'): Promise<void> {
  const scale = { min: 0.5, max: 5, step: 0.5 };
  await importSource(join(folder, `${content}.csv`), data, { overwrite: true, scale });
}

/** One attempt; null when it was killed. */
function call(out: string, step = 'none', later = 0): Promise<{ code: number | null; errors: string }> {
  const child = spawn(process.execPath, [program, out, ledger, data, step, String(later)], {
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

it(`a call killed between any two steps pays once, with one set of noise, and leaves nothing behind, the data imported again meanwhile: ${kills} kills`, async () => {
  let killed = 0;
  let paidBefore = 0;
  let refused = 0;
  for (let model = 0; killed < kills; model++) {
    const out = join(folder, `model-${model}`);
    const partial: Uint8Array[] = [];
    // The first kills go through all steps in turn; later ones fall anywhere. Most calls begin while the same
    // content is being imported again, which one of them may find unreadable.
    for (let times = randomInt(1, 4); times > 0 && killed < kills && !existsSync(out); times--) {
      const step = steps[killed % steps.length];
      const isFirst = killed < steps.length;
      const [{ code }] = await Promise.all([
        call(out, step, isFirst ? 0 : randomInt(60)),
        isFirst ? undefined : sleep(randomInt(400)).then(() => importAgain('same')),
      ]);
      if (code === null) killed++;
      else break;
      if (existsSync(`${out}.releases`)) partial.push(await readFile(`${out}.releases`));
    }
    if (existsSync(out)) expect((await verifyPublished(await readModelFiles(out))).ok).toBe(true);
    // Other people are not trained on under what these have paid, nor with their secret.
    if (!existsSync(out) && existsSync(`${out}.noise-key`)) {
      await importAgain('other');
      const paid = (await spends()).length;
      const { code, errors } = await call(out);
      expect(code).toBe(1);
      expect(errors).toContain('secret of another run');
      expect(existsSync(out)).toBe(false);
      expect((await spends()).length).toBe(paid);
      await importAgain('same');
      refused++;
    }
    // Whoever is killed after the folder is in place leaves the secret, or the ledger to be told; the same
    // call again finishes what is left to do.
    if (!existsSync(out) || existsSync(`${out}.noise-key`) || existsSync(`${out}.unreported`))
      expect(await call(out)).toMatchObject({ code: 0 });
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
  expect(refused).toBeGreaterThan(0);
  console.log(
    `${killed} kills of the training call: ${paidBefore} models, each paid for once; ${refused} calls refused on other data.`,
  );
}, 3_600_000);
