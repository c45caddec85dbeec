import { readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeWhole } from './whole-file.js';

/** Beside the model, for operators only: it holds the hash of a data set's content. */
const fileOf = (model: string) => `${model}.refreshing`;

/**
 * What the data set held when this model was refreshed last, durable before anything is imported: a refresh
 * that imports and then fails (a full disk, a spent budget, a kill) leaves the model behind the data, and the
 * next one must not find that nothing is new.
 */
export async function contentAtLastRefresh(model: string, now: string): Promise<string> {
  const kept = await readFile(fileOf(model), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (kept !== undefined) return kept.trim();
  await writeWhole(fileOf(model), `${now}\n`, 0o600);
  return now;
}

/** The model is no longer behind the data. */
export async function endRefresh(model: string): Promise<void> {
  const { disk } = await import('@hushrec/ratings');
  await rm(fileOf(model), { force: true });
  await disk.syncFolder(dirname(model));
}
