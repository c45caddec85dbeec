import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { DatasetManifest } from '@hushrec/ratings';

/** What the server knows of a data set: its manifest's counts. It never opens the ratings. */
export interface DatasetEntry {
  readonly id: string;
  readonly path: string;
  readonly manifest: DatasetManifest;
}

const manifestName = 'dataset.json';

/** Data set folders under one directory, or that directory itself when it is one. */
export class DatasetCatalogue {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = resolve(directory);
  }

  async list(): Promise<readonly DatasetEntry[]> {
    const own = await readManifest(this.#directory);
    if (own !== undefined) return [{ id: basename(this.#directory), path: this.#directory, manifest: own }];
    const children = await readdir(this.#directory, { withFileTypes: true }).catch(() => []);
    const names = children.filter((child) => child.isDirectory() && !child.name.startsWith('.'));
    const found = await Promise.all(
      names.map(async ({ name }) => {
        const path = join(this.#directory, name);
        const manifest = await readManifest(path);
        return manifest === undefined ? [] : [{ id: name, path, manifest }];
      }),
    );
    return found.flat().sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Where the data set of this name is; it need not exist. */
  pathOf(id: string): string {
    const isOneDataset = existsSync(join(this.#directory, manifestName));
    return isOneDataset && basename(this.#directory) === id ? this.#directory : join(this.#directory, id);
  }

  async get(id: string): Promise<DatasetEntry | undefined> {
    return (await this.list()).find((entry) => entry.id === id);
  }
}

async function readManifest(folder: string): Promise<DatasetManifest | undefined> {
  try {
    const manifest = JSON.parse(await readFile(join(folder, manifestName), 'utf8')) as DatasetManifest;
    return manifest.format === 'hushrec-dataset-2' ? manifest : undefined;
  } catch {
    return undefined;
  }
}
