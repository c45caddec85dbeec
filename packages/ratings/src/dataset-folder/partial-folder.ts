import { rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { markInUse } from '../abandoned.js';
import { clearPartials, disk, type FileSystem, partialPathOf, restoreReplaced } from '../durable-files.js';

/** The dataset folder could not be written. Nothing that loads was left behind. */
export class DatasetWriteError extends Error {
  override readonly name = 'DatasetWriteError';
  /** Absent where the machine failed (a full disk, say) and nobody asked for something wrong. */
  readonly kind: 'usage' | undefined;
  readonly directory: string;
  readonly reason: string;
  readonly advice: string;
  constructor(kind: 'usage' | undefined, directory: string, reason: string, advice: string, cause?: unknown) {
    super(`${directory}: ${reason}. ${advice}`, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.directory = directory;
    this.reason = reason;
    this.advice = advice;
  }
}

/** Refuses a target that holds something else; `overwrite` allows replacing a data set. */
export async function checkTarget(directory: string, overwrite: boolean): Promise<void> {
  let entries: string[];
  try {
    await restoreReplaced(directory);
    entries = await readdir(directory);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw writeError(directory, error);
  }
  if (entries.length === 0) return;
  if (!entries.includes('dataset.json'))
    throw new DatasetWriteError(
      'usage',
      directory,
      'it holds other files',
      'Name a new or an empty folder for the data set.',
    );
  if (!overwrite)
    throw new DatasetWriteError(
      'usage',
      directory,
      'it already holds a data set',
      'Name another folder, or replace this one with --overwrite.',
    );
}

/** Folders that a process which ends in the middle of its work takes along. */
const unfinished = new Set<string>();
let watchesExit = false;

function removeOnExit(folder: string): void {
  unfinished.add(folder);
  if (watchesExit) return;
  watchesExit = true;
  process.once('exit', () => {
    for (const each of unfinished) rmSync(each, { recursive: true, force: true });
  });
}

/**
 * Modes of a data set's folder and files: its owner's alone, as ratings are. `HUSHREC_GROUP_READABLE=1` lets
 * the group read too. Windows does not know them.
 */
export function privateModes(): { readonly folder: number; readonly file: number } {
  return process.env['HUSHREC_GROUP_READABLE'] === '1'
    ? { folder: 0o750, file: 0o640 }
    : { folder: 0o700, file: 0o600 };
}

/** Makes a sibling folder to work in; those that killed processes left, raw ratings among them, go. */
export async function makePartialFolder(directory: string, files: FileSystem = disk): Promise<string> {
  await clearPartials(directory);
  const partial = partialPathOf(directory);
  markInUse(partial);
  try {
    await files.makeFolder(partial, privateModes().folder);
  } catch (error) {
    throw writeError(directory, error);
  }
  removeOnExit(partial);
  return partial;
}

/** Names the usual reasons why writing fails; passes everything else on. */
export function writeError(directory: string, error: unknown): unknown {
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : '';
  if (code === 'ENOSPC' || code === 'EDQUOT' || /No space left on device/i.test(message))
    return new DatasetWriteError(
      undefined,
      directory,
      'the disk is full',
      'Free some space and run the command again.',
      error,
    );
  if (['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST'].includes(code))
    return new DatasetWriteError(
      'usage',
      directory,
      `it cannot be written (${code})`,
      'Check the path and the permissions.',
      error,
    );
  return error;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
