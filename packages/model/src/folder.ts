import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { encodeMetrics } from './metrics-file.js';
import type { PublishedModel, UnpublishedModel } from './published-model.js';
import { CorruptModelError, decodePublished, encodePublished, fileNames } from './published-model.js';
import type { SigningKey } from './seal.js';

/** Model folders on disk (Node only; the rest of the package runs in browsers too). */
export interface WriteOptions {
  readonly signingKey?: SigningKey;
  /** Replace a model folder that is already there; anything else in the way is never touched. */
  readonly overwrite?: boolean;
}

/** The place for a model folder is taken. */
export class ModelFolderExistsError extends Error {
  override readonly name = 'ModelFolderExistsError';
  readonly kind = 'usage';
  readonly directory: string;
  constructor(directory: string, reason: string) {
    super(`${directory} ${reason}`);
    this.directory = directory;
  }
}

/**
 * Writes a model folder so that it exists whole or not at all: files go to a hidden sibling, are flushed to disk,
 * and the sibling is renamed into place.
 */
export async function writeModelFolder(
  directory: string,
  model: UnpublishedModel,
  options: WriteOptions = {},
): Promise<PublishedModel> {
  const target = resolve(directory);
  const replaces = await checkModelFolder(target, options.overwrite === true);
  const files = await encodePublished(model, options.signingKey);
  const hidden = (suffix: string) => join(dirname(target), `.${basename(target)}.${suffix}-${randomUUID()}`);
  const staging = hidden('writing');
  await mkdir(staging, { recursive: true });
  try {
    for (const [name, bytes] of files) await writeDurably(join(staging, name), bytes);
    if (replaces) {
      const old = hidden('old');
      await rename(target, old);
      await rename(staging, target);
      await rm(old, { recursive: true, force: true });
    } else {
      await rename(staging, target);
    }
    await flushNames(dirname(target));
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    throw error;
  }
  return decodePublished(files);
}

/** Opens a model folder and checks every file against the certificate's hashes. */
export async function readModelFolder(directory: string): Promise<PublishedModel> {
  return decodePublished(await readModelFiles(directory));
}

/** Largest `certificate.json` and `metrics.json` that are read, in bytes; what is published has a few thousand. */
const largestDocument = 1 << 24;
/** Largest file Node reads at once. */
const largestFile = 2 ** 31 - 1;

/**
 * The files of a model folder, as `decodePublished` and `verifyPublished` take them. Only what the certificate names is read,
 * besides itself and the metrics: memory is at most what was published, whatever else lies in the folder. Anything else is
 * listed without its content, so that `verifyPublished` can say that it does not belong.
 */
export async function readModelFiles(directory: string): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  let names: string[];
  try {
    names = await readdir(directory);
  } catch (error) {
    throw new CorruptModelError(directory, 'there is no such folder, or it cannot be read.', {
      cause: error,
    });
  }
  if (!names.includes(fileNames.certificate)) {
    throw new CorruptModelError(directory, `this is not a model folder: it has no ${fileNames.certificate}.`);
  }
  const certificate = await readBounded(directory, fileNames.certificate, largestDocument);
  const named = namesIn(certificate);
  for (const name of names) {
    if (name === fileNames.certificate) files.set(name, certificate);
    else if (name === fileNames.metrics) files.set(name, await readBounded(directory, name, largestDocument));
    else if (named.has(name)) files.set(name, await readBounded(directory, name, largestFile));
    else files.set(name, new Uint8Array());
  }
  return files;
}

async function readBounded(directory: string, name: string, limit: number): Promise<Uint8Array> {
  const path = join(directory, name);
  try {
    const info = await stat(path);
    if (!info.isFile()) throw new CorruptModelError(name, 'it is not a file.');
    if (info.size > limit)
      throw new CorruptModelError(name, `it has ${info.size} bytes; at most ${limit} are read.`);
    return await readFile(path);
  } catch (error) {
    if (error instanceof CorruptModelError) throw error;
    throw new CorruptModelError(name, `it cannot be read (${(error as NodeJS.ErrnoException).code}).`, {
      cause: error,
    });
  }
}

/** The files that a certificate is about; none where it is not JSON, which whoever decodes it reports. */
function namesIn(certificate: Uint8Array): ReadonlySet<string> {
  try {
    const { files } = JSON.parse(new TextDecoder().decode(certificate)) as { files?: object };
    return new Set(Object.keys(files ?? {}));
  } catch {
    return new Set();
  }
}

/** Stores the result of an evaluation in a model folder, in place of an earlier one. Atomic. */
export async function writeMetrics(directory: string, metrics: unknown): Promise<void> {
  const { certificate } = await readModelFolder(directory);
  const target = join(directory, fileNames.metrics);
  const staging = `${resolve(directory)}.${fileNames.metrics}-${randomUUID()}`;
  try {
    await writeDurably(staging, await encodeMetrics(certificate.hash, metrics));
    await rename(staging, target);
  } catch (error) {
    await rm(staging, { force: true });
    throw error;
  }
}

/**
 * Whether a folder is there to be replaced; throws when the place is taken. Ask before training: a model that cannot
 * be stored has still spent its budget.
 */
export async function checkModelFolder(target: string, overwrite: boolean): Promise<boolean> {
  const names = await readdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new ModelFolderExistsError(target, 'exists and is not a folder. Choose another place.');
  });
  if (names === undefined) return false;
  if (names.length === 0) return true;
  if (!names.includes(fileNames.certificate)) {
    throw new ModelFolderExistsError(target, 'exists and is not a model folder. Choose another place.');
  }
  if (!overwrite) {
    throw new ModelFolderExistsError(
      target,
      'already holds a model. Choose another place, or replace it with --overwrite (in code: overwrite: true).',
    );
  }
  return true;
}

/** Makes renames in a folder survive power loss, where the platform can (Windows cannot open folders). */
async function flushNames(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  await writeFile(path, bytes);
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
