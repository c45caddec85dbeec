import { type BlockSource, blockEnds, type Csr } from '@hushrec/numerics';

/** A matrix in memory as if it came from files, in blocks. */
export function blocksOf(csr: Csr, entriesPerBlock: number): BlockSource {
  return {
    rowCount: csr.rowCount,
    columnCount: csr.columnCount,
    entryCount: csr.indices.length,
    async *blocks() {
      let begin = 0;
      for (const end of blockEnds(csr.offsets, entriesPerBlock)) {
        yield { begin, end, rows: sliceRows(csr, begin, end) };
        begin = end;
      }
    },
  };
}

/** Rows [begin, end) as a matrix of their own, without copying entries. */
function sliceRows(csr: Csr, begin: number, end: number): Csr {
  const first = csr.offsets[begin];
  const last = csr.offsets[end];
  return {
    rowCount: end - begin,
    columnCount: csr.columnCount,
    offsets: csr.offsets.slice(begin, end + 1).map((offset) => offset - first),
    indices: csr.indices.subarray(first, last),
    values: csr.values.subarray(first, last),
  };
}
