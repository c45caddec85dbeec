import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileNames } from '@hushrec/model';
import { readModelFolder } from '@hushrec/model/folder';
import type { Run } from '../state/run.js';
import type { RunStore } from '../state/run-store.js';

/**
 * What training told, read from its model: for a run that is resumed although its training had ended, because
 * the server did not live to note it. The command line finishes a run whose secret or whose
 * note for the ledger is left; it refuses the folder, before it charges or reads anything, where nothing of
 * the run is left but the model. Undefined where the folder is not this run's: not
 * whole, of another method, older, or made since by another run of the same name.
 */
export async function finishedTraining(
  { id, request, createdAt }: Run,
  folder: string,
  store: RunStore,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const { mtime } = await stat(join(folder, fileNames.certificate));
    const { certificate } = await readModelFolder(folder);
    if (certificate.method !== request.method || mtime < new Date(createdAt)) return undefined;
    const others = (await store.list(runsLookedAt)).filter((run) => run.id !== id);
    if (others.some((run) => run.request.model === request.model && run.status === 'done')) return undefined;
    const { method, epsilon, delta, usefulness } = certificate;
    return { method, epsilon, delta, ...(usefulness && { usefulness }) };
  } catch {
    return undefined;
  }
}

const runsLookedAt = 1000;
