import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { BadDataError } from '../bad-data-error.js';
import { readBlocks } from './read-blocks.js';
import { unpackedZstd, ZstdError } from './unpack-zstd.js';
import { readZipDirectory } from './zip-archive.js';

/** One readable file of a source, whatever it is packed in. */
export interface SourceFile {
  /** Name without folder and without `.gz` or `.zst`: what formats are recognised by. */
  readonly name: string;
  /** What messages call it: as the user wrote it, with the entry's name for archives. */
  readonly displayName: string;
  /** Path of a file that needs no unpacking. */
  readonly plainPath?: string;
  stream(): Readable;
}

/** The files of a folder (not of its subfolders), of a zip archive, or the one file named. */
export async function listSourceFiles(path: string): Promise<SourceFile[]> {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path))
    throw new BadDataError(
      { file: path },
      'nothing is read from such an address here',
      'Ratings are read from files, PostgreSQL (postgres://…) and SQLite (sqlite:FILE), tables about items from files or by --items-query. Export others to CSV or Parquet.',
    );
  let info: Awaited<ReturnType<typeof stat>>;
  try {
    info = await stat(path);
  } catch (cause) {
    throw new BadDataError({ file: path }, 'it cannot be opened', 'Check the path and the permissions.', {
      cause,
    });
  }
  if (info.isFIFO() || info.isSocket() || info.isCharacterDevice())
    throw new BadDataError(
      { file: path },
      'it is a pipe or a device, and a source is read more than once',
      'Write the rows into a file first.',
    );
  if (info.isDirectory()) {
    const entries = await readdir(path, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
      .map((entry) => packedOrPlain(join(path, entry.name)))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }
  if (path.toLowerCase().endsWith('.zip')) {
    const entries = await readZipDirectory(path, path);
    return entries
      .filter((entry) => !/(?:^|\/)(?:__MACOSX\/|\.)/.test(entry.name))
      .map((entry) => {
        const displayName = `${path}/${entry.name}`;
        const unpack = unpackerOf(entry.name);
        return unpack === undefined
          ? { name: basename(entry.name), displayName, stream: () => entry.stream() }
          : { name: withoutPacking(entry.name), displayName, stream: () => unpack(entry.stream()) };
      });
  }
  return [packedOrPlain(path, unpackerOf(path) ?? (await unpackerByContent(path)))];
}

type Unpacker = (packed: Readable) => Readable;

function packedOrPlain(path: string, unpack = unpackerOf(path)): SourceFile {
  const bytes = () => readBlocks(path, 1 << 18);
  return unpack === undefined
    ? { name: basename(path), displayName: path, plainPath: path, stream: bytes }
    : { name: withoutPacking(path), displayName: path, stream: () => unpack(bytes()) };
}

function unzipped(packed: Readable): Readable {
  const gunzip = createGunzip({ chunkSize: 1 << 18 });
  packed.on('error', (error) => gunzip.destroy(error));
  return packed.pipe(gunzip);
}

function unpackerOf(path: string): Unpacker | undefined {
  return /\.gz$/i.test(path) ? unzipped : /\.zst(?:d)?$/i.test(path) ? unpackedZstd : undefined;
}

/**
 * A file that was named alone is unpacked whatever it is called. What cannot be read is reported by who reads
 * it.
 */
async function unpackerByContent(path: string): Promise<Unpacker | undefined> {
  try {
    for await (const chunk of createReadStream(path, { end: 3 })) {
      const start = (chunk as Buffer).toString('latin1');
      return start.startsWith('\x1f\x8b\b')
        ? unzipped
        : start === '\x28\xb5\x2f\xfd'
          ? unpackedZstd
          : undefined;
    }
  } catch {
    return undefined;
  }
  return undefined;
}

function withoutPacking(path: string): string {
  return basename(path).replace(/\.(?:gz|zstd?)$/i, '');
}

/** Turns an error of reading or unpacking into one that says which file, how far, and what to do. */
export function readingError(file: SourceFile, line: number | undefined, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'Z_BUF_ERROR')
    return new BadDataError(
      { file: file.displayName, line },
      'the compressed file ends before its data does',
      'The file was cut short; fetch or pack it again.',
      { cause: error },
    );
  if (error instanceof ZstdError)
    return new BadDataError(
      { file: file.displayName, line },
      error.isCut ? error.message : `the compressed data cannot be unpacked (${error.message})`,
      error.isCut ? 'The file was cut short; fetch or pack it again.' : 'Fetch or pack the file again.',
      { cause: error },
    );
  if (code.startsWith('Z_'))
    return new BadDataError(
      { file: file.displayName, line },
      'the compressed data is damaged',
      'Fetch or pack the file again.',
      { cause: error },
    );
  if (['ENOENT', 'EACCES', 'EISDIR', 'EIO'].includes(code))
    return new BadDataError(
      { file: file.displayName, line },
      `it cannot be read (${code})`,
      'Check the path and the permissions.',
      { cause: error },
    );
  return error;
}
