/**
 * Where a role keeps what must outlive its process. Names may contain `/`. When a promise of `write`,
 * `create`, `append` or `remove` settles, what it did survives a crash; a `write` or `create` that did not
 * settle happened wholly or not at all; an unsettled `append` may have left a part.
 */
export interface DurableFolder {
  read(name: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Bytes [offset, offset + length) of a file that is there. */
  readRange(name: string, offset: number, length: number): Promise<Uint8Array<ArrayBuffer>>;
  write(name: string, bytes: Uint8Array): Promise<void>;
  /**
   * Writes a file that is not there yet. False where it is, and then nothing is changed: of all who try, in
   * whatever process or tab, one gets true.
   */
  create(name: string, bytes: Uint8Array): Promise<boolean>;
  /** Returns the offset at which the bytes begin. */
  append(name: string, bytes: Uint8Array): Promise<number>;
  remove(name: string): Promise<void>;
  /** Names that begin with the prefix, in order. */
  list(prefix: string): Promise<readonly string[]>;
}

/** A folder in memory, for tests and simulations. It survives whoever uses it, not the process. */
export class MemoryFolder implements DurableFolder {
  readonly files = new Map<string, Uint8Array<ArrayBuffer>[]>();

  async read(name: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const chunks = this.files.get(name);
    if (chunks === undefined) return undefined;
    if (chunks.length !== 1) this.files.set(name, [joined(chunks)]);
    return this.files.get(name)![0].slice();
  }

  async readRange(name: string, offset: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
    let at = 0;
    for (const chunk of this.files.get(name) ?? []) {
      // Whole chunks in the ordinary case: reports are read as they were appended.
      if (offset >= at && offset + length <= at + chunk.length)
        return chunk.slice(offset - at, offset - at + length);
      at += chunk.length;
    }
    return (await this.read(name))!.slice(offset, offset + length);
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    this.files.set(name, [bytes.slice()]);
  }

  async create(name: string, bytes: Uint8Array): Promise<boolean> {
    if (this.files.has(name)) return false;
    this.files.set(name, [bytes.slice()]);
    return true;
  }

  async append(name: string, bytes: Uint8Array): Promise<number> {
    const chunks = this.files.get(name) ?? [];
    const offset = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    this.files.set(name, [...chunks, bytes.slice()]);
    return offset;
  }

  async remove(name: string): Promise<void> {
    this.files.delete(name);
  }

  async list(prefix: string): Promise<readonly string[]> {
    return [...this.files.keys()].filter((name) => name.startsWith(prefix)).sort();
  }
}

function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

/** A folder within a folder. */
export function subfolder(folder: DurableFolder, path: string): DurableFolder {
  const inside = (name: string) => `${path}/${name}`;
  return {
    read: (name) => folder.read(inside(name)),
    readRange: (name, offset, length) => folder.readRange(inside(name), offset, length),
    write: (name, bytes) => folder.write(inside(name), bytes),
    create: (name, bytes) => folder.create(inside(name), bytes),
    append: (name, bytes) => folder.append(inside(name), bytes),
    remove: (name) => folder.remove(inside(name)),
    list: async (prefix) => (await folder.list(inside(prefix))).map((name) => name.slice(path.length + 1)),
  };
}
