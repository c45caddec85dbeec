import { existsSync, statSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';

/** A database is named by its address. */
export function isDatabase(source: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(source);
}

/**
 * Where a source is imported to when nobody says: a file or folder beside itself (`ratings.csv` → `ratings.hushrec`), a
 * database into the current folder, under its name.
 */
export function importedFolder(source: string): string {
  if (isDatabase(source)) {
    const name = /^[^?#]*\/([^/?#]+)/.exec(source.replace(/^postgres(?:ql)?:\/\/[^/]*/, ''))?.[1];
    return `${decodeURIComponent(name ?? 'database')}.hushrec`;
  }
  const isFolder = statSync(source, { throwIfNoEntry: false })?.isDirectory() === true;
  return join(dirname(source), `${isFolder ? basename(source) : basename(source, extname(source))}.hushrec`);
}

/** The dataset folder that stands for a path: itself, or what it was imported to before. */
export function knownDatasetFolder(path: string): string {
  if (existsSync(join(path, 'dataset.json'))) return path;
  const imported = importedFolder(path);
  return existsSync(join(imported, 'dataset.json')) ? imported : path;
}
