import { randomUUID } from 'node:crypto';
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { decodePublished } from './decode-published.js';
import { fileNames } from './file-names.js';
import { encodeMetrics } from './metrics-file.js';
import { CorruptModelError, type PublishedModel } from './published-model.js';

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

/** Opens a model folder and checks every file against the certificate's hashes. */
export async function readModelFolder(directory: string): Promise<PublishedModel> {
  return decodePublished(await readModelFiles(directory));
}

/**
 * Largest `certificate.json` and `metrics.json` that are read, in bytes; what is published has a few
 * thousand.
 */
const largestDocument = 1 << 24;
/** Largest file Node reads at once. */
const largestFile = 2 ** 31 - 1;

/**
 * The files of a model folder, as `decodePublished` and `verifyPublished` take them. Only what the
 * certificate names is read, besides itself and the metrics: memory is at most what was published, whatever
 * else lies in the folder. Anything else is listed without its content, so that `verifyPublished` can say
 * that it does not belong.
 */
export async function readModelFiles(directory: string): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  let names: string[];
  try {
    names = await readdir(directory);
  } catch (error) {
    const aside = await movedAside(directory);
    throw new CorruptModelError(
      directory,
      aside === undefined
        ? 'there is no such folder, or it cannot be read.'
        : `it was being replaced when everything stopped, and what was there is in ${aside}. Rename that back, or write the model again.`,
      { cause: error },
    );
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

/** Where `writeModelFolder` had moved the old folder, if it did not come to its end. */
async function movedAside(directory: string): Promise<string | undefined> {
  const name = `.${basename(resolve(directory))}.old`;
  const names = await readdir(dirname(resolve(directory))).catch((): string[] => []);
  return names.includes(name) ? name : undefined;
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

/**
 * Stores the result of an evaluation, in place of an earlier one, and says where. Atomic. Metrics of private
 * ratings are a look at them that no certificate covers: they go beside the folder of a model that protects
 * someone, for its operators, never into it.
 */
export async function writeMetrics(directory: string, metrics: unknown): Promise<string> {
  const { certificate } = await readModelFolder(directory);
  const isBeside = certificate.epsilon !== null && !certificate.simulation;
  const target = isBeside ? metricsBeside(directory) : join(directory, fileNames.metrics);
  const staging = `${resolve(directory)}.${fileNames.metrics}-${randomUUID()}`;
  try {
    await writeDurably(staging, await encodeMetrics(certificate.hash, metrics), isBeside ? 0o600 : 0o666);
    await rename(staging, target);
  } catch (error) {
    await rm(staging, { force: true });
    throw error;
  }
  return target;
}

/** Where metrics of a certified model lie. */
export function metricsBeside(directory: string): string {
  return `${resolve(directory)}.${fileNames.metrics}`;
}

/**
 * Whether a folder is there to be replaced; throws when the place is taken. Ask before training: a model that
 * cannot be stored has still spent its budget.
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

async function writeDurably(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  // Windows syncs no file that was opened for reading.
  const file = await open(path, 'w', mode);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
