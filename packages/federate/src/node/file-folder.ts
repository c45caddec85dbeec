import { link, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { disk, errorAbout } from '@hushrec/ratings';
import type { DurableFolder } from '../durable-folder.js';

/**
 * A folder of files. `write` goes to a temporary file, which is synced and renamed; that of `create` is
 * linked in place, since a link replaces nothing; `append` is synced; directories are synced after names
 * change. Appends that come while one is being synced share the next sync, so that many reports cost few of
 * them.
 */
export class FileFolder implements DurableFolder {
  /** How many temporary files this process has made: each has a name of its own. */
  static #partials = 0;
  readonly #root: string;
  readonly #appending = new Map<string, Appender>();

  constructor(root: string) {
    this.#root = root;
  }

  async read(name: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    try {
      return new Uint8Array(await readFile(this.#path(name)));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async readRange(name: string, offset: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
    const file = await open(this.#path(name), 'r');
    try {
      const bytes = new Uint8Array(length);
      for (let done = 0; done < length; ) {
        const { bytesRead } = await file.read(bytes, done, length - done, offset + done);
        if (bytesRead === 0) throw new RangeError(`${name} ends before byte ${offset + length}.`);
        done += bytesRead;
      }
      return bytes;
    } finally {
      await file.close();
    }
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    const path = this.#path(name);
    const partial = await this.#partial(path, bytes);
    await rename(partial, path);
    await disk.syncFolder(dirname(path));
  }

  async create(name: string, bytes: Uint8Array): Promise<boolean> {
    const path = this.#path(name);
    const partial = await this.#partial(path, bytes);
    let isNew = true;
    try {
      await link(partial, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      isNew = false;
    } finally {
      await rm(partial, { force: true });
    }
    // Also where somebody else made it: who is told that it is there may rely on it.
    await disk.syncFolder(dirname(path));
    return isNew;
  }

  /** The bytes in a file of its own beside the one they are for, synced; nothing where that fails. */
  async #partial(path: string, bytes: Uint8Array): Promise<string> {
    await disk.makeFolder(dirname(path));
    const partial = `${path}.${process.pid}-${FileFolder.#partials++}.partial`;
    try {
      const file = await open(partial, 'w', 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
    } catch (error) {
      await rm(partial, { force: true });
      throw errorAbout(error, path);
    }
    return partial;
  }

  append(name: string, bytes: Uint8Array): Promise<number> {
    let appender = this.#appending.get(name);
    if (appender === undefined) {
      appender = new Appender(this.#path(name), () => this.#appending.delete(name));
      this.#appending.set(name, appender);
    }
    return appender.append(bytes);
  }

  async remove(name: string): Promise<void> {
    await rm(this.#path(name), { force: true });
    await disk.syncFolder(dirname(this.#path(name))).catch((error) => {
      if (!isMissing(error)) throw error;
    });
  }

  async list(prefix: string): Promise<readonly string[]> {
    const slash = prefix.lastIndexOf('/');
    const folder = join(this.#root, prefix.slice(0, slash + 1));
    try {
      const entries = await readdir(folder, { withFileTypes: true, recursive: true });
      return entries
        .filter((entry) => entry.isFile() && !entry.name.endsWith('.partial'))
        .map((entry) => relative(this.#root, join(entry.parentPath, entry.name)).split(sep).join('/'))
        .filter((name) => name.startsWith(prefix))
        .sort();
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  #path(name: string): string {
    return join(this.#root, ...name.split('/'));
  }
}

/** Appends to one file: what waits while a sync runs is written and synced together. */
class Appender {
  readonly #path: string;
  readonly #idle: () => void;
  #waiting: { bytes: Uint8Array; resolve: (offset: number) => void; reject: (error: unknown) => void }[] = [];
  #running = false;

  constructor(path: string, idle: () => void) {
    this.#path = path;
    this.#idle = idle;
  }

  append(bytes: Uint8Array): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ bytes, resolve, reject });
      if (!this.#running) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await disk.makeFolder(dirname(this.#path));
        const file = await open(this.#path, 'a', 0o600);
        try {
          const { size } = await file.stat();
          let offset = size;
          const offsets: number[] = [];
          try {
            for (const { bytes } of batch) {
              await file.writeFile(bytes);
              offsets.push(offset);
              offset += bytes.length;
            }
            await file.sync();
          } catch (error) {
            // A full disk must not leave half a record in front of what comes later.
            await file.truncate(size);
            throw error;
          }
          if (size === 0) await disk.syncFolder(dirname(this.#path));
          batch.forEach(({ resolve }, at) => {
            resolve(offsets[at]);
          });
        } finally {
          await file.close();
        }
      } catch (error) {
        for (const { reject } of batch) reject(errorAbout(error, this.#path));
      }
    }
    this.#running = false;
    this.#idle();
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
