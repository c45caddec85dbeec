import { type FileHandle, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReadableStream as WebStream } from 'node:stream/web';

const chunkBytes = 1 << 16;

const removeFolder = (path: string) => rm(path, { recursive: true, force: true });

/**
 * Bytes in a file without a name that nobody else can open: what is read from it is what was written to it,
 * whatever happens to the folder the bytes came from. It is gone when it is closed or the process ends,
 * however it ends (on Windows, where an open file keeps its name, after `dispose`).
 */
export class PrivateCopy {
  readonly size: number;
  readonly #handle: FileHandle;
  readonly #folder: string;
  #readers = 0;
  #isDisposed = false;

  private constructor(handle: FileHandle, folder: string, size: number) {
    this.#handle = handle;
    this.#folder = folder;
    this.size = size;
  }

  static async of(bytes: Uint8Array): Promise<PrivateCopy> {
    const folder = await mkdtemp(join(tmpdir(), 'hushrec-serving-'));
    let handle: FileHandle | undefined;
    try {
      const path = join(folder, 'copy');
      await writeFile(path, bytes, { flag: 'wx', mode: 0o600 });
      handle = await open(path, 'r');
      return new PrivateCopy(handle, folder, bytes.length);
    } finally {
      // Where an open file keeps its folder, it goes when the file is closed.
      const removed = removeFolder(folder);
      await (handle === undefined ? removed : removed.catch(() => undefined));
    }
  }

  /** The bytes from `start` to `end`, both included, in constant memory. */
  stream(start: number, end: number): WebStream<Uint8Array> {
    this.#readers++;
    let at = start;
    let isOpen = true;
    const leave = () => {
      if (!isOpen) return;
      isOpen = false;
      this.#readers--;
      void this.#closeWhenUnused();
    };
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const buffer = new Uint8Array(Math.min(chunkBytes, end + 1 - at));
          const { bytesRead } = await this.#handle.read(buffer, 0, buffer.length, at).catch((error) => {
            leave();
            throw error;
          });
          at += bytesRead;
          if (bytesRead > 0) controller.enqueue(buffer.subarray(0, bytesRead));
          if (bytesRead === 0 || at > end) {
            controller.close();
            leave();
          }
        },
        cancel: leave,
      },
      { highWaterMark: 1 },
    ) as WebStream<Uint8Array>;
  }

  /** Closes the file as soon as nobody reads it. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    await this.#closeWhenUnused();
  }

  async #closeWhenUnused(): Promise<void> {
    if (!this.#isDisposed || this.#readers > 0) return;
    await this.#handle.close();
    await removeFolder(this.#folder);
  }
}
