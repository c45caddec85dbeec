import type { Csr } from '../csr.js';

/** Consecutive rows [begin, end) of a larger matrix; row r of `rows` is row begin + r of the whole. */
export interface RowBlock {
  readonly begin: number;
  readonly end: number;
  readonly rows: Csr;
}

/** Sparse rows that come in blocks small enough for memory. */
export interface BlockSource {
  readonly rowCount: number;
  readonly columnCount: number;
  readonly entryCount: number;
  /** All blocks in order. Reading again starts from the first. */
  blocks(): AsyncIterable<RowBlock>;
}

/** Ends of blocks with at most `entries` entries each, unless a single row has more. O(rows). */
export function blockEnds(offsets: Uint32Array, entries: number): number[] {
  const ends: number[] = [];
  let begin = 0;
  for (let row = 1; row < offsets.length; row++) {
    if (offsets[row] - offsets[begin] > entries && row - 1 > begin) {
      ends.push(row - 1);
      begin = row - 1;
    }
  }
  if (offsets.length > 1) ends.push(offsets.length - 1);
  return ends;
}
