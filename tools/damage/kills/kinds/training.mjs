import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openLedger } from '@hushrec/ledger';
import { verifyPublished } from '@hushrec/model';
import { readModelFiles } from '@hushrec/model/folder';
import { importSource, openDataset } from '@hushrec/ratings';
import { runQuietly } from '../../quiet-command.mjs';
import { protection, ratingsFile, scale } from '../content.mjs';
import { killed } from '../killed.mjs';
import { trainingArguments } from '../training-arguments.mjs';

/** `hushrec train`, killed and run again: one whole model, paid for once. */
export async function training(folder) {
  await importSource(ratingsFile(folder, 0), join(folder, 'set'), { scale });
  const { id } = (await openDataset(join(folder, 'set'))).manifest.account;
  const ledger = await openLedger(join(folder, 'ledger.sqlite'), { create: true });
  await ledger.grant(id, { epsilon: 1e5, delta: 1e-5, protection });
  await ledger.close();
  let paid = 0;
  /** Follows how long training takes here, so that some three in four are killed before their end. */
  let mostMs = 1500;
  return async (round, how) => {
    const out = join(folder, `model-${round}`);
    const again = ['training', folder, String(round)];
    const { wasKilled } = await killed(again, { ...how, mostMs });
    mostMs *= wasKilled ? 1.03 : 0.9;
    const isLeft = () => ['noise-key', 'unreported'].some((ending) => existsSync(`${out}.${ending}`));
    // A kill after the folder was put in its place may leave a secret, or the ledger to be told.
    if (wasKilled && (!existsSync(out) || isLeft())) {
      // Most are finished from here, which saves the start of a process.
      if (round % 10 === 0) await killed(again, { asFirst: how.asFirst });
      else {
        const { code, errors } = await runQuietly(trainingArguments(folder, out));
        if (code !== 0) return { fault: `it was not finished: ${errors}` };
      }
    }
    if (isLeft()) return { fault: 'the secret is still there, or the ledger was not told' };
    const { ok, checks } = await verifyPublished(await readModelFiles(out));
    if (!ok)
      return { fault: `the model does not verify: ${JSON.stringify(checks.filter((each) => !each.ok))}` };
    const opened = await openLedger(join(folder, 'ledger.sqlite'));
    const spends = (await opened.entries()).filter(
      ({ event, account }) => event.kind === 'spend' && account === id,
    );
    await opened.close();
    rmSync(out, { recursive: true });
    paid++;
    return {
      wasKilled,
      fault: spends.length === paid ? undefined : `${spends.length} charges for ${paid} runs`,
    };
  };
}
