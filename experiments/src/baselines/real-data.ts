import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Dataset, importSource, openDataset } from '@hushrec/ratings';
import type { ExperimentContext } from '../experiment.js';

/** An experiment on real data was asked for without the data. */
export class MissingDataError extends Error {
  override readonly name = 'MissingDataError';
  readonly folder: string;
  constructor(folder: string) {
    super(`This experiment needs the data set "${folder}". Give the folder that holds it with --data.`);
    this.folder = folder;
  }
}

/** Path of a file below the data folder of this run. */
export function dataPath(context: ExperimentContext, ...path: readonly string[]): string {
  if (context.data === undefined) throw new MissingDataError(path[0] ?? '');
  return join(context.data, ...path);
}

/** Imports a file or folder as `hushrec import` does, checks included, and opens it; nothing is left on disk. */
export async function importRealData(
  context: ExperimentContext,
  ...path: readonly string[]
): Promise<Dataset> {
  const source = dataPath(context, ...path);
  const folder = await mkdtemp(join(tmpdir(), 'hushrec-experiment-'));
  try {
    context.progress(`importing ${path.join('/')}`, 0, 1);
    await importSource(source, join(folder, 'dataset'), { signal: context.signal });
    return await openDataset(join(folder, 'dataset'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
