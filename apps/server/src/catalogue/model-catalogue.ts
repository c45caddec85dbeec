import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { decodePublished, fileNames, type PublishedModel } from '@hushrec/model';
import { metricsBeside, readModelFiles } from '@hushrec/model/folder';
import { sha256Hex } from '@hushrec/model/signing';
import type { ServedFile } from '../file-response.js';
import { type ModelSummary, summaryOf } from './model-summary.js';
import { PrivateCopy } from './private-copy.js';

/** A published model: what the interface says about it, and its files. */
export interface ModelEntry {
  readonly summary: ModelSummary;
  readonly items: readonly { readonly id: string; readonly title: string }[];
  readonly files: ReadonlyMap<string, ServedFile>;
  readonly folder: string;
}

/** A folder that looks like a model and cannot be published. Named without its contents. */
export interface BrokenModel {
  readonly id: string;
  readonly problem: string;
}

const contentTypes: Readonly<Record<string, string>> = {
  [fileNames.manifest]: 'application/json',
  [fileNames.tensors]: 'application/octet-stream',
  [fileNames.certificate]: 'application/json',
  [fileNames.certificateText]: 'text/markdown; charset=utf-8',
  [fileNames.metrics]: 'application/json',
};
const lookAgainAfterMs = 1000;
/** For a folder that could not be read and looks as it did then: a full disk may have been the reason. */
const tryAgainAfterMs = 10_000;

/** Files up to this size are kept in memory, larger ones in files that only this server can open. */
const mostInMemory = 1 << 18;
/** How long a replaced model can still be fetched by its hash: downloads under way finish. */
const earlierForMs = 600_000;
/** What a certificate vouches for never changes under its hash. */
const unchanging: readonly string[] = [fileNames.manifest, fileNames.tensors, fileNames.certificateText];
/** A folder that is being replaced is away between two renames. */
const replacedWithinMs = 100;

/**
 * The model folders under one directory (or that directory itself, when it is one). A folder is read once and
 * checked against the hashes of its certificate; it is read again when its certificate or its evaluation
 * changes. What was checked is what is served: from memory, or from a private copy, so that no file which
 * changes under a running server gets into an answer. The directory is looked at no more than once a second.
 */
export class ModelCatalogue {
  readonly #directory: string;
  #entries: ReadonlyMap<string, ModelEntry> = new Map();
  #broken: readonly BrokenModel[] = [];
  /** The model that each folder held before, and when it was replaced. */
  readonly #earlier = new Map<string, { readonly entry: ModelEntry; readonly at: number }>();
  readonly #stamps = new Map<string, string>();
  /** What was wrong with a folder, and all of its files as they were then. */
  readonly #faults = new Map<
    string,
    { readonly files: string; readonly at: number; readonly problem: string }
  >();
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;

  readonly #publishedNow: string | undefined;

  /** @param publishedNow the model that the operator named as such */
  constructor(directory: string, publishedNow?: string) {
    this.#directory = resolve(directory);
    this.#publishedNow = publishedNow;
  }

  async entries(): Promise<ReadonlyMap<string, ModelEntry>> {
    if (performance.now() - this.#lookedAt > lookAgainAfterMs) await this.refresh();
    return this.#entries;
  }

  async broken(): Promise<readonly BrokenModel[]> {
    await this.entries();
    return this.#broken;
  }

  async get(id: string): Promise<ModelEntry | undefined> {
    return (await this.entries()).get(id);
  }

  /** A file of a model, after making sure that the folder is still the one that was read. */
  async file(id: string, name: string): Promise<ServedFile | undefined> {
    return (await this.#now(id))?.files.get(name);
  }

  /**
   * The model of a folder whose certificate has this hash: the live one, or the one that it replaced just
   * now.
   */
  async byHash(id: string, hash: string): Promise<ModelEntry | undefined> {
    const live = await this.#now(id);
    if (live === undefined || live.summary.hash === hash) return live;
    const earlier = this.#earlier.get(id);
    return earlier?.entry.summary.hash === hash && performance.now() - earlier.at < earlierForMs
      ? earlier.entry
      : undefined;
  }

  async #now(id: string): Promise<ModelEntry | undefined> {
    const entry = await this.get(id);
    if (entry === undefined) return undefined;
    if ((await stampOf(entry.folder)) !== this.#stamps.get(id)) await this.refresh();
    return this.#entries.get(id);
  }

  /** Looks now; simultaneous callers share one look. */
  refresh(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#lookedAt = performance.now();
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    const entries = new Map<string, ModelEntry>();
    const broken: BrokenModel[] = [];
    for (const [id, folder] of await this.#folders()) {
      const known = this.#entries.get(id);
      const stamp = (await stampOf(folder)) ?? (known && (await stampAgain(folder)));
      if (stamp === undefined) continue;
      if (known !== undefined && this.#stamps.get(id) === stamp) {
        entries.set(id, known);
        continue;
      }
      const files = await filesOf(folder);
      const fault = this.#faults.get(id);
      // Reading all of a large model again for every caller would keep the server busy with what nobody gets.
      if (fault?.files === files && performance.now() - fault.at < tryAgainAfterMs) {
        broken.push({ id, problem: fault.problem });
        continue;
      }
      try {
        entries.set(id, await readEntry(id, folder, id === this.#publishedNow));
        this.#stamps.set(id, stamp);
        this.#faults.delete(id);
      } catch (error) {
        const problem = problemOf(error);
        broken.push({ id, problem });
        this.#faults.set(id, { files, at: performance.now(), problem });
      }
    }
    for (const id of this.#faults.keys()) if (!broken.some((each) => each.id === id)) this.#faults.delete(id);
    const before = this.#entries;
    this.#entries = entries;
    this.#broken = broken;
    for (const [id, entry] of before) {
      const now = entries.get(id);
      if (now === entry) continue;
      if (now === undefined || now.summary.hash === entry.summary.hash) disposeSoon(entry);
      else this.#keepEarlier(id, entry);
    }
    for (const [id, { at }] of this.#earlier)
      if (!entries.has(id) || performance.now() - at >= earlierForMs) this.#keepEarlier(id);
  }

  #keepEarlier(id: string, entry?: ModelEntry): void {
    const known = this.#earlier.get(id);
    if (known !== undefined) disposeSoon(known.entry);
    if (entry === undefined) this.#earlier.delete(id);
    else this.#earlier.set(id, { entry, at: performance.now() });
  }

  /** Gives the private copies back; nothing is served afterwards. */
  async close(): Promise<void> {
    const entries = this.#entries;
    this.#entries = new Map();
    const earlier = [...this.#earlier.values()].map(({ entry }) => entry);
    this.#earlier.clear();
    for (const entry of [...entries.values(), ...earlier]) await dispose(entry);
  }

  async #folders(): Promise<[string, string][]> {
    let children = await readdir(this.#directory, { withFileTypes: true }).catch(() => []);
    if (children.length === 0 && this.#entries.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, replacedWithinMs));
      children = await readdir(this.#directory, { withFileTypes: true }).catch(() => []);
    }
    if (children.some(({ name }) => name === fileNames.certificate)) {
      return [[basename(this.#directory), this.#directory]];
    }
    const names = children
      .filter((child) => child.isDirectory() && !child.name.startsWith('.'))
      .map(({ name }) => name);
    return [...new Set([...names, ...this.#entries.keys()])]
      .sort()
      .map((name) => [name, join(this.#directory, name)]);
  }
}

/** Changes whenever the folder was written or evaluated anew; undefined when it is not a model folder. */
async function stampOf(folder: string): Promise<string | undefined> {
  const parts = await Promise.all(
    [join(folder, fileNames.certificate), join(folder, fileNames.metrics), metricsBeside(folder)].map(
      (path) =>
        stat(path).then(
          ({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`,
          () => '',
        ),
    ),
  );
  return parts[0] === '' ? undefined : parts.join('|');
}

/** Names, sizes and times of everything in a folder. */
async function filesOf(folder: string): Promise<string> {
  const names = await readdir(folder).catch(() => []);
  const parts = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ mtimeMs, size, ino }) => `${name} ${mtimeMs} ${size} ${ino}`,
        () => name,
      ),
    ),
  );
  return parts.sort().join('|');
}

async function stampAgain(folder: string): Promise<string | undefined> {
  await new Promise((resolve) => setTimeout(resolve, replacedWithinMs));
  return stampOf(folder);
}

/** Not at once: a request that was just given an old file begins to read it before the next turn. */
function disposeSoon(entry: ModelEntry): void {
  setImmediate(() => void dispose(entry).catch(() => {}));
}

/** A file at an address with the hash of its model, as long as the browser likes where it is vouched for. */
export function atHash(name: string, file: ServedFile): ServedFile {
  return unchanging.includes(name) ? { ...file, cacheControl: 'private, max-age=31536000, immutable' } : file;
}

async function dispose({ files }: Pick<ModelEntry, 'files'>): Promise<void> {
  for (const { content } of files.values()) if (content instanceof PrivateCopy) await content.dispose();
}

async function readEntry(id: string, folder: string, isPublishedNow: boolean): Promise<ModelEntry> {
  const contents = await readModelFiles(folder);
  const published = await decodePublished(contents);
  const files = new Map<string, ServedFile>();
  try {
    return await entryOf({ id, folder, isPublishedNow }, contents, published, files);
  } catch (error) {
    // A copy that was made before another failed is of no use.
    await dispose({ files });
    throw error;
  }
}

async function entryOf(
  {
    id,
    folder,
    isPublishedNow,
  }: { readonly id: string; readonly folder: string; readonly isPublishedNow: boolean },
  contents: ReadonlyMap<string, Uint8Array>,
  published: PublishedModel,
  files: Map<string, ServedFile>,
): Promise<ModelEntry> {
  for (const [name, bytes] of contents) {
    const contentType = contentTypes[name];
    if (contentType === undefined) continue;
    files.set(name, {
      content: bytes.length <= mostInMemory ? Uint8Array.from(bytes) : await PrivateCopy.of(bytes),
      size: bytes.length,
      tag: (await sha256Hex(bytes)).slice(0, 32),
      contentType,
      cacheControl: 'public, no-cache',
    });
  }
  const { mtime } = await stat(join(folder, fileNames.certificate));
  const { itemIds, titles } = published.manifest;
  return {
    summary: summaryOf(
      id,
      published,
      contents.get(fileNames.metrics) ?? (await besides(folder)),
      files,
      mtime,
      isPublishedNow,
    ),
    items: itemIds.map((itemId, index) => ({ id: itemId, title: titles?.[index] ?? '' })),
    files,
    folder,
  };
}

/** Metrics of a certified model, which lie beside its folder. */
function besides(folder: string): Promise<Uint8Array | undefined> {
  return readFile(metricsBeside(folder)).catch(() => undefined);
}

/** The reason without the place on this machine. */
function problemOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/(?:\/[^\s/:]+)+\/([^\s/:]+)/g, '$1');
}
