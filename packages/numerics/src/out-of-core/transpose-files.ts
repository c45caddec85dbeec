import { sharedFloat32, sharedUint32 } from '../shared-array.js';
import { type BlockSource, blockEnds, type RowBlock } from './row-blocks.js';
import { openRowFiles, writeRowFiles } from './row-files.js';

/**
 * The same entries by columns, in another folder. One reading counts, then each reading of the source collects the columns of one
 * output block of at most `entriesPerBlock` entries by counting sort, so that memory holds one block of each side:
 * O(entries · (1 + blocks)) time. Entries of a row come out in the order of `transpose`.
 */
export async function transposeRowFiles(
  source: BlockSource,
  folder: string,
  entriesPerBlock = 32_000_000,
): Promise<BlockSource> {
  const offsets = new Uint32Array(source.columnCount + 1);
  for await (const { rows } of source.blocks()) {
    for (let k = 0; k < rows.indices.length; k++) offsets[rows.indices[k]! + 1]!++;
  }
  for (let column = 0; column < source.columnCount; column++) offsets[column + 1]! += offsets[column]!;
  async function* turned(): AsyncGenerator<RowBlock> {
    let begin = 0;
    for (const end of blockEnds(offsets, entriesPerBlock)) {
      yield await collect(source, offsets, begin, end);
      begin = end;
    }
  }
  await writeRowFiles(folder, source.rowCount, turned());
  return openRowFiles(folder);
}

async function collect(
  source: BlockSource,
  offsets: Uint32Array,
  begin: number,
  end: number,
): Promise<RowBlock> {
  const first = offsets[begin]!;
  const count = offsets[end]! - first;
  const own = sharedUint32(end - begin + 1);
  for (let column = begin; column <= end; column++) own[column - begin] = offsets[column]! - first;
  const next = own.slice(0, end - begin);
  const indices = sharedUint32(count);
  const values = sharedFloat32(count);
  for await (const block of source.blocks()) {
    const { rows } = block;
    for (let row = 0; row < rows.rowCount; row++) {
      for (let k = rows.offsets[row]!; k < rows.offsets[row + 1]!; k++) {
        const column = rows.indices[k]!;
        if (column < begin || column >= end) continue;
        const to = next[column - begin]!++;
        indices[to] = block.begin + row;
        values[to] = rows.values[k]!;
      }
    }
  }
  const rows = { rowCount: end - begin, columnCount: source.rowCount, offsets: own, indices, values };
  return { begin, end, rows };
}
