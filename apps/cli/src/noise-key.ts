import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * The secret all noise of a run derives from, kept beside the model that is being made until it is written. A run that
 * stopped half-way is repeated with it (`--resume`): the same noise on the same statistics, hence no second release
 * and no second charge. As sensitive as the data; destroyed when the run ends.
 */
export interface NoiseKey {
  readonly bytes: Uint8Array;
  readonly resumed: boolean;
  destroy(): Promise<void>;
}

export async function noiseKeyFor(modelDirectory: string, resume: boolean): Promise<NoiseKey> {
  const file = `${modelDirectory}.noise-key`;
  const destroy = () => rm(file, { force: true });
  if (resume && existsSync(file)) return { bytes: await readFile(file), resumed: true, destroy };
  const bytes = randomBytes(32);
  await mkdir(dirname(file), { recursive: true });
  const handle = await open(file, 'w', 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  const folder = await open(dirname(file), 'r');
  await folder.sync().finally(() => folder.close());
  return { bytes, resumed: false, destroy };
}
