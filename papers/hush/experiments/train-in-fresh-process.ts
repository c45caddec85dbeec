import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { RatingMatrix, RatingScale } from '@hushrec/ratings';
import { builtFile } from '../../harness/built-file.js';

/** What a fresh process is asked to train. */
export interface TrainOnce {
  readonly method: string;
  readonly settings: Readonly<Record<string, number | boolean>>;
  /** null: without privacy. */
  readonly epsilon: number | null;
  readonly userCount: number;
  readonly itemCount: number;
  readonly ratingCount: number;
  readonly scale: RatingScale;
}

/** High-water marks of the process's resident memory, in bytes. */
export interface TrainOnceResult {
  /** With the ratings loaded and the engine ready. */
  readonly before: number;
  /** After the training. */
  readonly peak: number;
}

/** Runs trainings of one data set, each in a Node process of its own; `close` removes the files they read. */
export interface FreshProcesses {
  train(
    request: Pick<TrainOnce, 'method' | 'settings' | 'epsilon'>,
    signal: AbortSignal,
  ): Promise<TrainOnceResult>;
  close(): Promise<void>;
}

export async function freshProcesses({
  byUser,
  userCount,
  itemCount,
  scale,
}: RatingMatrix): Promise<FreshProcesses> {
  const folder = await mkdtemp(join(tmpdir(), 'hushrec-'));
  await writeFile(join(folder, 'offsets'), byUser.offsets);
  await writeFile(join(folder, 'indices'), byUser.indices);
  await writeFile(join(folder, 'values'), byUser.values);
  const program = fileURLToPath(builtFile('hush/experiments/train-once.js'));
  const data = { userCount, itemCount, scale, ratingCount: byUser.indices.length };
  return {
    train: async (request, signal) => {
      const once: TrainOnce = { ...request, ...data };
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [program, folder, JSON.stringify(once)],
        { signal },
      );
      return JSON.parse(stdout) as TrainOnceResult;
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
