import type { Csr } from './csr.js';
import { sharedFloat32, sharedUint32 } from './shared-array.js';
import { transpose } from './transpose.js';

/** Entries that cannot form sparse rows: an index out of range, a repeated pair, arrays of unequal length. */
export class TriplesError extends RangeError {
  override readonly name = 'TriplesError';
  readonly kind = 'data';
  /** Position of the offending entry in the input, or −1 when the arrays as a whole are wrong. */
  readonly position: number;
  constructor(position: number, message: string) {
    super(message);
    this.position = position;
  }
}

/**
 * Sparse rows from (row, column, value) triples in any order; values are all 1 when absent. Each pair may
 * occur once. Two counting sorts, O(entries + rows + columns).
 */
export function csrFromTriples(
  rowCount: number,
  columnCount: number,
  rows: ArrayLike<number>,
  columns: ArrayLike<number>,
  values?: ArrayLike<number>,
): Csr {
  checkTriples(rowCount, columnCount, rows, columns, values);
  const count = rows.length;
  // Bucket by column, then transpose: rows come out with ascending columns.
  const offsets = sharedUint32(columnCount + 1);
  for (let k = 0; k < count; k++) offsets[columns[k] + 1]++;
  for (let c = 0; c < columnCount; c++) offsets[c + 1] += offsets[c];
  const next = offsets.slice(0, columnCount);
  const indices = sharedUint32(count);
  const byColumnValues = sharedFloat32(count);
  for (let k = 0; k < count; k++) {
    const to = next[columns[k]]++;
    indices[to] = rows[k];
    byColumnValues[to] = values === undefined ? 1 : values[k];
  }
  const csr = transpose({
    rowCount: columnCount,
    columnCount: rowCount,
    offsets,
    indices,
    values: byColumnValues,
  });
  refuseRepeated(csr);
  return csr;
}

/** Arrays of one length, indices inside. */
function checkTriples(
  rowCount: number,
  columnCount: number,
  rows: ArrayLike<number>,
  columns: ArrayLike<number>,
  values: ArrayLike<number> | undefined,
): void {
  const count = rows.length;
  if (columns.length !== count || (values !== undefined && values.length !== count)) {
    throw new TriplesError(
      -1,
      `rows, columns and values have different lengths; expected one of each per entry.`,
    );
  }
  for (let k = 0; k < count; k++) {
    const row = rows[k];
    const column = columns[k];
    if (!(Number.isInteger(row) && row >= 0 && row < rowCount)) {
      throw new TriplesError(
        k,
        `Entry ${k} has a row outside 0 … ${rowCount - 1}. Check the declared row count.`,
      );
    }
    if (!(Number.isInteger(column) && column >= 0 && column < columnCount)) {
      throw new TriplesError(
        k,
        `Entry ${k} has a column outside 0 … ${columnCount - 1}. Check the declared column count.`,
      );
    }
  }
}

/** Columns ascend within each row, so that a repeated one stands beside itself. */
function refuseRepeated({ rowCount, offsets, indices }: Csr): void {
  for (let row = 0; row < rowCount; row++) {
    for (let k = offsets[row] + 1; k < offsets[row + 1]; k++) {
      if (indices[k] === indices[k - 1]) {
        throw new TriplesError(
          -1,
          'A (row, column) pair occurs twice. Remove duplicates before building rows.',
        );
      }
    }
  }
}
