import type { DurableFolder } from './durable-folder.js';

/**
 * A folder in the browser's own database. A transaction that has completed with `strict` durability has been
 * written to disk; one that has not happened wholly or not at all.
 */
export class IndexedDbFolder implements DurableFolder {
  readonly #name: string;
  #database: Promise<IDBDatabase> | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  async #store<T>(mode: IDBTransactionMode, act: (files: IDBObjectStore) => IDBRequest<T>): Promise<T> {
    this.#database ??= openDatabase(this.#name);
    const database = await this.#database;
    return new Promise((resolve, reject) => {
      const transaction = database.transaction('files', mode, { durability: 'strict' });
      const request = act(transaction.objectStore('files'));
      transaction.oncomplete = () => resolve(request.result);
      // At this moment the transaction itself does not know yet why.
      transaction.onerror = () => reject(request.error ?? transaction.error);
      transaction.onabort = () => reject(transaction.error);
    });
  }

  async read(name: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const bytes = (await this.#store('readonly', (files) => files.get(name))) as
      | Uint8Array<ArrayBuffer>
      | undefined;
    return bytes?.slice();
  }

  async readRange(name: string, offset: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
    return (await this.read(name))!.slice(offset, offset + length);
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    await this.#store('readwrite', (files) => files.put(bytes.slice(), name));
  }

  async create(name: string, bytes: Uint8Array): Promise<boolean> {
    try {
      await this.#store('readwrite', (files) => files.add(bytes.slice(), name));
      return true;
    } catch (error) {
      if ((error as DOMException | null)?.name === 'ConstraintError') return false;
      throw error;
    }
  }

  async append(name: string, bytes: Uint8Array): Promise<number> {
    const before = (await this.read(name)) ?? new Uint8Array();
    const both = new Uint8Array(before.length + bytes.length);
    both.set(before);
    both.set(bytes, before.length);
    await this.write(name, both);
    return before.length;
  }

  async remove(name: string): Promise<void> {
    await this.#store('readwrite', (files) => files.delete(name));
  }

  async list(prefix: string): Promise<readonly string[]> {
    const names = await this.#store('readonly', (files) => files.getAllKeys());
    return names
      .map(String)
      .filter((name) => name.startsWith(prefix))
      .sort();
  }
}

function openDatabase(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore('files');
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
