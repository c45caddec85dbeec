import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markInUse, ownerMark, removeAbandoned } from './abandoned.js';

const start = 'hushrec-scratch-';

/**
 * Runs `work` with a temporary folder, for this user alone, that is removed afterwards, also on failure; one
 * whose process was killed goes with the next.
 */
export async function withScratchFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  await removeAbandoned(tmpdir(), start);
  const folder = await mkdtemp(join(tmpdir(), `${start}${ownerMark()}`));
  const release = markInUse(folder);
  try {
    return await work(folder);
  } finally {
    release();
    await rm(folder, { recursive: true, force: true });
  }
}
