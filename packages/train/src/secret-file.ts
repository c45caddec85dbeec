import { readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { checkedSecret, freshSecret, SECRET_BYTES, sha256Hex, WeakSecretError } from '@hushrec/privacy';
import { disk, type FileSystem, writeDurably } from '@hushrec/ratings';

/**
 * The secret of a run, kept beside the model that is being made until it is written. A run that stopped
 * half-way is repeated with it: the same noise on the same statistics, hence no second release and no second
 * charge. As sensitive as the data; destroyed when the run ends.
 */
export interface KeptSecret {
  readonly bytes: Uint8Array;
  readonly resumed: boolean;
  readonly file: string;
  destroy(): Promise<void>;
  /**
   * For a run that was not charged: a fresh secret goes, and one of an earlier run that it took the place of,
   * which may be paid for, comes back.
   */
  abandon(): Promise<void>;
}

/** A kept secret that cannot be used, and why. */
export class KeptSecretError extends Error {
  override readonly name = 'KeptSecretError';
  readonly kind = 'privacy';
  constructor(file: string, reason: string, options?: ErrorOptions) {
    super(
      `${file}: ${reason} What was paid for with it is lost. Start a new run without --resume (it is charged again), and delete the file.`,
      options,
    );
  }
}

/** Where the secret of a run lies while its model is being made. */
export function secretFileOf(modelDirectory: string): string {
  return `${modelDirectory}.noise-key`;
}

/**
 * A fresh secret for a run, durable before it is used; or with `resume` the one that an earlier attempt at
 * the same job left. The file holds the secret and a digest of the job (settings, plan, selection, data): the
 * secret of another job is refused, since noise for one must never be seen beside another. It is written
 * beside its place, synced and renamed, so that it is there whole or not at all.
 *
 * @throws KeptSecretError for a file that is cut short, not random, or of another job
 */
export async function secretFor(
  modelDirectory: string,
  job: string,
  resume: boolean,
  files: FileSystem = disk,
): Promise<KeptSecret> {
  const file = secretFileOf(modelDirectory);
  const destroy = () => rm(file, { force: true });
  const kept = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (resume && kept !== undefined)
    return { bytes: keptSecret(file, kept, job), resumed: true, file, destroy, abandon: async () => {} };
  const bytes = freshSecret();
  await writeWhole(files, file, Buffer.concat([bytes, jobDigest(job, bytes)]));
  const abandon = () => (kept === undefined ? destroy() : writeWhole(files, file, kept));
  return { bytes, resumed: false, file, destroy, abandon };
}

function keptSecret(file: string, kept: Uint8Array, job: string): Uint8Array {
  const secret = kept.subarray(0, SECRET_BYTES);
  try {
    checkedSecret(secret);
  } catch (error) {
    if (!(error instanceof WeakSecretError)) throw error;
    throw new KeptSecretError(file, 'it does not hold the secret of a run.', { cause: error });
  }
  if (
    kept.length !== 2 * SECRET_BYTES ||
    Buffer.compare(kept.subarray(SECRET_BYTES), jobDigest(job, secret)) !== 0
  )
    throw new KeptSecretError(file, 'it is the secret of another run: settings, data or budget differ.');
  return secret;
}

/** Bound to the secret, so that the file does not tell what the job was. */
function jobDigest(job: string, secret: Uint8Array): Uint8Array {
  return Buffer.from(sha256Hex(Buffer.concat([secret, Buffer.from(job)])), 'hex');
}

async function writeWhole(files: FileSystem, file: string, bytes: Uint8Array): Promise<void> {
  await files.makeFolder(dirname(file));
  const staging = join(dirname(file), `.${basename(file)}.writing`);
  try {
    await files.remove(staging);
    await writeDurably(files, staging, bytes, 0o600);
    await files.rename(staging, file);
    await files.syncFolder(dirname(file));
  } catch (error) {
    await files.remove(staging);
    throw error;
  }
}
