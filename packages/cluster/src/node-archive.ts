import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** Node as executors get it: an archive that Spark sends and unpacks. Its name tells its content. */
export interface NodeArchive {
  /** Without its ending: the folder that executors unpack it into. */
  readonly folder: string;
  readonly ending: string;
  readonly bytes: Uint8Array;
}

/** An archive that cannot be sent. */
export class NodeArchiveError extends Error {
  override readonly name = 'NodeArchiveError';
  readonly kind = 'usage';
}

/**
 * Reads an archive of Node with `bin/node` in it, as Node's own site has them (`node-v….tar.gz`); `auto`
 * packs the Node that runs this.
 *
 * @throws NodeArchiveError
 */
export async function readNodeArchive(file: string): Promise<NodeArchive> {
  if (file === 'auto') return archiveOf(await ownNode(), '.tgz');
  const [, ending] = /(\.tar\.gz|\.tgz|\.tar)$/i.exec(file) ?? [];
  if (ending === undefined)
    throw new NodeArchiveError(
      `${file}: Spark unpacks .tar.gz, .tgz and .tar and keeps what may be run. Take the .tar.gz of Node, or say auto.`,
    );
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw new NodeArchiveError(`${file}: it cannot be read. Check the path and the permissions.`, { cause });
  });
  return archiveOf(bytes, ending.toLowerCase());
}

function archiveOf(bytes: Uint8Array, ending: string): NodeArchive {
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  return { folder: `hushrec-node-${hash}`, ending, bytes };
}

/** The Node that runs this, as the one file `bin/node` of an archive. */
async function ownNode(): Promise<Uint8Array> {
  if (process.platform !== 'linux')
    throw new NodeArchiveError(
      `This machine has Node for ${process.platform}, and executors need that of theirs: name its archive, such as node-v20.19.0-linux-x64.tar.gz.`,
    );
  const program = await readFile(process.execPath);
  const padding = Buffer.alloc((BLOCK - (program.length % BLOCK)) % BLOCK);
  const archive = Buffer.concat([
    tarHeader('bin/node', program.length),
    program,
    padding,
    Buffer.alloc(2 * BLOCK),
  ]);
  return promisify(gzip)(archive, { level: 3 });
}

const BLOCK = 512;

/** The header of a file that may be run, in the form of POSIX (ustar). */
function tarHeader(name: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  const fields: readonly (readonly [number, string])[] = [
    [0, name],
    [100, octal(0o755, 7)],
    [108, octal(0, 7)],
    [116, octal(0, 7)],
    [124, octal(size, 11)],
    [136, octal(0, 11)],
    // The sum of all bytes of the header, with blanks in its own place.
    [148, ' '.repeat(8)],
    [156, '0'],
    [257, 'ustar\0'],
    [263, '00'],
  ];
  for (const [at, text] of fields) header.write(text, at, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148, 'latin1');
  return header;
}
