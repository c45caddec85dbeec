/**
 * A process made to be killed: `node killed-process.test.data.js <spend|train> <ledger> <folder>`. It writes
 * down what it did in `<folder>/<pid>.log`, one line per step, after the step; lines reach the operating
 * system at once and outlive the process.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { calibrate, createRecorder, type ReleasePlan, sensitive } from '@hushrec/privacy';
import { gaussianAccountant } from './example-accountant.test.data.js';
import { jobKeyOf } from './job-key.js';
import type { Ledger } from './ledger.js';
import { BudgetExceededError } from './ledger-errors.js';
import type { Receipt } from './ledger-requests.js';
import { openLedger } from './open-ledger.js';

export const killedAccount = 'c'.repeat(32);
const protection = { unit: 'user', relation: 'add-remove' } as const;
/** μ = 0.01 a run: 400 runs make μ = 0.2. */
export const killedCharge = {
  kind: 'event',
  event: { kind: 'gaussian', sensitivity: 1, noise: 100 },
} as const;

const plan: ReleasePlan = {
  ...protection,
  released: 'sums',
  releases: [{ name: 'sums', mechanism: { kind: 'gaussian' }, sensitivity: 1, count: 5, share: 1 }],
};

/** Pays for one job after the other until the budget is used up. */
async function spendForever(ledger: Ledger, log: (line: string) => void): Promise<void> {
  for (;;) {
    const jobKey = randomUUID();
    try {
      const asked = { account: killedAccount, jobKey, method: 'toy', protection, charge: killedCharge };
      const { entry } = await ledger.spend(asked);
      log(`paid ${entry}`);
    } catch (error) {
      if (!(error instanceof BudgetExceededError)) throw error;
      log('refused');
      return;
    }
  }
}

/** Trains one model after the other, resuming the one that was under way when the last process died. */
async function trainForever(ledger: Ledger, folder: string, log: (line: string) => void): Promise<void> {
  const job = join(folder, 'job.key');
  for (;;) {
    if (!existsSync(job)) {
      writeFileSync(`${job}.new`, randomBytes(32));
      renameSync(`${job}.new`, job);
    }
    const key = new Uint8Array(readFileSync(job));
    const calibrated = calibrate(plan, { epsilon: 0.01, delta: 1e-5 });
    const jobKey = jobKeyOf({
      dataset: killedAccount,
      method: 'toy',
      settings: {},
      plan: calibrated,
      noiseKeyHash: createHash('sha256').update(key).digest('hex'),
    });
    const event = calibrated.releases[0].event;
    const charge = { kind: 'event', event: { kind: 'repeated', event, count: 5 } } as const;
    let paid: Receipt | undefined;
    const recorder = createRecorder(calibrated, {
      key,
      identity: killedAccount,
      job: jobKey,
      beforeRelease: async () => {
        paid = await ledger.spend({ account: killedAccount, jobKey, method: 'toy', protection, charge });
      },
    });
    try {
      for (let step = 0; step < 5; step++) {
        const release = recorder.begin('sums');
        const sums = sensitive(new Float64Array(100).fill(step), 'l2', 1);
        const noisy = await release.add(0, sums, 1);
        release.close();
        const digest = createHash('sha256').update(new Uint8Array(noisy.buffer)).digest('hex');
        log(`released ${paid!.entry} ${step} ${digest}`);
      }
    } catch (error) {
      if (!(error instanceof BudgetExceededError)) throw error;
      log('refused');
      return;
    }
    recorder.finish();
    rmSync(job);
  }
}

if (process.argv[1]?.endsWith('killed-process.test.data.js')) {
  const [, , mode, location, folder] = process.argv as unknown as [string, string, string, string, string];
  const file = openSync(join(folder, `${process.pid}-${Date.now()}.log`), 'a');
  const log = (line: string) => void writeSync(file, `${line}\n`);
  const ledger = await openLedger(location, { accountant: gaussianAccountant, create: true });
  log('ready');
  process.stdout.write('ready\n');
  await (mode === 'train' ? trainForever(ledger, folder, log) : spendForever(ledger, log));
  await ledger.close();
}
