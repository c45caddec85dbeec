import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

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

/**
 * Puts a data set back that a killed import had moved away and not yet replaced: with it come its account and what it
 * remembers of its ledger.
 */
async function restoreReplaced(directory: string): Promise<void> {
  const target = resolve(directory);
  if (existsSync(target)) return;
  const start = `.${basename(target)}.partial-`;
  const old = (await readdir(dirname(target)))
    .filter((name) => name.startsWith(start) && /^[0-9a-f]{12}-old$/.test(name.slice(start.length)))
    .map((name) => join(dirname(target), name))
    .find((folder) => existsSync(join(folder, 'dataset.json')));
  if (old !== undefined) await rename(old, target);
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

/** A sibling folder to work in: same disk as the target, and never taken for a data set. */
export async function makePartialFolder(directory: string): Promise<string> {
  const target = resolve(directory);
  const partial = join(dirname(target), `.${basename(target)}.partial-${randomBytes(6).toString('hex')}`);
  try {
    await mkdir(partial, { recursive: true });
  } catch (error) {
    throw writeError(directory, error);
  }
  removeOnExit(partial);
  return partial;
}

/** Puts the finished folder in the target's place. The old one, if any, is moved away first and then removed. */
export async function moveIntoPlace(partial: string, directory: string): Promise<void> {
  const old = `${partial}-old`;
  let replaced = false;
  try {
    await rename(directory, old);
    replaced = true;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  try {
    await rename(partial, directory);
  } catch (error) {
    if (replaced) await rename(old, directory);
    throw error;
  }
  if (replaced) await rm(old, { recursive: true, force: true });
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
