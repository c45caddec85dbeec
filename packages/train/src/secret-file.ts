import { open, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { checkedSecret, freshSecret, SECRET_BYTES, sha256Hex, WeakSecretError } from '@hushrec/privacy';
import { disk, type FileSystem, writeDurably } from '@hushrec/ratings';

/**
 * The secret of a run, kept beside the model that is being made until it is written. A run that stopped
 * half-way is repeated with it: the same noise on the same statistics, hence no second release and no second
 * charge. As sensitive as the data; destroyed when the model is published.
 */
export interface KeptSecret {
  readonly bytes: Uint8Array;
  readonly resumed: boolean;
  readonly file: string;
  /** Notes in the file which entry paid, so that a model with this entry is known to be made with it. */
  notePaid(by: PaidEntry): Promise<void>;
  /**
   * The model is in place, and nothing needs the secret any more: it is overwritten, and what is left of the
   * file, which entry to complete, becomes `unreportedFileOf`.
   */
  retire(): Promise<void>;
  /**
   * For a run that was not charged: a fresh secret goes, and one of an earlier run that it took the place of,
   * which may be paid for, comes back.
   */
  abandon(): Promise<void>;
}

/** An entry of a ledger that paid for a run, and the account it is in. */
export interface PaidEntry {
  readonly entry: string;
  readonly account: string;
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
 * Where the entry of a published model is noted until the ledger was told that its run ended. Holds no
 * secret.
 */
export function unreportedFileOf(modelDirectory: string): string {
  return `${modelDirectory}.unreported`;
}

/**
 * A fresh secret for a run, durable before it is used; or with `resume` the one that an earlier attempt at
 * the same job left. The file holds the secret, a digest of the job (settings, plan, selection, data) and,
 * once that is known, the entry that paid: the secret of another job is refused, since noise for one must
 * never be seen beside another. It is written beside its place, synced and renamed, so that it is there whole
 * or not at all.
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
  const kept = await readFile(file).catch(absent);
  const isKept = resume && kept !== undefined;
  const bytes = isKept ? keptSecret(file, kept, job) : freshSecret();
  const content = Buffer.concat([bytes, jobDigest(job, bytes)]);
  if (!isKept) await writeWhole(files, file, content);
  return {
    bytes,
    resumed: isKept,
    file,
    notePaid: ({ entry, account }) =>
      writeWhole(files, file, Buffer.concat([content, Buffer.from(entry + account, 'hex')])),
    retire: () => retireSecret(modelDirectory),
    abandon: async () => {
      if (isKept) return;
      if (kept === undefined) await rm(file, { force: true });
      else await writeWhole(files, file, kept);
    },
  };
}

/**
 * Which entry paid for the run of a kept secret, or is still to be completed; undefined where it is not
 * noted.
 */
export async function paidEntryIn(file: string): Promise<PaidEntry | undefined> {
  const kept = await readFile(file).catch(absent);
  if (kept?.length !== jobBytes + paidBytes) return undefined;
  const paid = kept.subarray(jobBytes).toString('hex');
  return { entry: paid.slice(0, 2 * SECRET_BYTES), account: paid.slice(2 * SECRET_BYTES) };
}

/** Whether a secret was overwritten, by a process that was killed before the file had its other name. */
export async function isOverwritten(file: string): Promise<boolean> {
  const kept = await readFile(file).catch(absent);
  return kept?.length === jobBytes + paidBytes && kept.subarray(0, jobBytes).every((byte) => byte === 0);
}

/**
 * Overwrites the secret of a published model where it lies, which needs no room on a full disk, and gives the
 * file its other name. Nothing where somebody else has done so.
 */
export async function retireSecret(modelDirectory: string): Promise<void> {
  const file = secretFileOf(modelDirectory);
  const handle = await open(file, 'r+').catch(absent);
  if (handle === undefined) return;
  try {
    await handle.write(Buffer.alloc(jobBytes), 0, jobBytes, 0);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(file, unreportedFileOf(modelDirectory)).catch(absent);
  await disk.syncFolder(dirname(file));
}

/** Secret and digest of the job. */
const jobBytes = 2 * SECRET_BYTES;
/** SHA-256 of an entry, and an account's id of 32 hexadecimal digits. */
const paidBytes = 32 + 16;

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
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
    ![jobBytes, jobBytes + paidBytes].includes(kept.length) ||
    Buffer.compare(kept.subarray(SECRET_BYTES, jobBytes), jobDigest(job, secret)) !== 0
  )
    throw new KeptSecretError(file, 'it is the secret of another run: settings, data or budget differ.');
  return secret;
}

/** Bound to the secret, so that the file does not tell what the job was. */
function jobDigest(job: string, secret: Uint8Array): Uint8Array {
  return Buffer.from(sha256Hex(Buffer.concat([secret, Buffer.from(job)])), 'hex');
}

/** Where the secret of a run to this folder is written before it has its name. */
export function stagingOfSecret(modelDirectory: string): string {
  return stagingOf(secretFileOf(modelDirectory));
}

function stagingOf(file: string): string {
  return join(dirname(file), `.${basename(file)}.writing`);
}

async function writeWhole(files: FileSystem, file: string, bytes: Uint8Array): Promise<void> {
  await files.makeFolder(dirname(file));
  const staging = stagingOf(file);
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
