import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Ledger } from '@hushrec/ledger';
import type { PublishedModel } from '@hushrec/model';
import { readModelFolder } from '@hushrec/model/folder';
import { keptVersions } from './kept-versions.js';
import { adoptNextMemory } from './memory-file.js';
import { type PaidEntry, paidEntryIn, retireSecret, secretFileOf, unreportedFileOf } from './secret-file.js';

/**
 * What finishing needs: the ledger that was charged, opened when there is something to tell it, and a voice.
 */
export interface Finishing {
  readonly ledger: () => Promise<Ledger | undefined>;
  readonly say: (line: string) => void;
}

/** Where the releases of a run are logged while it trains. */
export function releasesFileOf(modelDirectory: string): string {
  return `${modelDirectory}.releases`;
}

/** Whether a run to this folder left something that `finishLeftOver` or `--resume` is for. */
export function hasLeftOver(modelDirectory: string): boolean {
  return [secretFileOf, unreportedFileOf].some((fileOf) => existsSync(fileOf(resolve(modelDirectory))));
}

/**
 * Finishes a run that published its model and was stopped before its end: the secret goes first, then the
 * ledger is told. Needs neither the data nor the secret. Gives the model; undefined where there is no such
 * run. A run that did not publish is left as it is: `--resume` repeats it.
 */
export async function finishLeftOver(
  modelDirectory: string,
  finishing: Finishing,
): Promise<PublishedModel | undefined> {
  const model = resolve(modelDirectory);
  const paid = (await paidEntryIn(secretFileOf(model))) ?? (await paidEntryIn(unreportedFileOf(model)));
  if (paid === undefined) return undefined;
  const published = await modelPaidBy(model, paid);
  const isPublished = published !== undefined;
  if (existsSync(secretFileOf(model))) {
    if (!isPublished) return undefined;
    await adoptNextMemory(model, published.manifest.run?.memory?.after);
    await retireSecret(model);
    await rm(releasesFileOf(model), { force: true });
  }
  await reportEnd(model, paid, finishing);
  return published;
}

/** The model that an entry paid for: the live one, or one that is kept beside it. */
async function modelPaidBy(model: string, { entry }: PaidEntry): Promise<PublishedModel | undefined> {
  const live = await readModelFolder(model).catch(() => undefined);
  if (live?.certificate.ledgerEntry === entry) return live;
  const kept = await keptVersions(model);
  return kept.find(({ published }) => published.certificate.ledgerEntry === entry)?.published;
}

/**
 * Tells the ledger that a run ended. The model is published and paid for, whatever comes of it: a ledger that
 * fails is told by the next command that finds the note.
 */
export async function reportEnd(model: string, paid: PaidEntry, { ledger, say }: Finishing): Promise<void> {
  const why = await completed(paid, ledger).catch((error: Error) => error.message);
  if (why === undefined) await rm(unreportedFileOf(model), { force: true });
  else
    say(
      `${model} is published and paid for, but its ledger was not told that the run ended: ${why} Nothing is lost. The next train, refresh or serve in this folder tells it (${unreportedFileOf(model)}; it holds no secret).`,
    );
}

/** Undefined, or why it was not completed. */
async function completed({ entry, account }: PaidEntry, open: Finishing['ledger']) {
  const ledger = await open();
  if (ledger === undefined) return 'There is no ledger.';
  // A run notes its content; an entry of another ledger is not known here.
  if ((await ledger.wasTrainedOn(entry, '')) === undefined)
    return `${ledger.location} did not pay for it; give the one that did with --ledger.`;
  await ledger.complete(account, { entry, number: 0, resumed: true });
  return undefined;
}

/**
 * Looks over a folder of models for what runs left that were killed or failed: those that had published are
 * finished, and secrets of others are named with what to do. One that is being trained by another process
 * looks like one that stopped.
 */
export async function finishLeftOvers(
  folder: string,
  finishing: Finishing & { readonly except?: string },
): Promise<void> {
  const names = await readdir(folder).catch((): string[] => []);
  const ending = /\.(noise-key|unreported)$/;
  const models = new Set(
    names.flatMap((name) => (ending.test(name) ? [resolve(folder, name.replace(ending, ''))] : [])),
  );
  for (const model of models) {
    if (finishing.except !== undefined && resolve(finishing.except) === model) continue;
    await finishLeftOver(model, finishing).catch((error: Error) =>
      finishing.say(`What a run to ${model} left cannot be looked at: ${error.message}`),
    );
    if (existsSync(secretFileOf(model)))
      finishing.say(
        `${secretFileOf(model)} is the secret of a run to ${model} that has not ended, as sensitive as the data. ` +
          'Unless it is being trained just now: the command that began it, with --resume, finishes it without a second charge (the page: Resume). Delete the file if nobody wants that model any more.',
      );
  }
}
