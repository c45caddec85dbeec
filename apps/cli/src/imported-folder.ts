import { existsSync, statSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { formatOfAddress } from '@hushrec/ratings/formats';

/** A database is named by its address. */
export function isDatabase(source: string): boolean {
  return formatOfAddress(source) !== undefined;
}

/**
 * Where a source is imported to when nobody says: a file or folder beside itself
 * (`ratings.csv` → `ratings.hushrec`), a database into the current folder, under its name.
 */
export function importedFolder(source: string): string {
  if (isDatabase(source)) {
    if (source.startsWith('sqlite:')) {
      const file = basename(source.slice('sqlite:'.length).replace(/\?.*$/, ''));
      return `${basename(file, extname(file))}.hushrec`;
    }
    const name = /^[^?#]*\/([^/?#]+)/.exec(source.replace(/^[a-z]+:\/\/[^/]*/, ''))?.[1];
    return `${decoded(name ?? 'database')}.hushrec`;
  }
  const isFolder = existsSync(source) && statSync(source).isDirectory();
  return join(dirname(source), `${isFolder ? basename(source) : basename(source, extname(source))}.hushrec`);
}

/** As it stands where a percent sign begins no code. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** The dataset folder that stands for a path: itself, or what it was imported to before. */
export function knownDatasetFolder(path: string): string {
  if (existsSync(join(path, 'dataset.json'))) return path;
  const imported = importedFolder(path);
  return existsSync(join(imported, 'dataset.json')) ? imported : path;
}

/**
 * Where what is made of a data set goes when nobody says: beside it, `ratings.hushrec` → `ratings-<what>`.
 */
export function besideDataset(directory: string, what: string): string {
  return `${directory.replace(/\/+$/, '').replace(/\.hushrec$/, '')}-${what}`;
}
