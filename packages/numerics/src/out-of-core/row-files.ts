import type { FileHandle } from 'node:fs/promises';
import { sharedFloat32, sharedUint32 } from '../shared-array.js';
import { type BlockSource, blockEnds, type RowBlock } from './row-blocks.js';

/** A folder of rows that is missing something, or is not one. */
export class RowFilesError extends Error {
  override readonly name = 'RowFilesError';
  readonly kind = 'data';
  readonly file: string;
  constructor(file: string, problem: string) {
    super(`${file} ${problem}. Prepare the data again.`);
    this.file = file;
  }
}

interface Shape {
  readonly format: 'hushrec-rows-1';
  readonly rowCount: number;
  readonly columnCount: number;
  readonly entryCount: number;
}

const files = { offsets: 'offsets.u32', indices: 'indices.u32', values: 'values.f32', shape: 'shape.json' };

/** Numbers as they lie in memory; files are little-endian, as every host of Node is. */
function bytesOf(array: Uint32Array | Float32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

async function writeAll(handle: FileHandle, array: Uint32Array | Float32Array): Promise<void> {
  const bytes = bytesOf(array);
  // Writing straight from shared memory is not allowed everywhere; 1 MiB at a time keeps the copy small.
  for (let at = 0; at < bytes.length; at += 2 ** 20) {
    const piece = bytes.slice(at, at + 2 ** 20);
    await handle.writeFile(piece);
  }
}

/**
 * Writes rows block by block into a folder: offsets, indices, values, and last of all the shape, without
 * which the folder does not open. Memory: one block.
 */
export async function writeRowFiles(
  folder: string,
  columnCount: number,
  blocks: AsyncIterable<Pick<RowBlock, 'rows'>> | Iterable<Pick<RowBlock, 'rows'>>,
): Promise<void> {
  const { mkdir, open, rename, rm, writeFile } = await import('node:fs/promises');
  const { join } = await import('node:path');
  await mkdir(folder, { recursive: true });
  await rm(join(folder, files.shape), { force: true });
  const handles = await Promise.all(
    [files.offsets, files.indices, files.values].map((file) => open(join(folder, file), 'w')),
  );
  const [offsets, indices, values] = handles as [FileHandle, FileHandle, FileHandle];
  let rowCount = 0;
  let entryCount = 0;
  try {
    await writeAll(offsets, Uint32Array.of(0));
    for await (const { rows } of blocks) {
      if (entryCount + rows.indices.length > 0xffffffff)
        throw new RowFilesError(folder, 'would have more than 4,294,967,295 entries');
      const before = entryCount;
      await writeAll(
        offsets,
        Uint32Array.from(rows.offsets.subarray(1), (offset) => before + offset),
      );
      await writeAll(indices, rows.indices);
      await writeAll(values, rows.values);
      rowCount += rows.rowCount;
      entryCount += rows.indices.length;
    }
    await Promise.all(handles.map((handle) => handle.datasync()));
  } finally {
    await Promise.all(handles.map((handle) => handle.close()));
  }
  const shape: Shape = { format: 'hushrec-rows-1', rowCount, columnCount, entryCount };
  await writeFile(join(folder, `${files.shape}.part`), JSON.stringify(shape));
  await rename(join(folder, `${files.shape}.part`), join(folder, files.shape));
}

/** How rows are read. */
export interface RowFilesOptions {
  /** At most so many entries at once, unless one row has more. */
  readonly entriesPerBlock?: number;
  /**
   * The folder is nobody's but the reader's: it is removed as soon as its files are open, where the system
   * allows that, so that nothing is left even by a process that is killed; else by `close`.
   */
  readonly remove?: boolean;
}

/**
 * Opens what `writeRowFiles` wrote. `offsets` stay in memory (4 bytes a row); entries are read block by
 * block, one ahead. Whoever opens it closes it.
 */
export async function openRowFiles(
  folder: string,
  { entriesPerBlock = 4_000_000, remove = false }: RowFilesOptions = {},
): Promise<BlockSource & { close(): Promise<void> }> {
  const { open, rm } = await import('node:fs/promises');
  const { join } = await import('node:path');
  const { rowCount, columnCount, entryCount } = await checkedShape(folder);
  const offsets = await checkedOffsets(folder, rowCount, entryCount);
  const ends = blockEnds(offsets, entriesPerBlock);
  const indices = await open(join(folder, files.indices));
  const values = await open(join(folder, files.values));
  const removed = () => rm(folder, { recursive: true, force: true });
  // Where a file that is open cannot be removed, it is removed when it is closed.
  if (remove) await removed().catch(() => undefined);
  const read = async (begin: number, end: number): Promise<RowBlock> => {
    const first = offsets[begin];
    const count = offsets[end] - first;
    const rows = {
      rowCount: end - begin,
      columnCount,
      offsets: sharedUint32(end - begin + 1),
      indices: sharedUint32(count),
      values: sharedFloat32(count),
    };
    for (let row = begin; row <= end; row++) rows.offsets[row - begin] = offsets[row] - first;
    await readInto(indices, bytesOf(rows.indices), 4 * first, folder);
    await readInto(values, bytesOf(rows.values), 4 * first, folder);
    return { begin, end, rows };
  };
  return {
    rowCount,
    columnCount,
    entryCount,
    async close() {
      await Promise.all([indices.close(), values.close()]);
      if (remove) await removed();
    },
    async *blocks() {
      // The next block is read while the present one is computed with.
      let next = ends.length > 0 ? read(0, ends[0]) : undefined;
      for (let k = 0; next !== undefined; k++) {
        const block: RowBlock = await next;
        next = k + 1 < ends.length ? read(ends[k], ends[k + 1]) : undefined;
        next?.catch(() => {});
        yield block;
      }
    },
  };
}

/** The shape of a folder whose files are all there, each as long as the shape says. */
async function checkedShape(folder: string): Promise<Shape> {
  const { readFile, stat } = await import('node:fs/promises');
  const { join } = await import('node:path');
  const shapeFile = join(folder, files.shape);
  let shape: Shape;
  try {
    shape = JSON.parse(await readFile(shapeFile, 'utf8')) as Shape;
  } catch {
    throw new RowFilesError(shapeFile, 'cannot be read, so the folder is not complete');
  }
  if (shape.format !== 'hushrec-rows-1') throw new RowFilesError(shapeFile, 'has an unknown format');
  const { rowCount, entryCount } = shape;
  const sizes = { offsets: 4 * (rowCount + 1), indices: 4 * entryCount, values: 4 * entryCount };
  for (const [name, size] of Object.entries(sizes)) {
    const file = join(folder, files[name as keyof typeof sizes]);
    const found = await stat(file).catch(() => undefined);
    if (found?.size !== size) throw new RowFilesError(file, `should have ${size} bytes`);
  }
  return shape;
}

/** Where the rows begin: ascending from 0 to the number of entries. */
async function checkedOffsets(folder: string, rowCount: number, entryCount: number): Promise<Uint32Array> {
  const { readFile } = await import('node:fs/promises');
  const { join } = await import('node:path');
  const offsets = sharedUint32(rowCount + 1);
  bytesOf(offsets).set(await readFile(join(folder, files.offsets)));
  for (let row = 0; row < rowCount; row++) {
    if (offsets[row] > offsets[row + 1]) throw new RowFilesError(folder, 'has offsets that do not ascend');
  }
  if (offsets[0] !== 0 || offsets[rowCount] !== entryCount)
    throw new RowFilesError(folder, 'has offsets that do not fit its entries');
  return offsets;
}

async function readInto(handle: FileHandle, bytes: Uint8Array, from: number, folder: string): Promise<void> {
  const piece = new Uint8Array(Math.min(2 ** 20, bytes.length));
  for (let at = 0; at < bytes.length; ) {
    const { bytesRead } = await handle.read(piece, 0, Math.min(piece.length, bytes.length - at), from + at);
    if (bytesRead === 0) throw new RowFilesError(folder, 'became shorter while it was read');
    bytes.set(piece.subarray(0, bytesRead), at);
    at += bytesRead;
  }
}
