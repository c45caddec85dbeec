import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { ownerMark, removeAbandoned } from './abandoned.js';

/**
 * What durable writing asks of a disk, and nothing else: so that tests can put one in its place whose n-th
 * call fails, or that loses what was not synced.
 */
export interface FileSystem {
  /** With its parents; their names survive power loss when this resolves. `mode` is for the folder alone. */
  makeFolder(path: string, mode?: number): Promise<void>;
  /** A new file; fails where there is one. */
  create(path: string, mode?: number): Promise<FileInWriting>;
  /** Atomic. */
  rename(from: string, to: string): Promise<void>;
  /** A file or a whole folder; nothing where there is none. */
  remove(path: string): Promise<void>;
  /** Makes the names in a folder survive power loss, where the platform can (Windows cannot open folders). */
  syncFolder(path: string): Promise<void>;
}

export interface FileInWriting {
  write(bytes: Uint8Array): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** The disk of this machine. */
export const disk: FileSystem = {
  async makeFolder(path, mode) {
    const first = await madeFolder(path, mode);
    if (first === undefined) return;
    // Each new folder is a name in the one above it.
    for (let made = resolve(path); ; made = dirname(made)) {
      await disk.syncFolder(dirname(made));
      if (made === resolve(first)) return;
    }
  },
  async create(path, mode = 0o666) {
    const handle = await open(path, 'wx', mode);
    return {
      write: (bytes) => handle.writeFile(bytes),
      sync: () => handle.sync(),
      close: () => handle.close(),
    };
  },
  rename,
  async remove(path) {
    await rm(path, { recursive: true, force: true });
  },
  async syncFolder(path) {
    let handle: FileHandle | undefined;
    try {
      handle = await open(path, 'r');
      await handle.sync();
    } catch (error) {
      // Where folders cannot be opened or synced at all, there is nothing more to be had.
      if (!['EINVAL', 'EPERM', 'EACCES', 'EISDIR', 'EBADF', 'ENOTSUP'].includes(codeOf(error))) throw error;
    } finally {
      await handle?.close();
    }
  },
};

/**
 * Makes a folder with its parents; gives the first that was not there. Node's own `recursive` never ends
 * where the parent is there and the system says that it is not, as /proc does for every new name.
 */
async function madeFolder(path: string, mode = 0o777): Promise<string | undefined> {
  const isThere = await stat(dirname(resolve(path))).then(
    (parent) => parent.isDirectory(),
    () => false,
  );
  if (!isThere) {
    const first = await madeFolder(dirname(resolve(path)));
    await mkdir(path, { recursive: true, mode });
    return first ?? path;
  }
  try {
    await mkdir(path, { mode });
    return path;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return (await mkdir(path, { recursive: true })) ?? undefined;
  }
}

/**
 * Writes a new file, whole or in parts; its bytes are on the disk when this resolves. Its name is when the
 * folder was synced.
 */
export async function writeDurably(
  files: FileSystem,
  path: string,
  bytes: Uint8Array | readonly Uint8Array[],
  mode?: number,
): Promise<void> {
  const file = await files.create(path, mode);
  try {
    for (const part of bytes instanceof Uint8Array ? [bytes] : bytes) await file.write(part);
    await file.sync();
  } catch (error) {
    throw errorAbout(error, path);
  } finally {
    await file.close();
  }
}

/** A write that fails says which call it was and not of which file: the same error, with the path in it. */
export function errorAbout(error: unknown, path: string): unknown {
  const { code, path: known } = (error ?? {}) as NodeJS.ErrnoException;
  return code === undefined || known !== undefined ? error : Object.assign(error as Error, { path });
}

/**
 * Puts a file in its place, over one that may be there: the old bytes or the new ones, whole, whatever fails.
 */
export async function replaceFile(
  files: FileSystem,
  path: string,
  bytes: Uint8Array,
  mode?: number,
): Promise<void> {
  const partial = partialPathOf(path);
  try {
    await writeDurably(files, partial, bytes, mode);
    await files.rename(partial, path);
  } catch (error) {
    await files.remove(partial).catch(() => {});
    // The name that whoever asked for it knows.
    throw (error as NodeJS.ErrnoException).path === partial ? Object.assign(error as Error, { path }) : error;
  }
  await files.syncFolder(dirname(resolve(path)));
}

/** A hidden sibling to work in: same disk as the target, and never taken for it. */
export function partialPathOf(target: string): string {
  const { folder, start } = hiddenBeside(target);
  return join(folder, `${start}${ownerMark()}${randomBytes(6).toString('hex')}`);
}

/**
 * Removes the partial siblings of a target that killed processes left. What was moved aside stays as long as
 * the target is not there: it is `restoreReplaced`'s.
 */
export async function clearPartials(target: string): Promise<void> {
  const { folder, start } = hiddenBeside(target);
  const isThere = await stat(target).then(
    () => true,
    () => false,
  );
  await removeAbandoned(folder, start, (name) => !isThere && name.endsWith(oldEnding));
}

/**
 * Puts a finished folder in the target's place; when this resolves it stays there, also when the power fails.
 * A folder that was there is moved aside first and removed last: between the two renames nothing is under the
 * name, and if everything ends just then, `restoreReplaced` finds what was there. Without `mayReplace` a
 * folder with anything in it stays, and this fails.
 */
export async function moveFolderIntoPlace(
  files: FileSystem,
  partial: string,
  target: string,
  mayReplace: boolean,
  old = `${partial}${oldEnding}`,
): Promise<void> {
  const folder = dirname(resolve(target));
  await files.syncFolder(partial);
  let isReplacing = mayReplace;
  try {
    if (mayReplace) await files.rename(target, old);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    isReplacing = false;
  }
  let isInPlace = false;
  try {
    await files.rename(partial, target);
    isInPlace = true;
    await files.syncFolder(folder);
  } catch (error) {
    if (isInPlace) await files.rename(target, partial);
    if (isReplacing) await files.rename(old, target);
    throw error;
  }
  // The new folder is there for good. What is left of old ones is no reason to fail; the next replacement
  // removes it.
  const left = isReplacing ? [old, ...(await movedAside(target))] : await movedAside(target);
  for (const each of new Set(left)) await files.remove(each).catch(() => {});
}

/**
 * Puts back what was moved aside by a replacement that did not come to its end (a kill, or power loss,
 * between two renames). Whether there was anything. Waits a moment first: a replacement that is going on is
 * not an old one.
 */
export async function restoreReplaced(target: string, files: FileSystem = disk): Promise<boolean> {
  const isThere = () =>
    stat(target).then(
      () => true,
      () => false,
    );
  if ((await isThere()) || (await movedAside(target)).length === 0) return false;
  await new Promise((done) => setTimeout(done, 200));
  const [old] = await movedAside(target);
  if (old === undefined || (await isThere())) return false;
  await files.rename(old, target);
  await files.syncFolder(dirname(resolve(target)));
  return true;
}

/** Folders that replacements of this one moved aside and did not remove. */
async function movedAside(target: string): Promise<string[]> {
  const { folder, start } = hiddenBeside(target);
  const names = await readdir(folder).catch((): string[] => []);
  return names
    .filter((name) => name.startsWith(start) && name.endsWith(oldEnding))
    .sort()
    .map((name) => join(folder, name));
}

const oldEnding = '-old';

function hiddenBeside(target: string): { readonly folder: string; readonly start: string } {
  const path = resolve(target);
  return { folder: dirname(path), start: `.${basename(path)}.partial-` };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
