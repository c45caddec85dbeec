import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { BadDataError } from './bad-data-error.js';
import { fileFormats, formatOfAddress } from './formats.js';
import { readBlocks } from './sources/read-blocks.js';
import { listSourceFiles } from './sources/source-file.js';

/** Whether a file is read where it lies beside ratings. */
const isCompanion = (name: string) => fileFormats.some(({ companions }) => companions?.test(name) === true);

/**
 * SHA-256 over the bytes that an import reads: the files of a source, known neighbours, and the tables that
 * came with it. Tells whether an earlier import is still the import of these files; times of files do not
 * (`cp -p`). As private as the ratings, and kept beside them alone. Undefined for databases and pipes, whose
 * content cannot be compared.
 */
export async function sourceFingerprint(
  source: string,
  tables: readonly (string | undefined)[] = [],
): Promise<string | undefined> {
  if (formatOfAddress(source) !== undefined) return undefined;
  const info = await stat(source).catch(() => undefined);
  // A pipe can be read once.
  if (info !== undefined && !info.isFile() && !info.isDirectory()) return undefined;
  const hash = createHash('sha256');
  for (const path of [...(await filesOf(source, info?.isDirectory() === true)), ...tables]) {
    hash.update(path === undefined ? 'none\n' : `${basename(path)}\n`);
    if (path !== undefined) hash.update(await sha256Of(path));
  }
  return hash.digest('hex');
}

async function filesOf(source: string, isFolder: boolean): Promise<string[]> {
  const folder = isFolder ? source : dirname(source);
  const names =
    isFolder || !source.toLowerCase().endsWith('.zip')
      ? await readdir(folder, { withFileTypes: true }).catch(() => [])
      : [];
  const beside = names
    .filter((entry) => entry.isFile() && (isFolder ? !entry.name.startsWith('.') : isCompanion(entry.name)))
    .map(({ name }) => join(folder, name))
    .filter((path) => path !== source)
    .sort();
  return isFolder ? beside : [source, ...beside];
}

async function sha256Of(path: string): Promise<Buffer> {
  const hash = createHash('sha256');
  try {
    for await (const block of readBlocks(path, 1 << 20)) hash.update(block as Buffer);
  } catch (cause) {
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) await listSourceFiles(path);
    throw new BadDataError({ file: path }, 'it cannot be opened', 'Check the path and the permissions.', {
      cause,
    });
  }
  return hash.digest();
}
